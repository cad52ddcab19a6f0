//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and texts of errors, and the last error of each host thread.
//
// A launch that goes wrong is the last error at once, and what nearly all later
// calls answer until the device is reset. Real hardware is as strict, but says so
// only once the launch is over, which depends on the clock; here it is over when
// the launch returns, so the next call says it.
//===----------------------------------------------------------------------===//

#include "cudart/State.h"

#include <cuda.h>

namespace tilelift::emulator::cudart {

namespace {

thread_local cudaError_t lastError = cudaSuccess, errorBefore = cudaSuccess;

struct ErrorText {
  int number;
  const char *runtimeName, *driverName, *text;
};

constexpr ErrorText errorTexts[] = {
#define TILELIFT_ERROR(runtime, driver, text) {runtime, #runtime, driver, text},
#include "cudart/Errors.def"
};

const ErrorText *find(int number) {
  for (const ErrorText &entry : errorTexts)
    if (entry.number == number)
      return &entry;
  return nullptr;
}

} // namespace

cudaError_t remember(cudaError_t error) {
  errorBefore = lastError;
  if (error != cudaSuccess)
    lastError = error;
  return error;
}

cudaError_t forget(cudaError_t error) {
  lastError = errorBefore;
  return error;
}

cudaError_t errorOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::success: return cudaSuccess;
  case Outcome::illegalAddress: return cudaErrorIllegalAddress;
  case Outcome::misalignedAddress: return cudaErrorMisalignedAddress;
  case Outcome::illegalInstruction: return cudaErrorIllegalInstruction;
  case Outcome::neverEnds: return cudaErrorLaunchTimeout;
  case Outcome::assertFailed: return cudaErrorAssert;
  case Outcome::trapped:
  case Outcome::unsupported: return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

} // namespace tilelift::emulator::cudart

using namespace tilelift::emulator::cudart;

extern "C" {

cudaError_t cudaGetLastError() {
  cudaError_t error = lastError;
  lastError = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return lastError; }

const char *cudaGetErrorName(cudaError_t error) {
  const ErrorText *entry = find(error);
  return entry ? entry->runtimeName : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const ErrorText *entry = find(error);
  return entry ? entry->text : "unrecognized error code";
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  const ErrorText *entry = find(error);
  *name = entry ? entry->driverName : nullptr;
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const ErrorText *entry = find(error);
  *text = entry && entry->driverName ? entry->text : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // extern "C"
