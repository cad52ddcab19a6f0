// Says how many bytes the tiles have by what nvcc was told; launches nothing.
#include <cstdio>

void say_bytes(void (*say)(const char *source, int bytes));

int main() {
  say_bytes([](const char *source, int bytes) { std::printf("%s %d\n", source, bytes); });
  return 0;
}
