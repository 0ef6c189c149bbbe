// SPDX-License-Identifier: Apache-2.0
#include "recipes/etcd/etcd_leases.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::recipes {

using etcd::Operation;
using State = EtcdLeases::Mark::State;

namespace {

/// A lease counts as full until this part of it is over.
constexpr int kFullPart = 8;
/// Operations that the server takes in one transaction: 128 by default.
constexpr std::size_t kAtOnce = 100;
/// Keys under one lease: its end deletes all of them in one go of the server.
constexpr std::size_t kMostKeys = 10'000;
/// How long the first of several renewals waits for the others.
constexpr Nanos kGathering = 1ms;
/// Beyond its TTL, before a key that nobody renews is deleted.
constexpr Nanos kGrace = 1s;
/// Before the first deletion of a doubtful key; each later pause is twice as long, up to the TTL.
constexpr Nanos kFirstPause = 500ms;

LockError closedError() {
    return {LockError::Kind::Unreachable,
            QCoreApplication::translate("LockError", "The connection to etcd was closed meanwhile.")};
}

} // namespace

LockError lockError(const etcd::Error& error) {
    using Kind = etcd::Error::Kind;
    if (error.outcomeUnknown()) return {LockError::Kind::OutcomeUnknown, error.message};
    switch (error.kind) {
    case Kind::Unreachable:
    case Kind::ConnectTimeout:
    case Kind::TlsFailed:
    case Kind::Protocol:
        return {LockError::Kind::Unreachable, error.message};
    case Kind::WrongUrl:
        return {LockError::Kind::InvalidArgument, error.message};
    default: // a wrong login among others: nobody gets over it by trying again
        return {LockError::Kind::Refused, error.message};
    }
}

Operation readKey(QByteArray key) {
    etcd::Range range;
    range.key = std::move(key);
    return Operation::read(std::move(range));
}

struct EtcdLeases::Answer {
    std::optional<LockError> error;
    bool held = false; ///< the lease goes on; of a renewal: and the key is there
};
struct EtcdLeases::Renewal {
    QByteArray key;
    std::int64_t revision = 0;
    Completion<Answer> answer;
    Answer found;
};
/// One message that fills a lease, or asks for it, and everything that waits for its answer.
struct EtcdLeases::Round {
    std::vector<Renewal> renewals; ///< whose keys are looked at together; complete when the round has begun
    std::vector<Completion<Answer>> fillings;
    bool begun = false;
};

// --- leases ---
EtcdLeases::TermPtr EtcdLeases::makeTerm(std::chrono::seconds ttl, bool shared) {
    auto term = std::make_shared<Term>();
    term->id = static_cast<std::int64_t>(m_port.runtime().random() >> 1) | 1; // positive, never 0
    term->wanted = ttl;
    term->shared = shared;
    return term;
}

EtcdLeases::TermPtr EtcdLeases::termFor(const QByteArray& prefix, std::chrono::seconds ttl) {
    const Nanos now = m_port.runtime().monotonic();
    std::erase_if(m_shared, [&](const TermPtr& term) {
        return term->ended || (term->ttl > Nanos(0) && now >= term->keptAt + term->ttl);
    });
    for (const TermPtr& term : m_shared) {
        const bool free = !term->keys.contains(prefix + QByteArray::number(qlonglong(term->id), 16));
        if (term->wanted == ttl && free && term->keys.size() < kMostKeys) return term;
    }
    return m_shared.emplace_back(makeTerm(ttl, true));
}

Outcome<EtcdLeases::Stand> EtcdLeases::stand(QByteArray prefix, std::chrono::seconds ttl, bool shared,
                                             std::stop_token stop) {
    constexpr int kTries = 3;
    const std::stop_token heard = shared ? stop : std::stop_token();
    for (int tries = 1;; ++tries) {
        Stand stand;
        stand.term = shared ? termFor(prefix, ttl) : makeTerm(ttl, false);
        stand.key = prefix + QByteArray::number(qlonglong(stand.term->id), 16);
        stand.mark = stand.term->keys[stand.key] = std::make_shared<Mark>();
        touch(stand);
        Answer fresh;
        try {
            fresh = co_await freshen(stand.term, heard);
        } catch (const Cancelled&) {
            forget(stand);
            throw;
        }
        if (fresh.held) co_return stand;
        forget(stand);
        if (fresh.error) co_return std::unexpected(*fresh.error);
        if (tries == kTries)
            co_return std::unexpected(LockError{
                LockError::Kind::Refused,
                QCoreApplication::translate("LockError", "The server ends each lease as soon as it has granted it.")});
    }
}

void EtcdLeases::touch(const Stand& stand) {
    stand.mark->usedAt = m_port.runtime().monotonic();
}

Outcome<bool> EtcdLeases::keep(Stand stand, std::stop_token stop) {
    touch(stand);
    const Answer fresh = co_await freshen(stand.term, std::move(stop));
    if (fresh.error) co_return std::unexpected(*fresh.error);
    co_return fresh.held;
}

