// What a plugin sees of Clang 14.
#include <string>
namespace clang {
std::string getClangFullVersion() { return "Debian clang version 14.0.6"; }
} // namespace clang
