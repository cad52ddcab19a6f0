// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA runtime API of the emulator, as a compiled program calls it. Kernels
// are written down as the translator would make them. What the API answers to
// mistakes was asked of CUDA 13.0 on an H200.
#include "cudart/State.h"
#include "machine/Team.h"
#include "model/TensorMap.h"

#include "gtest/gtest.h"

#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <numeric>
#include <thread>

using namespace tilelift::emulator;

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
}

#define EXPECT_CUDA(expected, call) EXPECT_STREQ(#expected, cudaGetErrorName(call))
#define EXPECT_OK(call) EXPECT_CUDA(cudaSuccess, call)

namespace {

template <class Value> Value parameter(const char *parameters, size_t offset) {
  Value value;
  std::memcpy(&value, parameters + offset, sizeof value);
  return value;
}

// Kernels: void set(int *to, int value), for the first thread of all blocks.
void set(Thread *thread, char *parameters) {
  if (thread->tid[0] == 0)
    *parameter<int *>(parameters, 0) = parameter<int>(parameters, 8);
}

// void add(int *to, int value): one thread after the other.
void add(Thread *, char *parameters) {
  *parameter<int *>(parameters, 0) += parameter<int>(parameters, 8);
}

struct Odd {
  char text[5];
};

// void gather(double *to, char a, double b, short c, Odd d)
void gather(Thread *, char *parameters) {
  double *to = parameter<double *>(parameters, 0);
  to[0] = parameter<char>(parameters, 8);
  to[1] = parameter<double>(parameters, 16);
  to[2] = parameter<short>(parameters, 24);
  to[3] = parameter<Odd>(parameters, 26).text[4];
}

// void fault(int outcome)
void fault(Thread *thread, char *parameters) {
  thread->block->team->fault(*thread, Outcome(parameter<int>(parameters, 0)));
}

// void shape(unsigned *to)
void shape(Thread *thread, char *parameters) {
  unsigned *to = parameter<unsigned *>(parameters, 0);
  to[0] = thread->nctaid[0], to[1] = thread->nctaid[1], to[2] = thread->ntid[0];
  to[3] = thread->dynamicShared, to[4] = thread->clusterNctaid[0];
}

constexpr Parameter pointerAndInt[] = {{0, 8, "to", "int", 4}, {8, 4, "value", nullptr, 0}};
constexpr Parameter gathered[] = {{0, 8, "to", "double", 8},
                                  {8, 1, "a", nullptr, 0},
                                  {16, 8, "b", nullptr, 0},
                                  {24, 2, "c", nullptr, 0},
                                  {26, 5, "d", nullptr, 0}};
constexpr Parameter oneInt[] = {{0, 4, "outcome", nullptr, 0}};
constexpr Parameter onePointer[] = {{0, 8, "to", "unsigned", 4}};

const Kernel kernels[] = {
    {"_Z3setPii", set, pointerAndInt, 2, 12, nullptr, 0, 0, 0, {0, 0, 0}, 90},
    {"_Z3addPii", add, pointerAndInt, 2, 12, nullptr, 0, 0, 0, {0, 0, 0}, 90},
    {"_Z6gatherPdcds3Odd", gather, gathered, 5, 31, nullptr, 0, 0, 0, {0, 0, 0}, 90},
    {"_Z5faulti", fault, oneInt, 1, 4, nullptr, 0, 0, 0, {0, 0, 0}, 90},
    {"_Z5shapePj", shape, onePointer, 1, 8, nullptr, 0, 0, 0, {0, 0, 0}, 90},
    {"_Z6staticPj", shape, onePointer, 1, 8, nullptr, 16384, 0, 0, {0, 0, 0}, 90},
    {"_Z7boundedPj", shape, onePointer, 1, 8, nullptr, 0, 0, 256, {0, 0, 0}, 90},
    {"_Z7clusterPj", shape, onePointer, 1, 8, nullptr, 0, 0, 0, {2, 1, 1}, 100},
};

char *tableAddress;
const int tableInitial[4] = {1, 2, 3, 4};
const DeviceVariable variables[] = {{"table", &tableAddress, tableInitial, 16, 16}};
Module theModule = {"test.cu", kernels, 8, nullptr, 0, variables, 1, nullptr, 0, nullptr, 0, 0};

// What stands for them in the host's code.
char setStub, addStub, gatherStub, faultStub, shapeStub, staticStub, boundedStub, clusterStub;
char lostStub; ///< registered, but no file has the kernel
int table[4];

bool registerAll() {
  void **handle = __cudaRegisterFatBinary(nullptr);
  auto function = [&](const char *stub, const char *name) {
    __cudaRegisterFunction(handle, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
  };
  // The host's side first, as constructors may run in any order.
  function(&setStub, "_Z3setPii"), function(&addStub, "_Z3addPii");
  function(&gatherStub, "_Z6gatherPdcds3Odd"), function(&faultStub, "_Z5faulti");
  function(&shapeStub, "_Z5shapePj"), function(&staticStub, "_Z6staticPj");
  function(&boundedStub, "_Z7boundedPj"), function(&clusterStub, "_Z7clusterPj");
  function(&lostStub, "_Z4lostv");
  __cudaRegisterVar(handle, reinterpret_cast<char *>(table), nullptr, "table", 0, 16, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  machine().program.add(theModule, machine().memory);
  return true;
}
const bool isRegistered = registerAll();

/// The same arguments fit all kernels: what they do not take is not read.
cudaError_t launch(const char &stub, dim3 grid, dim3 block, void *to, int value = 0,
                   size_t shared = 0, cudaStream_t stream = nullptr) {
  void *arguments[] = {&to, &value};
  return cudaLaunchKernel(&stub, grid, block, arguments, shared, stream);
}

cudaError_t launchFault(Outcome outcome) {
  int number = int(outcome);
  void *arguments[] = {&number};
  return cudaLaunchKernel(&faultStub, 1, 1, arguments, 0, nullptr);
}

cudaError_t launchCluster(const char &stub, dim3 grid, unsigned width, void *to) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = width;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = 32;
  config.attrs = &attribute, config.numAttrs = width ? 1 : 0;
  void *arguments[] = {&to};
  return cudaLaunchKernelExC(&config, &stub, arguments);
}

template <class Value> Value *allocate(size_t count) {
  void *address = nullptr;
  EXPECT_OK(cudaMalloc(&address, count * sizeof(Value)));
  return static_cast<Value *>(address);
}

template <class Value> Value read(const Value *from) {
  Value value;
  EXPECT_OK(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

struct CudartTest : testing::Test {
  CudartTest() {
    cudaDeviceReset();
    cudaGetLastError();
    number = allocate<int>(64);
    EXPECT_OK(cudaMemset(number, 0, 256));
    EXPECT_OK(cudaStreamCreate(&stream));
    EXPECT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    EXPECT_OK(cudaEventCreate(&event));
  }
  int *number;
  char host[4096] = {};
  cudaStream_t stream, other;
  cudaEvent_t event;
};

// Memory.

TEST_F(CudartTest, CopiesBytesBothWays) {
  std::iota(host, host + 256, char(1));
  char back[256];
  EXPECT_OK(cudaMemcpy(number, host, 256, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy(back, number, 256, cudaMemcpyDefault));
  EXPECT_EQ(0, std::memcmp(host, back, 256));
}

TEST_F(CudartTest, ACopyStaysInOneAllocation) {
  allocate<int>(64);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(number, host, 257, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(host, number + 60, 20, cudaMemcpyDeviceToHost));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset(number, 0, 257));
  EXPECT_OK(cudaFree(number));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(host, number, 4, cudaMemcpyDeviceToHost));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(number));
}

TEST_F(CudartTest, ACopyGoesWhereItsKindSays) {
  int *second = allocate<int>(4);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(host, number, 4, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(number, host, 4, cudaMemcpyDeviceToHost));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(number, host, 4, cudaMemcpyDeviceToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(host, host + 8, 4, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy(number, second, 4, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy(number, host, 4, cudaMemcpyHostToHost));
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection, cudaMemcpy(number, host, 4, cudaMemcpyKind(7)));
  EXPECT_OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
}

TEST_F(CudartTest, CopiesRowsWithPitches) {
  for (int i = 0; i < 60; ++i)
    host[i] = char(i);
  char *rows = allocate<char>(64 * 3);
  EXPECT_OK(cudaMemcpy2D(rows, 64, host, 20, 7, 3, cudaMemcpyHostToDevice));
  EXPECT_EQ(46, read(rows + 2 * 64 + 6));
  EXPECT_CUDA(cudaErrorInvalidPitchValue,
              cudaMemcpy2D(rows, 6, host, 20, 7, 3, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2D(rows, 64, host, 20, 7, 4, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemset2D(rows, 64, 9, 2, 2));
  EXPECT_EQ(9, read(rows + 65));
  EXPECT_EQ(22, read(rows + 66));
}

TEST_F(CudartTest, CopiesSlices) {
  std::iota(host, host + 24, char(0));
  cudaPitchedPtr box;
  EXPECT_OK(cudaMalloc3D(&box, {4, 3, 2}));
  EXPECT_EQ(512u, box.pitch);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {host, 4, 4, 3};
  copy.dstPtr = box;
  copy.extent = {4, 3, 2};
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT_OK(cudaMemcpy3D(&copy));
  EXPECT_EQ(23, read(static_cast<char *>(box.ptr) + 5 * 512 + 3));
  copy.extent = {4, 4, 2};
  EXPECT_CUDA(cudaErrorInvalidPitchValue, cudaMemcpy3D(&copy));
}

TEST_F(CudartTest, AllocatesPinnedAndManagedMemory) {
  void *pinned, *device, *managed;
  EXPECT_OK(cudaMallocHost(&pinned, 100));
  EXPECT_OK(cudaHostGetDevicePointer(&device, pinned, 0));
  EXPECT_EQ(pinned, device);
  EXPECT_OK(cudaMallocManaged(&managed, 4));
  EXPECT_OK(launch(setStub, 1, 1, managed, 17));
  EXPECT_EQ(17, *static_cast<int *>(managed));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(pinned));
  EXPECT_OK(cudaFreeHost(pinned));
  EXPECT_OK(cudaFree(managed));
  EXPECT_OK(cudaFree(nullptr));
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaMalloc(&device, size_t(1) << 50));
}

TEST_F(CudartTest, KnowsWhereAddressesLead) {
  cudaPointerAttributes attributes;
  EXPECT_OK(cudaPointerGetAttributes(&attributes, number + 3));
  EXPECT_EQ(cudaMemoryTypeDevice, attributes.type);
  EXPECT_EQ(number + 3, attributes.devicePointer);
  EXPECT_EQ(nullptr, attributes.hostPointer);
  EXPECT_OK(cudaPointerGetAttributes(&attributes, host));
  EXPECT_EQ(cudaMemoryTypeUnregistered, attributes.type);

  auto ask = [](CUpointer_attribute which, const void *address, CUdeviceptr &found) {
    return cuPointerGetAttribute(&found, which, reinterpret_cast<CUdeviceptr>(address));
  };
  const auto reads = CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
  CUdeviceptr found = 0;
  EXPECT_EQ(CUDA_SUCCESS, ask(reads, number + 3, found));
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(number + 3), found);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, ask(reads, host, found));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, ask(reads, nullptr, found));
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, ask(CU_POINTER_ATTRIBUTE_CONTEXT, number, found));
}

