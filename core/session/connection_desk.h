// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/same_client.h"
#include "inspect/server_line.h"
#include "session/session.h"

#include <QObject>
#include <map>
#include <memory>

namespace lockscope::session {

class AlertDesk;

/// Whether level and words are equal.
inline bool operator==(const Health& a, const Health& b) {
    return a.level == b.level && a.text == b.text && a.brief == b.brief;
}

/// One of the connections of a session that watches servers.
struct ConnectionFacts {
    trace::EntityId id = trace::kNoEntity;    ///< in the session's trace, see trace/connection.h
    QString name;                             ///< "shop-redis"
    QString url;                              ///< as it may be shown: without a password
    QString kind;                             ///< "Redis 7.0.15 · master"
    std::vector<inspect::ServerLine> servers; ///< as far as they tell of themselves
    QString topology;                         ///< "master + 2 replicas"; empty: `kind` says it
    QString watching;                         ///< how changes are heard of: "asks every 250 ms"; empty: not known yet
    Nanos failedOverAt{-1};                   ///< as an instant of the trace; -1: not since the session began
    Nanos backAt{-1}; ///< when it answered again after it had not, or began anew; as failedOverAt
    Health health{};
    bool open = true; ///< false: it was ended by hand; what was seen of it stays in the picture
    bool changesAllowed = false;
    double commandsPerSecond = 0; ///< our own, over the last seconds
    double share = 0;             ///< of the server's time that watching takes, 0…1
    double budget = 0;            ///< that it may take at most, 0…1
    int locks = 0, held = 0, waiting = 0;
    Nanos lookedAt{-1}; ///< the last look, as an instant of the trace; -1 = none yet
    Nanos period{};     ///< until the next look
    /// The last look at locks that lie on another server than the others and were looked at before them; nullptr: there
    /// are none.
    std::shared_ptr<const std::map<trace::EntityId, Nanos>> lookedAtBefore;
    friend bool operator==(const ConnectionFacts&, const ConnectionFacts&) = default;
};

/// From which age on what was seen over a connection is no longer what is.
Nanos oldAfter(const ConnectionFacts& connection);

/// A connection to be made.
struct ConnectionWish {
    QString name; ///< empty: named after its address
    QString url;  ///< may contain a password: neither to be shown nor to be kept
    bool changesAllowed = false;
};

/// The connections of a session that watches servers, as the window shows them, and what a person wants of them. Lives
/// on the GUI thread; the session hands over facts by take() and answers the wishes.
class ConnectionDesk : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// In the order in which they were made; those that were ended by hand stay until the session does.
    const std::vector<ConnectionFacts>& all() const { return m_all; }
    /// nullptr: there is none of that id.
    const ConnectionFacts* find(trace::EntityId id) const;
    /// How many are open.
    int openCount() const;

    /// Tells what is so now.
    void take(std::vector<ConnectionFacts> all);

    /// One more; complains through the session if the address is wrong, or open already.
    void add(const ConnectionWish& wish) { Q_EMIT addWanted(wish); }
    /// Another name, address or access for it. An address that is the shown one keeps its password.
    void edit(trace::EntityId id, const ConnectionWish& wish) { Q_EMIT editWanted(id, wish); }
    /// Ends it; its locks are not observed from then on.
    void end(trace::EntityId id) { Q_EMIT endWanted(id); }
    /// Ends it if it is open, and connects anew.
    void reconnect(trace::EntityId id) { Q_EMIT reconnectWanted(id); }
    void allowChanges(trace::EntityId id, bool allowed) { Q_EMIT changesWanted(id, allowed); }

    /// As Session::planRelease() and forceRelease(), of a lock on one of several servers, where a name is not enough.
    /// Both complain through the session.
    void planRelease(trace::EntityId lock) { Q_EMIT planWanted(lock); }
    void forceRelease(trace::EntityId lock) { Q_EMIT forceWanted(lock); }

    /// The rules by which names on several servers are one client; for holders and waiters that come from now on.
    const std::vector<inspect::ClientRule>& clientRules() const { return m_rules; }
    void setClientRules(std::vector<inspect::ClientRule> rules);

Q_SIGNALS:
    /// Some fact differs.
    void changed();
    /// Connections came or ended, or may be changed now or no more. Follows changed().
    void arranged();
    void addWanted(const lockscope::session::ConnectionWish& wish);
    void editWanted(lockscope::trace::EntityId id, const lockscope::session::ConnectionWish& wish);
    void endWanted(lockscope::trace::EntityId id);
    void reconnectWanted(lockscope::trace::EntityId id);
    void changesWanted(lockscope::trace::EntityId id, bool allowed);
    void planWanted(lockscope::trace::EntityId lock);
    void forceWanted(lockscope::trace::EntityId lock);
    /// The answer to planRelease(): what would be sent, line by line.
    void releasePlanned(lockscope::trace::EntityId lock, QStringList commands);
    /// clientRules() differ.
    void clientRulesWanted();

private:
    std::vector<ConnectionFacts> m_all;
    std::vector<inspect::ClientRule> m_rules = inspect::usualClientRules();
};

/// A session that watches servers. An interface of its own, since most sessions do not.
class ConnectionSource {
public:
    virtual ~ConnectionSource() = default;
    virtual ConnectionDesk* connectionDesk() = 0; ///< never null; lives as long as the session
};

/// The desk of a session; nullptr where there is no session, or none that watches servers.
ConnectionDesk* connectionDeskOf(Session* session);

/// Whether a lock may be taken from its holders here: the session can, and the lock's own connection allows it.
bool mayForce(Session* session, trace::EntityId lock);

/// The health of several connections in one sentence, by the worst one that is open.
Health healthOf(const std::vector<ConnectionFacts>& connections);

} // namespace lockscope::session

Q_DECLARE_INTERFACE(lockscope::session::ConnectionSource, "lockscope.session.ConnectionSource/1")
