// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "herd.h"
#include "trace/trace.h"
#include "verdict/verdict.h"

namespace lockscope::torture {

/// What is to be said of one run.
struct Ruling {
    std::shared_ptr<trace::Trace> trace; ///< of all processes together
    verdict::Verdict verdict;
    int acquisitions = 0, kills = 0, stops = 0, restarts = 0;
    int records = 0;        ///< what the server said of its locks
    int pausedBeliefs = 0;  ///< double beliefs of a client that was stopped for longer than its lease: allowed
    QStringList complaints; ///< what must not be; empty: all is well
    QStringList allowed;    ///< what may be, told
};

/// Merges the journals, judges the trace, and says what of it is allowed.
Ruling rule(const Subject& subject, const Plan& plan, const Chronicle& chronicle);

} // namespace lockscope::torture
