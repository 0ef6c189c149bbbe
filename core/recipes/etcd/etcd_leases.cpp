// SPDX-License-Identifier: Apache-2.0
#include "recipes/etcd/etcd_leases.h"

#include <QCoreApplication>

namespace lockscope::recipes {

using etcd::Operation;
using etcd::Range;
using etcd::Transaction;

namespace {

/// A lease counts as full until this part of it is over.
constexpr int kFullPart = 8;
/// Operations and comparisons that the server takes in one transaction: 128 by default.
constexpr std::size_t kAtOnce = 100;
/// Keys under one lease: its end deletes all of them in one go of the server.
constexpr std::size_t kMostKeys = 10'000;
/// How long the first of several renewals waits for the others.
constexpr Nanos kGathering = 1ms;
/// Beyond its TTL, before a key that nobody renews is deleted.
constexpr Nanos kGrace = 1s;
/// A request lives for at most seven seconds on a server. A key that one of unknown fate may yet put is deleted so
/// often, at pauses that double between these two.
constexpr int kTimesInDoubt = 6;
constexpr Nanos kFirstPause = 500ms, kLongestPause = 4s;

Range only(QByteArray key) {
    Range range;
    range.key = std::move(key);
    return range;
}

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
    case Kind::AuthFailed:
    case Kind::WrongUrl:
    case Kind::Protocol:
        return {LockError::Kind::Unreachable, error.message};
    default:
        return {LockError::Kind::Refused, error.message};
    }
}

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

bool EtcdLeases::nearlyFull(const Term& term) const {
    return term.ttl > Nanos(0) && m_port.runtime().monotonic() - term.keptAt < term.ttl / kFullPart;
}

Outcome<EtcdLeases::Stand> EtcdLeases::stand(QByteArray prefix, std::chrono::seconds ttl, bool shared,
                                             std::stop_token stop) {
    constexpr int kTries = 3;
    const std::stop_token heard = shared ? stop : std::stop_token();
    for (int tries = 1;; ++tries) {
        Stand stand;
        stand.term = shared ? termFor(prefix, ttl) : makeTerm(ttl, false);
        stand.key = prefix + QByteArray::number(qlonglong(stand.term->id), 16);
        stand.term->keys[stand.key] = m_port.runtime().monotonic();
        Freshened fresh;
        try {
            fresh = co_await freshen(stand.term, heard);
        } catch (const Cancelled&) {
            left(stand);
            throw;
        }
        if (!fresh.error && !fresh.ended) co_return stand;
        left(stand);
        if (fresh.error) co_return std::unexpected(*fresh.error);
        if (tries == kTries)
            co_return std::unexpected(LockError{
                LockError::Kind::Refused,
                QCoreApplication::translate("LockError", "The server ends each lease as soon as it has granted it.")});
    }
}

/// Whoever finds it too old has it filled; whoever comes meanwhile waits for that. On its own, because one who asks may
/// stop asking.
QCoro::Task<EtcdLeases::Freshened> EtcdLeases::freshen(TermPtr term, std::stop_token stop) {
    Freshened fresh;
    fresh.ended = term->ended;
    if (term->ended || nearlyFull(*term)) co_return fresh;
    const Completion<Freshened> mine = term->waiting.emplace_back();
    if (!std::exchange(term->freshening, true))
        m_port.runtime().spawn([self = shared_from_this(), term] { return fill(self, term); });
    const std::optional<Freshened> answer = co_await mine.wait(m_port.runtime(), kNever, std::move(stop));
    co_return *answer;
}

QCoro::Task<> EtcdLeases::fill(Self self, TermPtr term) {
    Freshened fresh;
    if (term->ttl == Nanos(0)) {
        fresh = co_await self->grant(term);
    } else {
        const auto kept = co_await self->keepNow(term);
        if (!kept) fresh.error = kept.error();
        fresh.ended = term->ended;
    }
    term->freshening = false;
    for (const Completion<Freshened>& waiting : std::exchange(term->waiting, {}))
        waiting.complete(fresh);
}

