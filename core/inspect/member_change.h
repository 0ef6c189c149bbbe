// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

namespace lockscope::inspect {

/// News of one member of an ensemble (ZooKeeper, etcd), seen between two looks. Nobody loses a lock by it as long as a
/// majority is there; it explains why the others were slow.
struct MemberChange {
    enum class What : std::uint8_t {
        Away,  ///< it answered before, and does not any more
        Back,  ///< it answers again
        Leads, ///< it leads, and another one did, or none
    };
    What what = What::Away;
    QByteArray address; ///< "host:port"
    friend bool operator==(const MemberChange&, const MemberChange&) = default;
};
/// "member-away", "member-back", "member-leads".
const char* nameOf(MemberChange::What what);

/// WatchedServerState::trouble of a member that others say is one, and that does not answer; a sentence.
QString doesNotAnswer();
/// Whether these are members of one ensemble: each of them knows all locks, and one leads.
bool isEnsemble(const std::vector<WatchedServerState>& servers);

/// Compares looks at an ensemble.
class MemberNews {
public:
    /// The changes since the last look that knew roles (while members elect a leader none has one), in the order of
    /// `now`; none at the first such look.
    std::vector<MemberChange> since(const std::vector<WatchedServerState>& now);

private:
    std::vector<WatchedServerState> m_before;
};

} // namespace lockscope::inspect
