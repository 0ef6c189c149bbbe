// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_renewals.h"

#include "recipes/token_start.h"

#include <algorithm>
#include <bit>
#include <set>

namespace lockscope::recipes {

namespace {
/// How long the first of several renewals waits for the others.
constexpr Nanos kGathering = 1ms;
/// Rows in one statement.
constexpr std::size_t kAtOnce = 256;
/// How long a statement for many waits for a row that somebody else has locked: the others have a lease to save.
constexpr Nanos kRowWait = 2s;
constexpr Nanos kBetweenTidyings = 1h;
/// First, whoever has just taken a lock has other things to ask of the server.
constexpr Nanos kBeforeTidying = 2s;
/// A connection that is kept to notice its end is asked for a sign of life this often.
constexpr Nanos kSignEvery = 10s;
/// Between two tries at a database that is away.
constexpr Nanos kShortestPause = 100ms, kLongestPause = 250ms;
} // namespace

Outcome<bool> SqlRenewals::renew(QByteArray name, QByteArray owner, Nanos lease, std::stop_token stop) {
    Renewal mine;
    mine.name = std::move(name);
    mine.owner = std::move(owner);
    mine.leaseMs = leaseMs(lease);
    const Completion<Answer> answered = mine.answer;
    m_waiting.push_back(std::move(mine));
    if (!std::exchange(m_gathering, true))
        m_port->runtime().spawn([self = shared_from_this()] { return gather(self); });
    const std::optional<Answer> answer = co_await answered.wait(m_port->runtime(), kNever, std::move(stop));
    if (answer->error) co_return std::unexpected(*answer->error);
    co_return answer->held;
}

/// One who listens; the first one opens the connection that is watched, the last one closes it.
struct SqlRenewals::Listener {
    explicit Listener(Self renewals) : self(std::move(renewals)) {
        if (self->m_listeners++ > 0) return;
        self->m_lookOut = std::stop_source();
        self->m_port->runtime().spawn(
            [again = self, stop = self->m_lookOut.get_token()] { return lookOut(again, stop); });
    }
    ~Listener() {
        if (--self->m_listeners == 0) self->m_lookOut.request_stop();
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    Self self;
};

Outcome<void> SqlRenewals::listen(CallList::Callback ask, std::stop_token stop) {
    Runtime& runtime = m_port->runtime();
    const CallList::Registration registration = m_reconnects.add(ask);
    const Listener listener(shared_from_this());
    ask(); // for what has happened before
    Waiter stopped(runtime, kNever, std::move(stop));
    co_await stopped.end();
    co_return {};
}

QCoro::Task<> SqlRenewals::lookOut(Self self, std::stop_token stop) {
    Runtime& runtime = self->m_port->runtime();
    for (bool lost = false;; lost = true) {
        auto opened = co_await self->m_port->session(stop);
        if (stop.stop_requested()) co_return;
        if (opened) {
            const std::shared_ptr<sql::Session> session = std::move(*opened).share();
            if (lost) self->m_reconnects.callSoon(runtime);
            sql::Sign sign = sql::Sign::Alive;
            while (sign != sql::Sign::Broken) {
                sign = co_await session->nextSign(kSignEvery, stop);
                if (!stop.stop_requested()) continue;
                session->giveBack();
                co_return;
            }
        }
        co_await runtime.sleep(runtime.random(kShortestPause, kLongestPause), stop);
    }
}

void SqlRenewals::tidy() {
    const Nanos now = m_port->runtime().monotonic();
    if (m_tidiedAt && now - *m_tidiedAt < kBetweenTidyings) return;
    m_tidiedAt = now;
    Runtime& runtime = m_port->runtime();
    runtime.spawn([&runtime, self = weak_from_this()] { return deleteOldRows(runtime, self); });
}

/// Looked for without a lock, and deleted one by one by their key: a search that deletes would lock all rows.
QCoro::Task<> SqlRenewals::deleteOldRows(Runtime& runtime, std::weak_ptr<SqlRenewals> later) {
    co_await runtime.sleep(kBeforeTidying);
    const Self self = later.lock();
    if (!self) co_return; // and its port with it
    const SqlLock lock{*self->m_port, {}, {}, self->m_tables};
    const std::int64_t life = std::chrono::milliseconds(kTokenCounterLife).count();
    const QByteArray old = "recipe = {recipe} AND owner IS NULL AND expires_at <= {ago}";
    const sql::Result found = co_await self->m_port->execute(
        statementOf(lock, "sql-lease", "SELECT name FROM {t} WHERE " + old + " LIMIT 200", valuesOf(life)));
    for (std::size_t row = 0; found && row < found->rows.size(); ++row) {
        const sql::Result deleted =
            co_await self->m_port->execute(statementOf(lock, "sql-lease", "DELETE FROM {t} WHERE name = ? AND " + old,
                                                       valuesOf(found->text(row), life)),
                                           {}, kRowWait);
        if (!deleted) co_return; // there is a next time
    }
}

QCoro::Task<> SqlRenewals::gather(Self self) {
    Runtime& runtime = self->m_port->runtime();
    co_await runtime.sleep(kGathering);
    self->m_gathering = false;
    Batch all = std::exchange(self->m_waiting, {});
    // In the order of the key, so that no two clients' statements wait for each other's rows.
    std::ranges::sort(all, [](const Renewal& a, const Renewal& b) {
        return std::tie(a.leaseMs, a.name) < std::tie(b.leaseMs, b.name);
    });
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && end - begin < kAtOnce && all[end].leaseMs == all[begin].leaseMs)
            ++end;
        auto batch = std::make_shared<Batch>();
        std::move(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end), std::back_inserter(*batch));
        runtime.spawn([self, batch] { return renewBatch(self, batch); });
    }
}

