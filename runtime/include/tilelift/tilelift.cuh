//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lifted file includes: the device part always, the host part where
// there is a host (NVRTC has none).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TILELIFT_CUH
#define TILELIFT_TILELIFT_CUH

#include <tilelift/cluster.cuh>
#include <tilelift/device.cuh>
#include <tilelift/groups.cuh>
#include <tilelift/producer.cuh>
#include <tilelift/rows.cuh>
#include <tilelift/store.cuh>
#include <tilelift/version.h>
#ifndef __CUDACC_RTC__
#include <tilelift/known_kernels.cuh>
#endif

#endif