TEST_F(CudartTest, MemoryInStreamOrder) {
  void *address;
  EXPECT_OK(cudaMallocAsync(&address, 100, stream));
  EXPECT_OK(cudaMemsetAsync(address, 1, 100, stream));
  EXPECT_OK(cudaFreeAsync(address, stream));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeAsync(address, stream));
}

// Symbols.

TEST_F(CudartTest, ReachesVariablesByTheirHostAddress) {
  int values[4] = {};
  void *address;
  size_t bytes;
  EXPECT_OK(cudaMemcpyFromSymbol(values, table, 16, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(3, values[2]);
  int seven = 7;
  EXPECT_OK(cudaMemcpyToSymbol(table, &seven, 4, 4, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaGetSymbolAddress(&address, table));
  EXPECT_EQ(7, read(static_cast<int *>(address) + 1));
  EXPECT_OK(cudaGetSymbolSize(&bytes, table));
  EXPECT_EQ(16u, bytes);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, host, 4, 13));
  EXPECT_CUDA(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host, host, 4, 0));
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection,
              cudaMemcpyToSymbol(table, host, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaMemcpyToSymbol(table, tableInitial, 16, 0, cudaMemcpyHostToDevice));
}

// Launches.

TEST_F(CudartTest, RunsTheKernelOfTheStub) {
  EXPECT_OK(launch(addStub, 3, 5, number, 2));
  EXPECT_EQ(30, read(number));
}