QCoro::Task<> SqlRenewals::renewBatch(Self self, std::shared_ptr<const Batch> batch) {
    const auto held = co_await self->extend(batch);
    const bool rowInUse =
        !held && (held.error().kind == LockError::Kind::WaitExceeded || held.error().kind == LockError::Kind::Deadlock);
    if (rowInUse && batch->size() > 1) {
        // Nothing was changed. Each on its own: only whose row it is shall wait for it.
        for (const Renewal& one : *batch) {
            auto alone = std::make_shared<Batch>(1, one);
            self->m_port->runtime().spawn([self, alone] { return renewBatch(self, alone); });
        }
        co_return;
    }
    for (std::size_t i = 0; i < batch->size(); ++i) {
        Answer answer;
        if (held)
            answer.held = held->each[i];
        else
            answer.error = held.error();
        (*batch)[i].answer.complete(std::move(answer));
    }
}

Outcome<SqlRenewals::Held> SqlRenewals::extend(std::shared_ptr<const Batch> batch) {
    const std::size_t count = batch->size();
    const sql::Statement update =
        statementFor(*batch,
                     "UPDATE {t} SET expires_at = {in} WHERE name IN ({names}) AND owner IN ({owners}) AND "
                     "expires_at > {now}",
                     true);
    // An owner stands for one grant of one lock, so that these two lists cannot match across.
    std::shared_ptr<sql::Session> session;
    if (count > 1 && m_port->dialect() != sql::Dialect::Sqlite) { // which locks no rows
        auto opened = co_await m_port->session();
        if (!opened) co_return std::unexpected(lockError(opened.error()));
        session = std::move(*opened).share();
    }
    sql::Result done;
    if (session)
        done = co_await session->execute(update, kRowWait);
    else
        done = co_await m_port->execute(update);
    if (!done) {
        if (session && done.error().kind == sql::Error::Kind::WaitExceeded) session->giveBack();
        co_return std::unexpected(lockError(done.error()));
    }
    Held held;
    held.each.assign(count, done->affected > 0);
    if (done->affected > 0 && done->affected < std::int64_t(count)) {
        // Some are lost: who is still there was renewed, because nobody gets an ended lease back as the same owner.
        const sql::Statement select = statementFor(
            *batch,
            "SELECT name, owner FROM {t} WHERE name IN ({names}) AND owner IN ({owners}) AND expires_at > {now}",
            false);
        sql::Result left;
        if (session)
            left = co_await session->execute(select, kRowWait);
        else
            left = co_await m_port->execute(select);
        if (!left) co_return std::unexpected(lockError(left.error()));
        std::set<std::pair<QByteArray, QByteArray>> ours;
        for (std::size_t row = 0; row < left->rows.size(); ++row)
            ours.emplace(left->text(row, 0), left->text(row, 1));
        for (std::size_t i = 0; i < count; ++i)
            held.each[i] = ours.contains(std::pair((*batch)[i].name, (*batch)[i].owner));
    }
    if (session) session->giveBack();
    co_return held;
}

sql::Statement SqlRenewals::statementFor(const Batch& batch, QByteArray text, bool withLease) const {
    // Each length is a text of its own for the server to prepare: the last one stands there again until it is one of a
    // few.
    const std::size_t length = std::bit_ceil(batch.size());
    sql::Values values;
    values.reserve(2 * length + 1);
    if (withLease) values.emplace_back(batch.front().leaseMs);
    for (std::size_t i = 0; i < length; ++i)
        values.emplace_back(batch[std::min(i, batch.size() - 1)].name);
    for (std::size_t i = 0; i < length; ++i)
        values.emplace_back(batch[std::min(i, batch.size() - 1)].owner);
    QByteArray marks = QByteArray("?, ").repeated(qsizetype(length));
    marks.chop(2);
    text.replace("{names}", marks);
    text.replace("{owners}", marks);
    SqlLock lock{*m_port, {}, {}, m_tables};
    return statementOf(lock, "sql-lease", std::move(text), std::move(values));
}

} // namespace lockscope::recipes
