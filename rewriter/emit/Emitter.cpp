#include "emit/Emitter.h"
namespace tilelift {
EmitResult emit(clang::ASTContext &, const std::vector<KernelToEmit> &, const Program &) { return {}; }
}