TEST_F(CudartTest, PacksArgumentsOfAllSizes) {
  double *to = allocate<double>(4);
  char a = -3;
  double b = 0.5;
  short c = 1000;
  Odd d = {{0, 0, 0, 0, 9}};
  void *arguments[] = {&to, &a, &b, &c, &d};
  EXPECT_OK(cudaLaunchKernel(&gatherStub, 1, 1, arguments, 0, nullptr));
  EXPECT_EQ(-3, read(to));
  EXPECT_EQ(0.5, read(to + 1));
  EXPECT_EQ(1000, read(to + 2));
  EXPECT_EQ(9, read(to + 3));
}

TEST_F(CudartTest, KeepsWhatTheBracketsSay) {
  dim3 grid, block;
  size_t shared;
  cudaStream_t into;
  EXPECT_CUDA(cudaErrorMissingConfiguration,
              __cudaPopCallConfiguration(&grid, &block, &shared, &into));
  EXPECT_EQ(0u, __cudaPushCallConfiguration({1, 2, 3}, 4, 5, stream));
  EXPECT_EQ(0u, __cudaPushCallConfiguration(6, 7, 8, nullptr));
  EXPECT_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &into));
  EXPECT_EQ(6u, grid.x);
  EXPECT_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &into));
  EXPECT_EQ(3u, grid.z);
  EXPECT_EQ(4u, block.x);
  EXPECT_EQ(5u, shared);
  EXPECT_EQ(stream, into);
}

