// SPDX-License-Identifier: Apache-2.0
#include "recipes/etcd/etcd_leases.h"

#include <QCoreApplication>
#include <algorithm>
#include <span>

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
/// A request waits for at most seven seconds on a server; what a leader had proposed before it lost its quorum may be
/// agreed upon whenever that is back. A key that one of unknown fate may yet put is deleted so often, at pauses that
/// double between these two, and then once in each TTL (scourAgain).
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
    case Kind::Protocol:
        return {LockError::Kind::Unreachable, error.message};
    default: // a wrong login among others: nobody gets over it by trying again
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
        stand.wanted = std::make_shared<Nanos>(m_port.runtime().monotonic());
        stand.term->keys[stand.key] = stand.wanted;
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

/// The first caller that finds the term too old starts filling it; later callers wait for the result. The filling runs
/// by itself, because a caller may stop waiting.
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
        // Keeping a lease alive keeps all keys under it, also the keys of dead owners.
        if (kept && *kept && !self->m_gone) self->sweep(term);
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
        term->keptAt = term->sweptAt = term->scouredAt = askedAt;
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
    touch(stand);
    Term& term = *stand.term;
    const Renewal& mine = term.renewals.emplace_back(Renewal{stand.key, stand.revision, {}});
    const Completion<Renewed> answered = mine.answer;
    if (!std::exchange(term.renewalDue, true))
        m_port.runtime().spawn([self = shared_from_this(), whole = stand.term] { return renewAll(self, whole); });
    const std::optional<Renewed> answer = co_await answered.wait(m_port.runtime(), kNever, std::move(stop));
    if (answer->error) co_return std::unexpected(*answer->error);
    if (answer->held) co_return true;
    if (stand.shared())
        left(stand);
    else if (!term.ended)
        co_await withdraw(stand);
    co_return false;
}

QCoro::Task<> EtcdLeases::renewAll(Self self, TermPtr term) {
    if (term->shared) co_await self->m_port.runtime().sleep(kGathering);
    term->renewalDue = false;
    const auto round = std::make_shared<Round>();
    round->all = std::exchange(term->renewals, {});
    const std::size_t count = round->all.size();
    round->found.resize(count);
    Renewed answer;
    std::expected<bool, LockError> kept = std::unexpected(closedError());
    if (!self->m_gone) {
        // The lease outlives a key that somebody has deleted by force. Asked together: their answers come together.
        const Outcome<bool> keeping = self->keepNow(term);
        std::vector<QCoro::Task<>> checks;
        for (std::size_t begin = 0; begin < count; begin += kAtOnce)
            checks.push_back(check(self, round, begin, std::min(begin + kAtOnce, count)));
        kept = co_await keeping;
        for (const QCoro::Task<>& one : checks)
            co_await one;
        if (!self->m_gone) self->sweep(term);
    }
    if (!kept) answer.error = kept.error();
    const bool all = kept && *kept;
    for (std::size_t i = 0; i < count; ++i)
        round->all[i].answer.complete(all ? round->found[i] : answer);
}

QCoro::Task<> EtcdLeases::check(Self self, std::shared_ptr<Round> round, std::size_t begin, std::size_t end) {
    const std::span some(round->all.begin() + std::ptrdiff_t(begin), end - begin);
    const std::span found(round->found.begin() + std::ptrdiff_t(begin), end - begin);
    Renewed yes;
    yes.held = true;
    Transaction all;
    all.ifAll.reserve(some.size());
    for (const Renewal& one : some)
        all.ifAll.push_back({one.key, one.revision});
    // Without a read the member would answer by what it knows, which may be old.
    all.then.push_back(Operation::read(only(some.front().key)));
    const auto checked = co_await self->m_port.run(std::move(all));
    if (checked && checked->succeeded) {
        std::ranges::fill(found, yes);
        co_return;
    }
    Renewed unknown;
    if (!checked) unknown.error = lockError(checked.error());
    if (self->m_gone) unknown.error = closedError();
    if (unknown.error) {
        std::ranges::fill(found, unknown);
        co_return;
    }
    Transaction each; // one of them at least is gone: which?
    for (const Renewal& one : some)
        each.then.push_back(Operation::read(only(one.key)));
    const auto read = co_await self->m_port.run(std::move(each));
    if (!read) unknown.error = lockError(read.error());
    for (std::size_t i = 0; i < some.size(); ++i) {
        if (!read || i >= read->results.size()) {
            found[i] = unknown;
            continue;
        }
        const std::vector<etcd::KeyValue>& there = read->results[i].keys;
        if (!there.empty() && there.front().createRevision == some[i].revision) found[i] = yes;
    }
}

