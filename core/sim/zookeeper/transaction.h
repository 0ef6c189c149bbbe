// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/zookeeper/tree.h"

#include <map>

namespace lockscope::sim {

/// Where a request came in, so that the server there answers it.
struct ZkOrigin {
    int server = 0;                ///< its number; 0: nobody waits for an answer
    std::uint64_t connection = 0;  ///< at that server
    std::uint64_t incarnation = 0; ///< of that server's time as a leader or follower
};

/// A transaction as the leader proposes it, and every server carries it out.
struct ZkTxn {
    enum class Kind : std::uint8_t { Changes, NewSession, EndSession };
    Kind kind = Kind::Changes;
    ZkTransaction zxid = 0;
    std::int64_t timeMs = 0; ///< the leader's wall clock
    ZkSessionId session = 0;
    std::int64_t timeoutMs = 0; ///< of NewSession
    int code = ZkCode::kOk;
    std::vector<ZkChange> changes;   ///< none when it failed
    std::vector<ZkOpResult> results; ///< of each step; the stats are filled in by the server that answers
    std::vector<int> changeOf;       ///< by result: the number of its change, -1 = none
    ZkOrigin origin;
};

/// The result of all transactions together: the same on every server that knows as many of them.
struct ZkState {
    ZkTree tree;
    std::map<ZkSessionId, std::int64_t> sessions; ///< time-outs, ms
    ZkTransaction zxid = 0;

    /// Carries out the next transaction. Fills in the stats of its results.
    void apply(ZkTxn& txn, const ZkTree::Told& told = nullptr);
};

/// A login that a client has given, and what its requests are judged by.
struct ZkLogins {
    std::vector<QByteArray> digests; ///< "user:password"
    bool superuser = false;
    bool allows(const ZkAcl& acl, int permission) const;
    /// The access list as it is stored; nullopt: it names a login of the client, who has none, or is empty.
    std::optional<ZkAcl> resolve(const ZkAcl& acl) const;
};

/// Judges requests against everything proposed so far, and turns them into transactions, as the leader does.
class ZkPreparer {
public:
    /// Whether nodes with a time-to-live may be made (zookeeper.extendedTypesEnabled).
    explicit ZkPreparer(bool extendedTypes = false) : m_extendedTypes(extendedTypes) {}
    /// Begins with what the new leader knows.
    void begin(const ZkState& state) { m_state = state; }
    const ZkState& state() const { return m_state; }

    /// Each of them takes the given zxid, whatever becomes of it.
    ZkTxn prepare(const ZkRequest& request, ZkSessionId session, const ZkLogins& logins, ZkTransaction zxid,
                  std::int64_t timeMs);
    ZkTxn newSession(ZkSessionId session, std::int64_t timeoutMs, ZkTransaction zxid, std::int64_t timeMs);
    ZkTxn endSession(ZkSessionId session, ZkTransaction zxid, std::int64_t timeMs);
    /// The server itself removes a container or a node whose time-to-live is over.
    ZkTxn removeDue(const QByteArray& path, ZkTransaction zxid, std::int64_t timeMs);
    /// An operator's, whom no access list stops.
    ZkTxn command(const ZkRequest& request, ZkTransaction zxid, std::int64_t timeMs);
    /// One that failed before it was looked at.
    ZkTxn failed(int code, ZkSessionId session, ZkTransaction zxid, std::int64_t timeMs);

private:
    void steps(const ZkRequest& request, ZkSessionId session, const ZkLogins& logins, ZkTxn& txn);
    int step(const ZkOp& op, ZkSessionId session, const ZkLogins& logins, ZkTxn& txn);
    int create(const ZkOp& op, ZkSessionId session, const ZkLogins& logins, ZkTxn& txn);
    void take(ZkTxn& txn, ZkChange change);
    ZkTxn begun(ZkTxn::Kind kind, ZkSessionId session, ZkTransaction zxid, std::int64_t timeMs);

    bool m_extendedTypes;
    ZkState m_state;
};

} // namespace lockscope::sim