TEST_F(CudartTest, RefusesShapesThatHardwareCannotRun) {
  const dim3 one = 1;
  for (dim3 grid : {dim3(0), dim3(1, 65536), dim3(1, 1, 65536), dim3(0x80000000u)})
    EXPECT_CUDA(cudaErrorInvalidValue, launch(setStub, grid, one, number));
  for (dim3 block : {dim3(0), dim3(1025), dim3(1, 1025), dim3(1, 1, 65), dim3(64, 32)})
    EXPECT_CUDA(cudaErrorInvalidValue, launch(setStub, one, block, number));
  EXPECT_OK(launch(setStub, one, 1024, number, 5));
  EXPECT_CUDA(cudaErrorInvalidValue, launch(boundedStub, one, 257, number));
  EXPECT_OK(launch(boundedStub, one, 256, number));
}

TEST_F(CudartTest, SharedMemoryNeedsPermission) {
  EXPECT_OK(launch(shapeStub, {2, 3}, 4, number, 0, 49152));
  EXPECT_EQ(2, read(number));
  EXPECT_EQ(3, read(number + 1));
  EXPECT_EQ(4, read(number + 2));
  EXPECT_EQ(49152, read(number + 3));
  EXPECT_CUDA(cudaErrorInvalidValue, launch(shapeStub, 1, 1, number, 0, 49153));
  EXPECT_OK(cudaFuncSetAttribute(&shapeStub, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  EXPECT_OK(launch(shapeStub, 1, 1, number, 0, 232448));
  EXPECT_CUDA(cudaErrorInvalidValue, launch(shapeStub, 1, 1, number, 0, 232449));
  EXPECT_OK(cudaFuncSetAttribute(&shapeStub, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152));
  EXPECT_CUDA(cudaErrorInvalidValue, launch(staticStub, 1, 1, number, 0, 32769));
  EXPECT_CUDA(
      cudaErrorInvalidValue,
      cudaFuncSetAttribute(&staticStub, cudaFuncAttributeMaxDynamicSharedMemorySize, 216065));
}

TEST_F(CudartTest, ClustersDivideTheGrid) {
  EXPECT_OK(launchCluster(shapeStub, 4, 2, number));
  EXPECT_EQ(2, read(number + 4));
  EXPECT_CUDA(cudaErrorInvalidClusterSize, launchCluster(shapeStub, 3, 2, number));
  EXPECT_CUDA(cudaErrorInvalidClusterSize, launchCluster(shapeStub, 16, 16, number));
  EXPECT_OK(cudaFuncSetAttribute(&shapeStub, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  EXPECT_OK(launchCluster(shapeStub, 16, 16, number));
  EXPECT_OK(cudaFuncSetAttribute(&shapeStub, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
}

TEST_F(CudartTest, AKernelMayRequireItsCluster) {
  EXPECT_OK(launch(clusterStub, 4, 32, number));
  EXPECT_EQ(2, read(number + 4));
  EXPECT_CUDA(cudaErrorInvalidClusterSize, launch(clusterStub, 3, 32, number));
  EXPECT_CUDA(cudaErrorInvalidClusterSize, launchCluster(clusterStub, 4, 4, number));
  EXPECT_OK(launchCluster(clusterStub, 4, 2, number));
}

TEST_F(CudartTest, ACooperativeGridMustFit) {
  int value = 1;
  void *arguments[] = {&number, &value};
  EXPECT_CUDA(cudaErrorCooperativeLaunchTooLarge,
              cudaLaunchCooperativeKernel(&setStub, 265, 1024, arguments, 0, nullptr));
  EXPECT_OK(cudaLaunchCooperativeKernel(&setStub, 4, 32, arguments, 0, nullptr));
}

TEST_F(CudartTest, NamesKernelsThatAreNotThere) {
  EXPECT_CUDA(cudaErrorInvalidDeviceFunction, launch(lostStub, 1, 1, number));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, launch(host[0], 1, 1, number));
  EXPECT_CUDA(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaLaunchKernel(&setStub, 1, 1, nullptr, 0, nullptr));
}

TEST_F(CudartTest, AHandleIsAsGoodAsTheStub) {
  cudaKernel_t kernel;
  cudaFunction_t function;
  int value = 11;
  void *arguments[] = {&number, &value};
  EXPECT_OK(cudaGetKernel(&kernel, &setStub));
  EXPECT_OK(cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr));
  EXPECT_EQ(11, read(number));
  value = 12;
  EXPECT_OK(cudaGetFuncBySymbol(&function, &setStub));
  EXPECT_EQ(CUDA_SUCCESS,
            cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(12, read(number));
}

TEST_F(CudartTest, SaysWhatAKernelIsLike) {
  cudaFuncAttributes attributes;
  EXPECT_OK(cudaFuncGetAttributes(&attributes, &staticStub));
  EXPECT_EQ(16384u, attributes.sharedSizeBytes);
  EXPECT_EQ(32768, attributes.maxDynamicSharedSizeBytes);
  EXPECT_EQ(1024, attributes.maxThreadsPerBlock);
  EXPECT_EQ(90, attributes.ptxVersion);
  EXPECT_EQ(90, attributes.binaryVersion);
  EXPECT_OK(cudaFuncGetAttributes(&attributes, &clusterStub));
  EXPECT_EQ(100, attributes.ptxVersion);
  int blocks;
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &staticStub, 128, 10000));
  EXPECT_EQ(8, blocks);
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &shapeStub, 1024, 0));
  EXPECT_EQ(2, blocks);
}

// Failures.

TEST_F(CudartTest, ALastErrorIsSaidOnce) {
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset(host, 0, 4));
  EXPECT_OK(cudaMemset(number, 0, 4));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaPeekAtLastError());
  std::thread([] { EXPECT_OK(cudaGetLastError()); }).join();
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_OK(cudaGetLastError());
}