QCoro::Task<EtcdLeases::Freshened> EtcdLeases::grant(TermPtr term) {
    Freshened fresh;
    const Nanos askedAt = m_port.runtime().monotonic();
    const auto granted = co_await m_port.grantLease(term->id, term->wanted);
    if (granted) {
        term->ttl = granted->granted;
        term->keptAt = term->sweptAt = askedAt;
        co_return fresh;
    }
    fresh.error = lockError(granted.error());
    fresh.ended = term->ended = true;
    if (granted.error().outcomeUnknown() && !m_gone) co_await m_port.revokeLease(term->id);
    co_return fresh;
}

Outcome<bool> EtcdLeases::keepNow(TermPtr term) {
    if (term->ended) co_return false;
    const Nanos askedAt = m_port.runtime().monotonic();
    const auto kept = co_await m_port.keepAlive(term->id);
    if (!kept) co_return std::unexpected(lockError(kept.error()));
    if (kept->ttl == Nanos(0))
        term->ended = true;
    else
        term->keptAt = std::max(term->keptAt, askedAt);
    co_return !term->ended;
}

Outcome<bool> EtcdLeases::keep(Stand stand, std::stop_token stop) {
    touch(stand);
    const Freshened fresh = co_await freshen(stand.term, std::move(stop));
    if (fresh.error) co_return std::unexpected(*fresh.error);
    co_return !fresh.ended;
}

Outcome<bool> EtcdLeases::renew(Stand stand, std::stop_token stop) {
    const TermPtr term = stand.term;
    touch(stand);
    const Completion<Renewed> mine;
    Renewal renewal{stand.key, stand.revision, mine};
    term->renewals.push_back(std::move(renewal));
    if (!std::exchange(term->renewalDue, true))
        m_port.runtime().spawn([self = shared_from_this(), term] { return renewAll(self, term); });
    const std::optional<Renewed> answer = co_await mine.wait(m_port.runtime(), kNever, std::move(stop));
    if (answer->error) co_return std::unexpected(*answer->error);
    co_return answer->held;
}

QCoro::Task<> EtcdLeases::renewAll(Self self, TermPtr term) {
    if (term->shared) co_await self->m_port.runtime().sleep(kGathering);
    term->renewalDue = false;
    const std::vector<Renewal> all = std::exchange(term->renewals, {});
    Renewed answer;
    std::expected<bool, LockError> kept = std::unexpected(closedError());
    if (!self->m_gone) kept = co_await self->keepNow(term);
    if (!kept) answer.error = kept.error();
    if (!kept || !*kept) {
        for (const Renewal& one : all)
            one.answer.complete(answer);
        co_return;
    }
    self->sweep(term);
    // The lease outlives a key that somebody has deleted by force.
    for (std::size_t begin = 0; begin < all.size(); begin += kAtOnce) {
        const std::size_t end = std::min(begin + kAtOnce, all.size());
        std::vector<Renewal> some(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end));
        std::expected<void, LockError> checked = std::unexpected(closedError());
        if (!self->m_gone) checked = co_await self->check(some);
        if (!checked) answer.error = checked.error();
        for (const Renewal& one : some)
            one.answer.complete(answer); // those without an answer yet
        answer.error.reset();
    }
}

Outcome<void> EtcdLeases::check(std::vector<Renewal> some) {
    Transaction all;
    for (const Renewal& one : some)
        all.ifAll.push_back({one.key, one.revision});
    // Without a read the member would answer by what it knows, which may be old.
    all.then.push_back(Operation::read(only(some.front().key)));
    const auto checked = co_await m_port.run(std::move(all));
    if (!checked) co_return std::unexpected(lockError(checked.error()));
    Renewed yes;
    yes.held = true;
    if (checked->succeeded) {
        for (const Renewal& one : some)
            one.answer.complete(yes);
        co_return {};
    }
    Transaction each; // one of them at least is gone: which?
    for (const Renewal& one : some)
        each.then.push_back(Operation::read(only(one.key)));
    const auto read = co_await m_port.run(std::move(each));
    if (!read) co_return std::unexpected(lockError(read.error()));
    for (std::size_t i = 0; i < std::min(some.size(), read->results.size()); ++i) {
        const std::vector<etcd::KeyValue>& found = read->results[i].keys;
        const bool there = !found.empty() && found.front().createRevision == some[i].revision;
        some[i].answer.complete(there ? yes : Renewed());
    }
    co_return {};
}