/// Removes keys whose owner has not been heard of for a whole TTL: under a lease of its own, such a key would have
/// ended.
void EtcdLeases::sweep(const TermPtr& term) {
    const Nanos now = m_port.runtime().monotonic();
    if (!term->shared || now - term->sweptAt < term->ttl / kFullPart) return;
    term->sweptAt = now;
    std::vector<QByteArray> over, barred;
    for (const auto& [key, wanted] : term->keys) {
        if (*wanted == kNever)
            barred.push_back(key);
        else if (now - *wanted > term->ttl + kGrace)
            over.push_back(key);
    }
    if (!barred.empty() && now - term->scouredAt >= term->ttl) {
        term->scouredAt = now;
        m_port.runtime().spawn(
            [self = shared_from_this(), term, names = std::move(barred)] { return scourAgain(self, term, names); });
    }
    for (QByteArray& key : over) {
        Stand stand;
        stand.term = term;
        stand.wanted = term->keys[key];
        stand.key = std::move(key);
        abandon(stand);
    }
}

bool EtcdLeases::barred(const Stand& stand) {
    return *stand.wanted == kNever;
}

void EtcdLeases::touch(const Stand& stand) {
    if (*stand.wanted != kNever) *stand.wanted = m_port.runtime().monotonic();
}

void EtcdLeases::left(const Stand& stand) {
    if (*stand.wanted == kNever) return; // somebody sees to it
    const bool doubtful = stand.shared() && stand.doubtful;
    *stand.wanted = kNever;
    if (!doubtful)
        stand.term->keys.erase(stand.key);
    else if (!m_gone)
        m_port.runtime().spawn([self = shared_from_this(), stand] { return scour(self, stand); });
}

Outcome<bool> EtcdLeases::giveUp(Stand stand, std::stop_token stop) {
    // Once it was left, its name may be another lock's. Before that the key is this one's and nobody else's, so that it
    // need not be compared.
    if (*stand.wanted == kNever) co_return false;
    const auto removed = co_await m_port.remove(stand.key, std::move(stop));
    if (!removed) {
        abandon(stand);
        co_return std::unexpected(lockError(removed.error()));
    }
    stand.doubtful = stand.doubtful || removed->repeated; // a copy on its way would delete whatever it finds
    left(stand);
    // After a lost answer the key may be gone by our own first try.
    co_return removed->removed || removed->repeated;
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
    const bool barred = std::exchange(*stand.wanted, kNever) == kNever; // nobody else meanwhile
    const auto gone = co_await m_port.run(std::move(leave));
    stand.doubtful = stand.doubtful || !gone;
    if (barred) co_return; // somebody else sees to it
    *stand.wanted = Nanos(0);
    left(stand);
}

QCoro::Task<> EtcdLeases::withdrawLater(Self self, Stand stand) {
    if (!self->m_gone) co_await self->withdraw(stand);
}

void EtcdLeases::abandon(const Stand& stand) {
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

/// Deletes once more the keys of requests that a server may run later than scour() lasts: a member that stood still
/// runs them when it goes on.
QCoro::Task<> EtcdLeases::scourAgain(Self self, TermPtr term, std::vector<QByteArray> names) {
    for (std::size_t begin = 0; begin < names.size() && !self->m_gone && !term->ended; begin += kAtOnce) {
        Transaction all;
        for (std::size_t i = begin; i < std::min(begin + kAtOnce, names.size()); ++i)
            all.then.push_back(Operation::remove(names[i]));
        co_await self->m_port.run(std::move(all)); // after an error there is a next time
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