TEST_F(CudartTest, AFailedLaunchIsSaidUntilTheReset) {
  const std::pair<Outcome, const char *> answers[] = {
      {Outcome::illegalAddress, "cudaErrorIllegalAddress"},
      {Outcome::misalignedAddress, "cudaErrorMisalignedAddress"},
      {Outcome::illegalInstruction, "cudaErrorIllegalInstruction"},
      {Outcome::neverEnds, "cudaErrorLaunchTimeout"},
      {Outcome::assertFailed, "cudaErrorAssert"},
      {Outcome::trapped, "cudaErrorLaunchFailure"}};
  for (auto [outcome, name] : answers) {
    void *address;
    int count;
    EXPECT_OK(launchFault(outcome)); // it is not known yet
    EXPECT_STREQ(name, cudaGetErrorName(cudaGetLastError()));
    EXPECT_STREQ(name, cudaGetErrorName(cudaDeviceSynchronize()));
    EXPECT_STREQ(name, cudaGetErrorName(cudaMalloc(&address, 4)));
    EXPECT_STREQ(name, cudaGetErrorName(cudaMemcpy(host, number, 4, cudaMemcpyDefault)));
    EXPECT_OK(cudaGetDeviceCount(&count));
    EXPECT_OK(cudaDeviceReset());
    EXPECT_OK(cudaMalloc(&address, 4));
  }
  cudaGetLastError();
}

