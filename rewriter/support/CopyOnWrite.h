//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that its copies share until one of them is changed, for values that are
// large and copied far more often than they are written.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_COPYONWRITE_H
#define TILELIFT_SUPPORT_COPYONWRITE_H

#include <memory>

namespace tilelift {

template <typename T> class CopyOnWrite {
public:
  /// A default value, which takes no memory.
  CopyOnWrite() = default;
  CopyOnWrite(T value) : held(std::make_shared<T>(std::move(value))) {}

  const T &operator*() const {
    static const T none = T();
    return held ? *held : none;
  }
  const T *operator->() const { return &**this; }

  /// To change this copy and no other.
  T &edit() {
    if (!held)
      held = std::make_shared<T>();
    else if (held.use_count() > 1)
      held = std::make_shared<T>(*held);
    return *held;
  }

  bool isSameCopy(const CopyOnWrite &other) const { return held == other.held; }

private:
  std::shared_ptr<T> held;
};

} // namespace tilelift

#endif
