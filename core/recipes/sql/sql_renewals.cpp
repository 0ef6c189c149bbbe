// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_renewals.h"

#include "recipes/token_start.h"

#include <algorithm>

namespace lockscope::recipes {

namespace {
/// How long the first of several renewals waits for the others.
constexpr Nanos kGathering = 1ms;
/// Rows in one statement.
constexpr std::size_t kAtOnce = 256;
constexpr Nanos kBetweenTidyings = 1h;
/// A client that has just taken a lock has other things to ask of the server first.
constexpr Nanos kBeforeTidying = 2s;
/// A connection that is kept to notice its end is asked for a sign of life this often.
constexpr Nanos kSignEvery = 10s;
/// Between two tries at a database that is away.
constexpr Nanos kShortestPause = 100ms, kLongestPause = 250ms;
} // namespace

Outcome<bool> SqlRenewals::renew(QByteArray name, QByteArray owner, Nanos lease, std::stop_token stop) {
    Renewal mine;
    mine.row = {std::move(name), std::move(owner)};
    mine.lease = lease;
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

QCoro::Task<> SqlRenewals::deleteOldRows(Runtime& runtime, std::weak_ptr<SqlRenewals> later) {
    co_await runtime.sleep(kBeforeTidying);
    const Self self = later.lock();
    if (!self) co_return;                                                  // and its port with it
    (void)co_await self->m_port->eraseOld("sql-lease", kTokenCounterLife); // there is a next time
}

QCoro::Task<> SqlRenewals::gather(Self self) {
    Runtime& runtime = self->m_port->runtime();
    co_await runtime.sleep(kGathering);
    self->m_gathering = false;
    Batch all = std::exchange(self->m_waiting, {});
    // In the order of the key, so that no two clients' statements wait for each other's rows.
    std::ranges::sort(all, [](const Renewal& a, const Renewal& b) {
        return std::tie(a.lease, a.row.name) < std::tie(b.lease, b.row.name);
    });
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && end - begin < kAtOnce && all[end].lease == all[begin].lease)
            ++end;
        auto batch = std::make_shared<Batch>();
        std::move(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end), std::back_inserter(*batch));
        runtime.spawn([self, batch] { return renewBatch(self, batch); });
    }
}

QCoro::Task<> SqlRenewals::renewBatch(Self self, std::shared_ptr<const Batch> batch) {
    std::vector<sql::OwnedRow> rows;
    for (const Renewal& one : *batch)
        rows.push_back(one.row);
    const auto held = co_await self->m_port->extendAll(std::move(rows), batch->front().lease);
    using Kind = sql::Error::Kind;
    const bool rowInUse = !held && (held.error().kind == Kind::WaitExceeded || held.error().kind == Kind::Deadlock);
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
            answer.error = lockError(held.error());
        (*batch)[i].answer.complete(std::move(answer));
    }
}

} // namespace lockscope::recipes