TEST_F(CudartTest, NothingRunsAfterAFailure) {
  EXPECT_OK(launchFault(Outcome::trapped));
  EXPECT_CUDA(cudaErrorLaunchFailure, launch(setStub, 1, 1, number, 5));
  EXPECT_EQ(0, *number);
}

TEST_F(CudartTest, ErrorsHaveTheirTexts) {
  EXPECT_STREQ("an illegal memory access was encountered",
               cudaGetErrorString(cudaErrorIllegalAddress));
  EXPECT_STREQ("no error", cudaGetErrorString(cudaSuccess));
  EXPECT_STREQ("unrecognized error code", cudaGetErrorString(cudaError_t(5000)));
  const char *name;
  EXPECT_EQ(CUDA_SUCCESS, cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name));
  EXPECT_STREQ("CUDA_ERROR_OUT_OF_MEMORY", name);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(CUresult(5000), &name));
}

// Streams and events.

void increment(void *data) { ++*static_cast<int *>(data); }

TEST_F(CudartTest, StreamsDoTheirWorkInOrder) {
  int calls = 0;
  EXPECT_OK(launch(setStub, 1, 1, number, 5, 0, stream));
  EXPECT_OK(cudaMemcpyAsync(host, number, 4, cudaMemcpyDeviceToHost, stream));
  EXPECT_OK(cudaLaunchHostFunc(stream, increment, &calls));
  EXPECT_OK(cudaStreamQuery(stream));
  EXPECT_EQ(5, *reinterpret_cast<int *>(host));
  EXPECT_EQ(1, calls);
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
  EXPECT_OK(launch(setStub, 1, 1, number, 6, 0, cudaStreamPerThread));
  EXPECT_OK(cudaStreamSynchronize(cudaStreamLegacy));
}

TEST_F(CudartTest, EventsMeasureTime) {
  cudaEvent_t later;
  float milliseconds;
  EXPECT_OK(cudaEventCreate(&later));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, event, later));
  EXPECT_OK(cudaEventRecord(event, stream));
  EXPECT_OK(launch(addStub, 100, 32, number, 1, 0, stream));
  EXPECT_OK(cudaEventRecord(later, stream));
  EXPECT_OK(cudaEventSynchronize(later));
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, event, later));
  EXPECT_GT(milliseconds, 0);
}

TEST_F(CudartTest, SeveralThreadsMayCall) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k)
        EXPECT_OK(launch(addStub, 1, 1, number + i, 1));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(20, read(number + i));
}

// Captures and graphs.

TEST_F(CudartTest, CapturedWorkIsDoneWhenLaunched) {
  int calls = 0;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_OK(cudaMemsetAsync(number, 0, 4, stream));
  EXPECT_OK(launch(addStub, 1, 4, number, 10, 0, stream)); // its arguments are gone later
  EXPECT_OK(cudaMemcpyAsync(host, number, 4, cudaMemcpyDeviceToHost, stream));
  EXPECT_OK(cudaLaunchHostFunc(stream, increment, &calls));
  EXPECT_OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(0, calls);
  EXPECT_EQ(0, read(number));
  EXPECT_OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_OK(cudaGraphDestroy(graph));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_OK(cudaGraphLaunch(exec, stream));
    EXPECT_OK(cudaStreamSynchronize(stream));
    EXPECT_EQ(40, *reinterpret_cast<int *>(host));
    EXPECT_EQ(i, calls);
  }
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
}

