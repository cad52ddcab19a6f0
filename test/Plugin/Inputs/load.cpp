// Loads a plugin as a compiler does.
#include <cstdio>
#include <dlfcn.h>
int main(int, char **argv) {
  if (dlopen(argv[1], RTLD_LAZY | RTLD_GLOBAL))
    return 0;
  std::puts(dlerror());
  return 2;
}
