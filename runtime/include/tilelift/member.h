//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private members of a kernel's arguments, which launchers and lifted kernels read by where they
// lie.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_MEMBER_H
#define TILELIFT_MEMBER_H

namespace tilelift {

/// The member of that type so many bytes into an object, whose bytes are all that there is of it.
template <typename Type, int Offset, typename Whole>
__host__ __device__ inline const Type &member(const Whole &whole) {
  static_assert(Offset + sizeof(Type) <= sizeof(Whole), "the object has the member");
  return *reinterpret_cast<const Type *>(&reinterpret_cast<const char &>(whole) + Offset);
}

} // namespace tilelift

#endif
