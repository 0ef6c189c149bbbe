// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/kept_by.h"

#include <QString>

namespace lockscope::inspect {

/// The places that say what keeps a hold which has no lease.
enum class KeptByUse : std::uint8_t {
    TimeLeft,      ///< a column of times left, and a ring of 14 letters
    Renewal,       ///< a column of renewals
    RenewalInFull, ///< a form's line about renewals
    NoLease,       ///< a sentence that explains the empty time left
    Margin,        ///< a word at the edge of a lane
    Record,        ///< "held by %1, …"
    Sentence,      ///< "%1 is held by %2, …: %3"
    Line,          ///< a line of text beside the holder
    End,           ///< what ends the hold
};

/// The words of that place about a hold; empty where it has none for that, so that the caller's own stand.
QString keptByText(KeptBy by, KeptByUse use);

} // namespace lockscope::inspect
