//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a kernel's code gets at, told apart as far as that is known:
// shared arrays, what each argument leads to, variables of the device.
//
// An address is followed back to where it was taken, through numbers, objects and assembly as well.
// Where that ends without an answer, it may lead to global memory, and to each shared array whose
// address escapes.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_MEMORYOBJECTS_H
#define TILELIFT_EFFECTS_MEMORYOBJECTS_H

#include "effects/DeviceCode.h"
#include "support/NumberSet.h"

#include "clang/AST/Type.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace llvm {
class Argument;
class Value;
} // namespace llvm

namespace tilelift {

/// Objects by their numbers; all of them if nothing is known.
using ObjectSet = NumberSet;

struct MemoryObject {
  enum class Kind {
    Anything, ///< global memory of which nothing is known
    FromHost, ///< global memory whose address the host passes as a number or in a constant
    Argument, ///< what a pointer that is passed to the kernel leads to
    Variable, ///< one of the device
    Shared,
    Dynamic, ///< shared memory whose size the launch says: all arrays in it are one
    Output,  ///< what `printf` prints; no address leads there
  };

  Kind kind = Kind::Anything;
  /// The parameter or variable.
  const clang::VarDecl *declaration = nullptr;
  /// If the pointer lies in a struct that is passed to the kernel: its offset there, in bytes.
  uint64_t offset = 0;
  /// What the program says that lies there.
  clang::QualType element = {};
  /// The pointer is `__restrict__`: the memory is accessed only through it and through pointers
  /// that are computed from it.
  bool isRestrict = false;

  /// Whether the pointer is `const __restrict__`, which promises that nothing writes to the memory
  /// while the kernel runs.
  bool isPromised() const {
    return kind == Kind::Argument && isRestrict && !element.isNull() && element.isConstQualified();
  }
  bool isShared() const { return kind == Kind::Shared || kind == Kind::Dynamic; }
};

/// Shared memory of a known size, also where it is only declared.
struct SharedArray {
  /// Null if no variable of the program is that array.
  const clang::VarDecl *declaration = nullptr;
  uint64_t bytes = 0;
};

class Memory {
public:
  Memory(const clang::FunctionDecl *declaration, const llvm::Function &kernel, DeviceCode &code,
         bool typesTellApart);

  const MemoryObject &operator[](unsigned object) const { return objects[object]; }
  unsigned size() const { return unsigned(objects.size()); }

  /// The objects to which an address may lead, without memory that belongs to one thread.
  ObjectSet pointedToBy(const llvm::Value *address);
  /// The objects to which an unknown address may lead: global memory, and the shared arrays whose
  /// addresses escape.
  ObjectSet anything() const;
  ObjectSet allShared() const;
  /// What is printed, in an order that barriers keep.
  ObjectSet output() const;

  /// Whether two objects may be the same memory.
  bool mayMeet(unsigned a, unsigned b) const;
  bool mayMeet(const ObjectSet &a, const ObjectSet &b) const;

  /// The shared arrays of known sizes that the kernel's code names.
  std::vector<SharedArray> sharedArrays() const;
  /// The number of a shared array or a device's variable, if the code names it.
  std::optional<unsigned> find(const clang::VarDecl *variable) const;

private:
  unsigned number(MemoryObject object);
  void findObjects();
  void findArguments();
  void findRetyped();
  bool isOnlyRead(const llvm::Argument &argument) const;
  bool mayBeOneType(unsigned a, unsigned b) const;

  const clang::FunctionDecl *declaration;
  const llvm::Function &kernel;
  DeviceCode &code;
  bool typesTellApart;
  std::vector<MemoryObject> objects;
  llvm::DenseMap<const llvm::Value *, unsigned> variables;
  ObjectSet kept;
  /// Pointers that lie in structs which are passed to the kernel may escape.
  bool keepsObjects = false;
  /// Objects that the kernel accesses somewhere as another type than their pointer is declared
  /// with.
  ObjectSet retyped;
  llvm::DenseMap<const llvm::Value *, ObjectSet> known;

  friend class AddressReader;
};

} // namespace tilelift

#endif