/// A full lease, by the round on its way if there is one.
QCoro::Task<EtcdLeases::Answer> EtcdLeases::freshen(TermPtr term, std::stop_token stop) {
    Answer answer;
    const bool full = term->ttl > Nanos(0) && m_port.runtime().monotonic() - term->keptAt < term->ttl / kFullPart;
    answer.held = full && !term->ended;
    if (full || term->ended) co_return answer;
    const Completion<Answer> mine;
    if (term->round)
        term->round->fillings.push_back(mine);
    else
        begin(term, {{}, {mine}, false});
    const std::optional<Answer> filled = co_await mine.wait(m_port.runtime(), kNever, std::move(stop));
    co_return *filled;
}

Outcome<bool> EtcdLeases::renew(Stand stand, std::stop_token stop) {
    touch(stand);
    const Completion<Answer> mine;
    const std::shared_ptr<Round> next = stand.term->round;
    Renewal renewal{stand.key, stand.revision, mine, {}};
    if (next && !next->begun)
        next->renewals.push_back(std::move(renewal));
    else
        begin(stand.term, {{std::move(renewal)}, {}, false});
    const std::optional<Answer> answer = co_await mine.wait(m_port.runtime(), kNever, std::move(stop));
    if (answer->error) co_return std::unexpected(*answer->error);
    if (answer->held) co_return true;
    if (stand.shared() && !stand.barred()) forget(stand);
    if (!stand.shared()) co_await withdraw(shared_from_this(), stand);
    co_return false;
}

/// The round runs by itself, because each of its callers may stop waiting.
void EtcdLeases::begin(const TermPtr& term, Round round) {
    term->round = std::make_shared<Round>(std::move(round));
    m_port.runtime().spawn([self = shared_from_this(), term, round = term->round] { return run(self, term, round); });
}

QCoro::Task<> EtcdLeases::run(Self self, TermPtr term, std::shared_ptr<Round> round) {
    // Others that ask within this time share the request.
    if (term->shared && round->fillings.empty()) co_await self->m_port.runtime().sleep(kGathering);
    round->begun = true;
    // The lease outlives a key that somebody has deleted by force. Asked together: their answers come together.
    const QCoro::Task<Answer> filling = self->fill(term);
    std::vector<QCoro::Task<>> checks;
    for (std::span rest(round->renewals); !rest.empty() && !self->m_gone;) {
        const std::span some = rest.first(std::min(rest.size(), kAtOnce));
        checks.push_back(self->check(some));
        rest = rest.subspan(some.size());
    }
    const Answer filled = co_await filling;
    for (const QCoro::Task<>& one : checks)
        co_await one;
    if (term->round == round) term->round = nullptr;
    // Keeping a lease alive keeps all keys under it, also the keys of dead owners.
    if (filled.held && !self->m_gone) self->sweep(term);
    for (const Renewal& one : round->renewals)
        one.answer.complete(filled.held ? one.found : filled);
    for (const Completion<Answer>& one : round->fillings)
        one.complete(filled);
}

QCoro::Task<EtcdLeases::Answer> EtcdLeases::fill(TermPtr term) {
    Answer answer;
    if (m_gone) answer.error = closedError();
    if (m_gone || term->ended) co_return answer;
    const Nanos askedAt = m_port.runtime().monotonic();
    if (term->ttl == Nanos(0)) {
        const auto granted = co_await m_port.grantLease(term->id, term->wanted);
        if (granted) {
            term->ttl = granted->granted;
            term->keptAt = term->sweptAt = askedAt;
        } else {
            answer.error = lockError(granted.error());
            term->ended = true;
            if (granted.error().outcomeUnknown() && !m_gone) co_await m_port.revokeLease(term->id);
        }
    } else {
        const auto kept = co_await m_port.keepAlive(term->id);
        if (!kept)
            answer.error = lockError(kept.error());
        else if (kept->ttl == Nanos(0))
            term->ended = true;
        else
            term->keptAt = std::max(term->keptAt, askedAt);
    }
    answer.held = !answer.error && !term->ended;
    co_return answer;
}

QCoro::Task<> EtcdLeases::check(std::span<Renewal> some) {
    etcd::Transaction all;
    for (const Renewal& one : some)
        all.ifAll.push_back({one.key, one.revision});
    // Without a read the member would answer by what it knows, which may be old.
    all.then.push_back(readKey(some.front().key));
    auto seen = co_await m_port.run(std::move(all));
    const bool allThere = seen && seen->succeeded;
    if (seen && !allThere && !m_gone) { // one of them at least is gone: which?
        etcd::Transaction each;
        for (const Renewal& one : some)
            each.then.push_back(readKey(one.key));
        seen = co_await m_port.run(std::move(each));
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
        Answer& found = some[i].found;
        const bool there = seen && i < seen->results.size() && !seen->results[i].keys.empty();
        if (!seen || (m_gone && !allThere))
            found.error = seen ? closedError() : lockError(seen.error());
        else
            found.held = allThere || (there && seen->results[i].keys.front().createRevision == some[i].revision);
    }
}

