//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which jobs Clang's driver makes of one command. A plugin runs in each of them, and a job does not
// say whether there are others: a device's job of `clang++ -c` and one of
// `clang++ --cuda-device-only -c` have the same arguments. So the command of the driver is read,
// where the system shows it; where it does not, a job counts as the only one.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLUGIN_DRIVERCOMMAND_H
#define TILELIFT_PLUGIN_DRIVERCOMMAND_H

namespace tilelift {

/// Is it known that the command that made this device's job compiles the file for the host, too?
bool isHostCompiledToo();

} // namespace tilelift

#endif
