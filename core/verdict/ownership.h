// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"
#include "verdict/ledger.h"

namespace lockscope::verdict {

/// A client freed, overwrote or renewed a hold of another client. Not violations: freeing by force (that is asked for),
/// and overwriting a hold whose own deadline has passed. Where the record does not say who did it, nothing is claimed.
class OwnershipJudge {
public:
    explicit OwnershipJudge(Ledger& ledger) : m_ledger(ledger) {}

    /// A row, before it is folded into `state`.
    void look(const Row& row, const trace::State& state);
    bool sawRecord() const { return m_sawRecord; }
    /// Since when the record of a watched server could not be seen for some time, and whatever happened then is not
    /// known; kNever: it always could.
    Nanos gapSince() const { return m_gapSince; }

private:
    Ledger& m_ledger;
    bool m_sawRecord = false;
    Nanos m_gapSince = kNever;
};

} // namespace lockscope::verdict