TEST_F(CudartTest, EventsLeadACaptureToOtherStreams) {
  cudaEvent_t joined;
  cudaGraph_t graph;
  size_t nodes, edges, roots;
  EXPECT_OK(cudaEventCreate(&joined));
  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, stream));
  EXPECT_OK(cudaEventRecord(event, stream));
  EXPECT_OK(cudaStreamWaitEvent(other, event, 0));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, other));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, stream));
  EXPECT_OK(cudaEventRecord(joined, other));
  EXPECT_OK(cudaStreamWaitEvent(stream, joined, 0));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, stream));
  EXPECT_CUDA(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));

  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_OK(cudaEventRecord(event, stream));
  EXPECT_OK(cudaStreamWaitEvent(other, event, 0));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, other));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, stream));
  EXPECT_OK(cudaEventRecord(joined, other));
  EXPECT_OK(cudaStreamWaitEvent(stream, joined, 0));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, stream));
  EXPECT_OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT_EQ(3u, nodes);
  EXPECT_EQ(2u, edges);
  EXPECT_EQ(2u, roots);
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, other)); // no longer captured
  EXPECT_EQ(1, read(number));
}

TEST_F(CudartTest, WorkThatNobodyWaitsForSpoilsACapture) {
  cudaGraph_t graph;
  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_OK(cudaEventRecord(event, stream));
  EXPECT_OK(cudaStreamWaitEvent(other, event, 0));
  EXPECT_OK(launch(addStub, 1, 1, number, 1, 0, other));
  EXPECT_CUDA(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(nullptr, graph);
}

TEST_F(CudartTest, CallsThatWaitSpoilACapture) {
  void *address;
  const std::pair<const char *, std::function<cudaError_t()>> calls[] = {
      {"cudaErrorStreamCaptureUnsupported", [&] { return cudaStreamSynchronize(stream); }},
      {"cudaErrorStreamCaptureUnsupported", [&] { return cudaStreamSynchronize(other); }},
      {"cudaErrorStreamCaptureUnsupported", [&] { return cudaDeviceSynchronize(); }},
      {"cudaErrorStreamCaptureUnsupported", [&] { return cudaMalloc(&address, 4); }},
      {"cudaErrorStreamCaptureUnsupported",
       [&] { return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0); }},
      {"cudaErrorStreamCaptureImplicit", [&] { return cudaMemset(number, 0, 4); }},
      {"cudaErrorStreamCaptureImplicit", [&] { return launch(setStub, 1, 1, number); }},
      {"cudaErrorInvalidValue", [&] { return launch(setStub, 0, 1, number, 0, 0, stream); }}};
  for (auto &[answer, call] : calls) {
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_STREQ(answer, cudaGetErrorName(call()));
    EXPECT_OK(cudaStreamIsCapturing(stream, &status));
    EXPECT_EQ(cudaStreamCaptureStatusInvalidated, status);
    EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  }
}

TEST_F(CudartTest, GraphsCanBePutTogetherByHand) {
  int value = 3;
  void *arguments[] = {&number, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = &addStub, kernel.kernelParams = arguments;
  kernel.gridDim = kernel.blockDim = 1;
  cudaGraph_t graph;
  cudaGraphNode_t adding, copying;
  cudaGraphExec_t exec;
  EXPECT_OK(cudaGraphCreate(&graph, 0));
  // Copying comes first here, but waits.
  EXPECT_OK(cudaGraphAddMemcpyNode1D(&copying, graph, nullptr, 0, host, number, 4,
                                     cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaGraphAddKernelNode(&adding, graph, nullptr, 0, &kernel));
  EXPECT_OK(cudaGraphAddDependencies(graph, &adding, &copying, nullptr, 1));
  EXPECT_OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_EQ(3, *reinterpret_cast<int *>(host));
  value = 5;
  EXPECT_OK(cudaGraphExecKernelNodeSetParams(exec, adding, &kernel));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_EQ(8, *reinterpret_cast<int *>(host));
  EXPECT_OK(cudaGraphAddDependencies(graph, &copying, &adding, nullptr, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
}

TEST_F(CudartTest, AGraphGivesAnotherNewArguments) {
  cudaGraph_t graphs[2];
  cudaGraphExec_t exec;
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT_OK(launch(addStub, 1, 1, number, i + 1, 0, stream));
    EXPECT_OK(cudaStreamEndCapture(stream, &graphs[i]));
  }
  cudaGraphExecUpdateResultInfo info;
  EXPECT_OK(cudaGraphInstantiate(&exec, graphs[0], 0));
  EXPECT_OK(cudaGraphExecUpdate(exec, graphs[1], &info));
  EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
  EXPECT_OK(cudaGraphLaunch(exec, stream));
  EXPECT_EQ(2, read(number));
}

// The device and the driver.

TEST_F(CudartTest, TheDeviceLooksLikeAnH200) {
  int count, value;
  cudaDeviceProp properties;
  EXPECT_OK(cudaGetDeviceCount(&count));
  EXPECT_EQ(1, count);
  EXPECT_OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(9, properties.major);
  EXPECT_EQ(132, properties.multiProcessorCount);
  EXPECT_EQ(232448u, properties.sharedMemPerBlockOptin);
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0));
  EXPECT_EQ(1, value);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, cudaDeviceAttr(200), 0));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaSetDevice(1));
}

