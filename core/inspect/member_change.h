// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

namespace lockscope::inspect {

/// News of one member of an ensemble (ZooKeeper, etcd), or of a Redis Cluster whose slots move, seen between two looks.
/// Nobody loses a lock by it as long as a majority is there; it explains why the others were slow.
struct MemberChange {
    enum class What : std::uint8_t {
        Away,  ///< it answered before, and does not any more
        Back,  ///< it answers again
        Leads, ///< it leads, and another one did, or none
        Slots, ///< it has slots of a cluster that another master had, which goes on
    };
    What what = What::Away;
    QByteArray address;    ///< "host:port"
    QByteArray slots = {}; ///< those that it got: "448 5461-5470"
    QByteArray from = {};  ///< the address of the master that had them
    friend bool operator==(const MemberChange&, const MemberChange&) = default;
};
/// "member-away", "member-back", "member-leads", "slots-moved".
const char* nameOf(MemberChange::What what);

/// WatchedServerState::trouble of a member that others say is one, and that does not answer; a sentence.
QString doesNotAnswer();
/// The server that has become the master, and the one whose place it has taken, where that is what happened; by their
/// addresses.
std::optional<std::pair<QByteArray, QByteArray>> successionIn(const LockReport& report);
/// Whether these are members of one ensemble: each of them knows all locks, and one leads.
bool isEnsemble(const std::vector<WatchedServerState>& servers);

/// Compares looks at an ensemble.
class MemberNews {
public:
    /// The changes since the last look that knew roles (while members elect a leader none has one), in the order of
    /// `now`; none at the first such look. In a cluster: since the last one that knew slots.
    std::vector<MemberChange> since(const std::vector<WatchedServerState>& now);

private:
    std::vector<WatchedServerState> m_before;
};

} // namespace lockscope::inspect
