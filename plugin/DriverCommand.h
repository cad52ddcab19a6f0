//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin runs in each job that Clang's driver makes of one command, and cannot see from its
// arguments whether the driver also compiles for the host: those of a device's job are the same
// with `clang++ -c` and `clang++ --cuda-device-only -c`. So the driver's command line is read from
// /proc. Where that cannot be read, the device's job is
// treated as the only one, and says everything.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLUGIN_DRIVERCOMMAND_H
#define TILELIFT_PLUGIN_DRIVERCOMMAND_H

namespace tilelift {

/// True if the driver is known to compile the file for the host, too.
bool isHostCompiledToo();

} // namespace tilelift

#endif