// --- keys ---
/// The key does not exist. Its name is free, unless a request of this client can still put or delete it.
void EtcdLeases::forget(const Stand& stand) {
    Term& term = *stand.term;
    const bool doubtful = term.shared && stand.doubtful;
    stand.mark->state = doubtful ? State::Doubtful : State::Gone;
    if (!doubtful) term.keys.erase(stand.key);
    if (!doubtful || m_gone || std::exchange(term.scoursSoon, true)) return;
    m_port.runtime().spawn(
        [self = shared_from_this(), whole = stand.term, number = ++term.scours] { return scour(self, whole, number); });
}

Outcome<bool> EtcdLeases::giveUp(Stand stand, std::stop_token stop) {
    // Once it was left, its name may be another lock's. Before that the key is this one's and nobody else's, so that it
    // need not be compared.
    if (stand.barred()) co_return false;
    const auto removed = co_await m_port.remove(stand.key, std::move(stop));
    // A copy on its way would delete whatever it finds.
    stand.doubtful = stand.doubtful || !removed || removed->repeated;
    if (!removed) {
        abandon(stand);
        co_return std::unexpected(lockError(removed.error()));
    }
    if (!stand.shared()) co_await withdraw(shared_from_this(), stand);
    if (!stand.barred()) forget(stand);
    // After a lost answer the key may be gone by our own first try.
    co_return removed->removed || removed->repeated;
}

QCoro::Task<> EtcdLeases::withdraw(Self self, Stand stand) {
    if (self->m_gone || stand.mark->state == State::Gone) co_return;
    if (!stand.shared()) {
        // Key and lease in one, and what comes late finds no lease; an error leaves what ends by itself.
        if (!stand.leaseEnded()) co_await self->m_port.revokeLease(stand.lease());
        co_return;
    }
    const bool mine = !stand.barred(); // else another call sees to the name
    const bool put = stand.revision != 0 || stand.doubtful;
    if (mine) stand.mark->state = State::Leaving;
    if (put) {
        const auto removed = co_await self->m_port.remove(stand.key);
        stand.doubtful = stand.doubtful || !removed || removed->repeated;
    }
    if (mine) self->forget(stand);
}

void EtcdLeases::abandon(const Stand& stand) {
    m_port.runtime().spawn([self = shared_from_this(), stand] { return withdraw(self, stand); });
}

/// Deletes keys whose owner has not been heard of for a whole TTL: under a lease of its own, such a key would have
/// ended.
void EtcdLeases::sweep(const TermPtr& term) {
    const Nanos now = m_port.runtime().monotonic();
    if (!term->shared || now - term->sweptAt < term->ttl / kFullPart) return;
    term->sweptAt = now;
    for (const auto& [key, mark] : term->keys) {
        if (mark->state != State::Used || now - mark->usedAt <= term->ttl + kGrace) continue;
        abandon({term, key, mark, 0, true}); // its owner may be in the middle of putting it
    }
}

/// Deletes the lease's doubtful keys again and again, because a member that stood still runs their requests when it
/// goes on. Ends when the lease does, or when a later one of its kind begins anew for a new key.
QCoro::Task<> EtcdLeases::scour(Self self, TermPtr term, unsigned number) {
    Runtime& runtime = self->m_port.runtime();
    for (Nanos pause = kFirstPause;; pause = std::min(pause * 2, term->ttl)) {
        co_await runtime.sleep(pause); // such a member tells nobody when it goes on
        const bool over = self->m_gone || term->ended || runtime.monotonic() > term->keptAt + term->ttl;
        if (over || number != term->scours) co_return;
        term->scoursSoon = false;
        std::vector<etcd::Transaction> all;
        std::size_t count = 0;
        for (const auto& [key, mark] : term->keys) {
            if (mark->state != State::Doubtful) continue;
            if (count++ % kAtOnce == 0) all.emplace_back();
            all.back().then.push_back(Operation::remove(key));
        }
        for (etcd::Transaction& some : all) {
            if (!self->m_gone) co_await self->m_port.run(std::move(some)); // after an error there is a next time
        }
    }
}

void EtcdLeases::back() {
    constexpr Nanos kOneReturn = 100ms; // within it several watches tell of the same
    const Nanos now = m_port.runtime().monotonic();
    if (m_backAt && now - *m_backAt < kOneReturn) return;
    m_backAt = now;
    m_reconnects.callSoon(m_port.runtime());
}

Outcome<void> EtcdLeases::close() {
    const Self self = shared_from_this();
    const std::vector<TermPtr> all = std::exchange(m_shared, {});
    std::optional<LockError> error;
    for (const TermPtr& term : all) {
        const bool over = self->m_gone || m_port.runtime().monotonic() > term->keptAt + term->ttl;
        const bool there = term->ttl > Nanos(0) && !std::exchange(term->ended, true) && !over;
        if (!there) continue;
        const auto revoked = co_await m_port.revokeLease(term->id);
        if (!revoked && !error) error = lockError(revoked.error());
    }
    if (error) co_return std::unexpected(*error);
    co_return {};
}

} // namespace lockscope::recipes
