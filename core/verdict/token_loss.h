// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

namespace lockscope::verdict {

/// Which servers lost the newest tokens, or which one took over without them, between the grant of such a token at row
/// `given` and a violation of their order; empty: none did. `length`: of the violation, by which instants are rounded.
/// Translated.
QString tokensLostText(std::size_t given, const Violation& violation, Nanos length, const trace::Trace& trace);

} // namespace lockscope::verdict
