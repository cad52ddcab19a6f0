//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One change to the source with which a refused copy would lift.
//
// A remedy is tried before it is offered: the copy relation is changed as the source
// would be, and offered is what the fit then takes. All of them keep what the program
// computes. If a change needs knowledge that only the user has, such as where a tensor
// ends, no remedy is offered, and the message alone has to suffice.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FIX_REMEDIES_H
#define TILELIFT_FIX_REMEDIES_H

#include "interpreter/CopyAnalysis.h"
#include "plan/Fit.h"

namespace tilelift {

std::optional<Remedy> findRemedy(const AnalysedCopy &copy, const KernelUnderTest &kernel,
                                 const FitOptions &options);

} // namespace tilelift

#endif
