// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/etcd/port.h"
#include "recipes/recipe.h"
#include "runtime/completion.h"

#include <map>

namespace lockscope::recipes {

/// A server's answer as a lock's error, with what it means for the lock.
LockError lockError(const etcd::Error& error);

/// The leases of one connection, and which keys of ours live under which.
///
/// What is to expire by itself has a lease of its own. What a watchdog keeps for as long as its process lives may as
/// well live and die with the process's other locks: those share a lease for each TTL, as the locks of one etcd session
/// do, so that ten thousand of them cost one keep-alive and a hundred small reads a period, and taking one asks for no
/// new lease. A key's name ends in its lease, so two places in one queue never share.
///
/// What a lease of its own gives for nothing is done by hand here, by whoever keeps the lease, whatever for: a key
/// whose owner no longer renews it is deleted when its time is over although the lease goes on, and so is one whose
/// putting or deleting was left without an answer, again and again: often at first, then once a TTL, because a server
/// that stood still may run a copy of that request after any time. Its name is not used a second time.
///
/// Of one thread, its runtime's.
class EtcdLeases final : public std::enable_shared_from_this<EtcdLeases> {
public:
    /// The port must live until end().
    explicit EtcdLeases(etcd::Port& port) : m_port(port) {}

    /// One lease.
    struct Term;
    /// A key of ours, put or about to be.
    struct Stand {
        std::shared_ptr<Term> term;
        QByteArray key;
        std::int64_t revision = 0; ///< at which it was created; 0: not known to be there
        bool doubtful = false;     ///< a request that puts it may still be on its way
        /// By when its owner last wanted it; kNever: its name is not to be used again.
        std::shared_ptr<Nanos> wanted;

        /// Of its lease: the number, whether other keys hang on it, too, and what the server grants at a time.
        std::int64_t lease() const;
        bool shared() const;
        Nanos ttl() const;
        bool leaseEnded() const; ///< as far as is known
        /// Own monotonic clock just before the last message that made the lease a full one.
        Nanos keptAt() const;
    };

    /// A key that begins with `prefix`, of a lease that is nearly full; nothing is put. `shared`: the lease may be
    /// others', too; only then `stop` is heard.
    Outcome<Stand> stand(QByteArray prefix, std::chrono::seconds ttl, bool shared, std::stop_token stop);
    /// Sees to it that the lease is nearly full. False = it has ended.
    Outcome<bool> keep(Stand stand, std::stop_token stop);
    /// A full lease again, if the key is still the one that was put; false = it is not, and nothing of it is left. Many
    /// at once share messages.
    Outcome<bool> renew(Stand stand, std::stop_token stop);
    /// Its owner still wants it.
    void touch(const Stand& stand);
    /// Its key is being deleted or was: what was put is not to be relied on.
    static bool barred(const Stand& stand) { return *stand.wanted == kNever; }
    /// Deletes the key of a shared lease that is held: false when it was gone already. After an error that goes on in
    /// the background.
    Outcome<bool> giveUp(Stand stand, std::stop_token stop);
    /// The key is not there, and never will be by a request of ours: its name is free.
    void left(const Stand& stand);
    /// The lease is known to have ended, in spite of all keeping.
    static void ended(const Stand& stand);
    /// Takes everything back, whether it was put or not; after an error in the background.
    QCoro::Task<> withdraw(Stand stand);
    /// The same, in the background alone.
    void abandon(const Stand& stand);

    /// So many holds may have a watch of their own.
    static constexpr int kMostListeners = 64;
    /// The place of one of them, while it lives.
    class Listener {
    public:
        explicit Listener(EtcdLeases& leases) : m_leases(leases) { ++m_leases.m_listeners; }
        ~Listener() { --m_leases.m_listeners; }
        Listener(const Listener&) = delete;
        Listener& operator=(const Listener&) = delete;
        /// Whether there was one left.
        bool allowed() const { return m_leases.m_listeners <= kMostListeners; }

    private:
        EtcdLeases& m_leases;
    };
    /// Recipe::onReconnect of all locks of the connection, told by those that listen.
    CallList& reconnects() { return m_reconnects; }
    /// A member that was away answers again.
    void back();

    /// Gives all shared leases back: what lives under them is free. After an error it is when they end.
    Outcome<void> close();
    /// No request after this.
    void end() { m_gone = true; }

private:
    struct Freshened;
    struct Renewed;
    struct Renewal;
    struct Round;
    using Self = std::shared_ptr<EtcdLeases>;
    using TermPtr = std::shared_ptr<Term>;

    TermPtr termFor(const QByteArray& prefix, std::chrono::seconds ttl);
    TermPtr makeTerm(std::chrono::seconds ttl, bool shared);
    bool nearlyFull(const Term& term) const;
    QCoro::Task<Freshened> freshen(TermPtr term, std::stop_token stop);
    static QCoro::Task<> fill(Self self, TermPtr term);
    QCoro::Task<Freshened> grant(TermPtr term);
    static QCoro::Task<> renewAll(Self self, TermPtr term);
    Outcome<bool> keepNow(TermPtr term);
    static QCoro::Task<> check(Self self, std::shared_ptr<Round> round, std::size_t begin, std::size_t end);
    void sweep(const TermPtr& term);
    static QCoro::Task<> scour(Self self, Stand stand);
    static QCoro::Task<> scourAgain(Self self, TermPtr term, std::vector<QByteArray> names);
    static QCoro::Task<> withdrawLater(Self self, Stand stand);

    etcd::Port& m_port;
    std::vector<TermPtr> m_shared;
    CallList m_reconnects;
    std::optional<Nanos> m_backAt; ///< when that was told last
    int m_listeners = 0;
    bool m_gone = false;
};

struct EtcdLeases::Freshened {
    std::optional<LockError> error;
    bool ended = false;
};
struct EtcdLeases::Renewed {
    std::optional<LockError> error;
    bool held = false;
};
struct EtcdLeases::Renewal {
    QByteArray key;
    std::int64_t revision = 0;
    Completion<Renewed> answer;
};

/// Renewals under one lease that go together, and what came of each.
struct EtcdLeases::Round {
    std::vector<Renewal> all;
    std::vector<Renewed> found;
};

struct EtcdLeases::Term {
    std::int64_t id = 0;
    std::chrono::seconds wanted{};
    bool shared = false;
    Nanos ttl{}; ///< as granted; 0: not yet
    Nanos keptAt{}, sweptAt{}, scouredAt{};
    bool ended = false, freshening = false, renewalDue = false;
    std::map<QByteArray, std::shared_ptr<Nanos>> keys; ///< with Stand::wanted
    std::vector<Completion<Freshened>> waiting;
    std::vector<Renewal> renewals; ///< to go together
};

inline std::int64_t EtcdLeases::Stand::lease() const {
    return term->id;
}
inline bool EtcdLeases::Stand::shared() const {
    return term->shared;
}
inline Nanos EtcdLeases::Stand::ttl() const {
    return term->ttl;
}
inline bool EtcdLeases::Stand::leaseEnded() const {
    return term->ended;
}
inline Nanos EtcdLeases::Stand::keptAt() const {
    return term->keptAt;
}

} // namespace lockscope::recipes
