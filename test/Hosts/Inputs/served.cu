// The emulator's driver for another process: takes a call from each line of the standard input, with its
// numbers in decimals and its bytes in hexadecimals, and answers with the driver's result and what it gives.
#include DEVICE_SOURCE

#include <cuda.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

template <typename Number> static std::vector<Number> numbers(std::istream &in, unsigned count) {
  std::vector<Number> all(count);
  for (Number &each : all)
    in >> each;
  return all;
}

static std::vector<unsigned char> bytes(std::istream &in) {
  std::string text;
  in >> text;
  std::vector<unsigned char> all;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    all.push_back((unsigned char)std::stoul(text.substr(i, 2), nullptr, 16));
  return all;
}

static std::string hex(const void *memory, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    const unsigned char byte = static_cast<const unsigned char *>(memory)[i];
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

template <typename Enumeration> static Enumeration enumerator(std::istream &in) {
  int number = 0;
  in >> number;
  return Enumeration(number);
}

// type, rank, address, extents, strides, then as the driver has them
static std::string encode(std::istream &in, bool pixels) {
  const auto type = enumerator<CUtensorMapDataType>(in);
  cuuint32_t rank = 0;
  unsigned long long address = 0;
  in >> rank >> address;
  const auto extents = numbers<cuuint64_t>(in, rank), strides = numbers<cuuint64_t>(in, rank - 1);
  std::vector<int> lower, upper;
  std::vector<cuuint32_t> box;
  cuuint32_t channels = 0, count = 0;
  if (pixels) {
    lower = numbers<int>(in, rank - 2);
    upper = numbers<int>(in, rank - 2);
    in >> channels >> count;
  } else {
    box = numbers<cuuint32_t>(in, rank);
  }
  const auto steps = numbers<cuuint32_t>(in, rank);
  const auto interleave = enumerator<CUtensorMapInterleave>(in);
  const auto swizzle = enumerator<CUtensorMapSwizzle>(in);
  const auto promotion = enumerator<CUtensorMapL2promotion>(in);
  const auto fill = enumerator<CUtensorMapFloatOOBfill>(in);
  CUtensorMap map = {};
  void *tensor = reinterpret_cast<void *>(address);
  const CUresult result =
      pixels ? cuTensorMapEncodeIm2col(&map, type, rank, tensor, extents.data(), strides.data(), lower.data(),
                                       upper.data(), channels, count, steps.data(), interleave, swizzle, promotion, fill)
             : cuTensorMapEncodeTiled(&map, type, rank, tensor, extents.data(), strides.data(), box.data(), steps.data(),
                                      interleave, swizzle, promotion, fill);
  return std::to_string(int(result)) + " " + hex(&map, sizeof map);
}

// name, grid, block, shared memory, how many arguments, each
static std::string launch(std::istream &in) {
  std::string name;
  CUlaunchConfig config = {};
  unsigned count = 0;
  in >> name >> config.gridDimX >> config.gridDimY >> config.gridDimZ >> config.blockDimX >> config.blockDimY >>
      config.blockDimZ >> config.sharedMemBytes >> count;
  std::vector<std::vector<unsigned char>> arguments;
  std::vector<void *> addresses;
  for (unsigned i = 0; i < count; ++i)
    arguments.push_back(bytes(in));
  for (auto &argument : arguments)
    addresses.push_back(argument.data());
  static char self;
  CUfunction function = nullptr;
  CUresult result = cuModuleGetFunction(&function, reinterpret_cast<CUmodule>(&self), name.c_str());
  if (result == CUDA_SUCCESS)
    result = cuLaunchKernelEx(&config, function, addresses.data(), nullptr);
  if (result == CUDA_SUCCESS)
    result = cuCtxSynchronize();
  return std::to_string(int(result));
}

static std::string memory(const std::string &what, std::istream &in) {
  unsigned long long address = 0, size = 0;
  in >> address;
  if (what == "alloc") {
    CUdeviceptr made = 0;
    const CUresult result = cuMemAlloc(&made, address); // which is the size
    return std::to_string(int(result)) + " " + std::to_string(made);
  }
  std::vector<unsigned char> contents;
  if (what == "write") {
    contents = bytes(in);
    return std::to_string(int(cuMemcpyHtoD(address, contents.data(), contents.size())));
  }
  in >> size;
  contents.resize(size);
  const CUresult result = cuMemcpyDtoH(contents.data(), address, size);
  return std::to_string(int(result)) + " " + hex(contents.data(), size);
}

int main() {
  for (std::string line, what; std::getline(std::cin, line);) {
    std::istringstream in(line);
    in >> what;
    std::cout << (what == "tiled"     ? encode(in, false)
                  : what == "im2col"  ? encode(in, true)
                  : what == "launch"  ? launch(in)
                                      : memory(what, in))
              << std::endl;
  }
  return 0;
}