TEST_F(CudartTest, SetsL2Aside) {
  size_t bytes = 0;
  for (auto [asked, expected] :
       {std::pair(1u, 3932160u), {19660800, 19660800}, {39321600, 39321600}}) {
    EXPECT_OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, asked));
    EXPECT_EQ(CUDA_SUCCESS, cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    EXPECT_EQ(expected, bytes);
  }
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 78643200));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxResetPersistingL2Cache());
  EXPECT_OK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
  EXPECT_EQ(0u, bytes);
}

TEST_F(CudartTest, ALaunchHasAWindowInL2) {
  cudaLaunchAttribute window = {};
  window.id = cudaLaunchAttributeAccessPolicyWindow;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = &window;
  config.numAttrs = 1;
  auto launchWith = [&](size_t bytes, float share) {
    window.val.accessPolicyWindow = {number, bytes, share, cudaAccessPropertyPersisting,
                                     cudaAccessPropertyStreaming};
    int value = 7;
    void *arguments[] = {&number, &value};
    return cudaLaunchKernelExC(&config, &setStub, arguments);
  };
  EXPECT_OK(launchWith(134217728, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, launchWith(134217729, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, launchWith(4096, 1.5f));
}

TEST_F(CudartTest, FindsTheDriversFunctions) {
  void *function;
  cudaDriverEntryPointQueryResult status;
  EXPECT_OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                             cudaEnableDefault, &status));
  EXPECT_EQ(reinterpret_cast<void *>(cuTensorMapEncodeTiled), function);
  EXPECT_EQ(cudaDriverEntryPointSuccess, status);
  EXPECT_OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 11000,
                                             cudaEnableDefault, &status));
  EXPECT_EQ(nullptr, function);
  EXPECT_EQ(cudaDriverEntryPointVersionNotSufficent, status);
  EXPECT_OK(
      cudaGetDriverEntryPointByVersion("cuNope", &function, 12000, cudaEnableDefault, &status));
  EXPECT_EQ(cudaDriverEntryPointSymbolNotFound, status);
}

TEST_F(CudartTest, EncodesTensorMaps) {
  CUtensorMap map;
  cuuint64_t extents[] = {64, 32}, strides[] = {256};
  cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  auto encode = [&] {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, number, extents,
                                  strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT_EQ(CUDA_SUCCESS, encode());
  ASSERT_TRUE(isTensorMap(&map));
  TensorMap read;
  std::memcpy(static_cast<void *>(&read), &map, sizeof map);
  EXPECT_EQ(uint64_t(number), read.address);
  EXPECT_EQ(32u, read.extents[1]);
  EXPECT_EQ(CUDA_SUCCESS, cuTensorMapReplaceAddress(&map, number + 4));
  strides[0] = 250;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, encode());
}

TEST_F(CudartTest, TheDriverHasTheSameMemory) {
  CUdeviceptr address;
  int value = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuMemAlloc(&address, 16));
  EXPECT_EQ(CUDA_SUCCESS, cuMemsetD32(address, 77, 4));
  EXPECT_EQ(CUDA_SUCCESS, cuMemcpyDtoH(&value, address + 12, 4));
  EXPECT_EQ(77, value);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(address + 2, 0, 1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(address, host, 17));
  EXPECT_OK(cudaGetLastError()); // the driver's errors are its own
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree(address));
}

} // namespace