/// Whose owner has not been heard of for a whole TTL would have ended by itself, had it a lease of its own.
void EtcdLeases::sweep(const TermPtr& term) {
    const Nanos now = m_port.runtime().monotonic();
    if (!term->shared || now - term->sweptAt < term->ttl / kFullPart) return;
    term->sweptAt = now;
    std::vector<QByteArray> over;
    for (const auto& [key, wantedAt] : term->keys)
        if (wantedAt != kNever && now - wantedAt > term->ttl + kGrace) over.push_back(key);
    for (QByteArray& key : over) {
        Stand stand;
        stand.term = term;
        stand.key = std::move(key);
        abandon(std::move(stand));
    }
}

void EtcdLeases::touch(const Stand& stand) {
    const auto key = stand.term->keys.find(stand.key);
    if (key != stand.term->keys.end() && key->second != kNever) key->second = m_port.runtime().monotonic();
}

void EtcdLeases::left(const Stand& stand) {
    const auto key = stand.term->keys.find(stand.key);
    if (key == stand.term->keys.end() || key->second == kNever) return;
    if (!stand.shared() || !stand.doubtful) {
        stand.term->keys.erase(key);
        return;
    }
    key->second = kNever;
    if (!m_gone) m_port.runtime().spawn([self = shared_from_this(), stand] { return scour(self, stand); });
}

void EtcdLeases::ended(const Stand& stand) {
    stand.term->ended = true;
}

QCoro::Task<> EtcdLeases::withdraw(Stand stand) {
    if (!stand.shared()) {
        // Key and lease in one, and what comes late finds no lease; an error leaves what ends by itself.
        co_await m_port.revokeLease(stand.lease());
        co_return;
    }
    Transaction leave;
    if (stand.revision != 0) leave.ifAll.push_back({stand.key, stand.revision}); // a late copy finds another one
    leave.then.push_back(Operation::remove(stand.key));
    stand.doubtful = stand.doubtful || stand.revision == 0;
    Nanos& wanted = stand.term->keys[stand.key]; // a map's references stay good
    const bool barred = std::exchange(wanted, kNever) == kNever;
    const auto gone = co_await m_port.run(std::move(leave));
    stand.doubtful = stand.doubtful || !gone;
    if (barred) co_return; // somebody else sees to it
    wanted = Nanos(0);
    left(stand);
}

QCoro::Task<> EtcdLeases::withdrawLater(Self self, Stand stand) {
    if (!self->m_gone) co_await self->withdraw(stand);
}

void EtcdLeases::abandon(Stand stand) {
    if (m_gone) return;
    m_port.runtime().spawn([self = shared_from_this(), stand] { return withdrawLater(self, stand); });
}

/// Deletes a key that may come, or come again, until it cannot any more.
QCoro::Task<> EtcdLeases::scour(Self self, Stand stand) {
    Runtime& runtime = self->m_port.runtime();
    Nanos pause = kFirstPause;
    for (int times = 0; times < kTimesInDoubt;) {
        co_await runtime.sleep(pause);
        pause = std::min(pause * 2, kLongestPause);
        // Its lease ends it, too, when nobody keeps that.
        if (self->m_gone || stand.term->ended || runtime.monotonic() > stand.keptAt() + stand.ttl()) co_return;
        const auto deleted = co_await self->m_port.deleteRange(stand.key, {});
        if (deleted) ++times;
    }
}

QCoro::Task<> EtcdLeases::close() {
    const std::vector<TermPtr> all = std::exchange(m_shared, {});
    for (const TermPtr& term : all) {
        const bool over = m_port.runtime().monotonic() > term->keptAt + term->ttl;
        const bool there = term->ttl > Nanos(0) && !std::exchange(term->ended, true) && !over;
        if (there && !m_gone) co_await m_port.revokeLease(term->id);
    }
}

} // namespace lockscope::recipes
