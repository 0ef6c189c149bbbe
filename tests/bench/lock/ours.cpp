// SPDX-License-Identifier: Apache-2.0
#include "ours.h"
#include "client/connect.h"

#include <sys/resource.h>

namespace lockscope::bench {

namespace {

using Result = std::expected<void, QString>;

std::int64_t processorTime() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto ns = [](const timeval& t) { return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_usec * 1000; };
    return ns(usage.ru_utime) + ns(usage.ru_stime);
}

} // namespace

Ours::Ours(Runtime& runtime, ConnectionUrl url, QByteArray recipe, Workload workload)
    : m_runtime(runtime),
      m_url(std::move(url)),
      m_recipe(std::move(recipe)),
      m_workload(std::move(workload)),
      m_name("lock_bench-" + QByteArray::number(runtime.random() >> 32, 16)),
      m_clients(std::size_t(m_workload.clients)) {
}

QCoro::Task<Result> Ours::open() {
    const std::size_t count = m_workload.oneConnection() ? 1 : m_clients.size();
    for (std::size_t i = 0; i < count; ++i) {
        auto connection = makeConnection(m_runtime, m_url);
        if (!connection)
            co_return std::unexpected(QStringLiteral("There are no locks on %1 yet.").arg(m_url.display()));
        const auto opened = co_await connection->open();
        if (!opened) co_return std::unexpected(opened.error().message);
        if (i == 0) {
            const auto prepared = co_await connection->prepare();
            if (!prepared) co_return std::unexpected(prepared.error().message);
        }
        m_connections.push_back(std::move(connection));
    }
    for (std::size_t i = 0; i < m_clients.size(); ++i) {
        Client& client = m_clients[i];
        client.connection = m_connections[i % count].get();
        LockSpec spec;
        spec.name = m_workload.oneLock() ? m_name : m_name + '-' + QByteArray::number(qulonglong(i));
        auto recipe = client.connection->makeRecipe(m_recipe, std::move(spec));
        if (!recipe) co_return std::unexpected(recipe.error().message);
        const recipes::RecipeInfo& info = (*recipe)->info();
        m_request.mode = info.exclusive ? recipes::Mode::Exclusive : recipes::Mode::Permit;
        m_optimistic = info.heldBy == recipes::HeldBy::Nothing && info.token;
        if (m_optimistic && m_workload.kind == Workload::Kind::Wake)
            co_return std::unexpected(
                QStringLiteral("Nobody waits for %1: it has no wake1.").arg(QString::fromUtf8(m_recipe)));
        client.lock = std::make_unique<DistributedLock>(LockClient{m_runtime, client.connection->client()},
                                                        std::move(*recipe), LockOptions());
    }
    co_return Result();
}

QCoro::Task<> Ours::close() {
    for (Client& client : m_clients)
        client.lock.reset();
    for (const auto& connection : m_connections)
        co_await connection->close();
}

QCoro::Task<Result> Ours::run(Nanos duration, Samples& samples) {
    m_samples = &samples;
    const std::int64_t begun = clockNow();
    const std::int64_t until = begun + duration.count();
    if (m_workload.kind == Workload::Kind::Wake) {
        co_await wakeLoop(until);
    } else {
        std::vector<QCoro::Task<>> loops;
        for (int i = 0; i < m_workload.clients; ++i)
            loops.push_back(loop(i, until));
        for (auto& one : loops)
            co_await one;
        samples.took += Nanos(clockNow() - begun);
    }
    if (!m_error.isEmpty()) co_return std::unexpected(m_error);
    co_return Result();
}

void Ours::complain(const LockError& error) {
    if (m_error.isEmpty()) m_error = error.message;
}

QCoro::Task<bool> Ours::lockOnce(int index, Acquisition& one) {
    one.client = index;
    one.ask = clockNow();
    const auto taken = co_await m_clients[std::size_t(index)].lock->take(m_request);
    one.got = clockNow();
    if (!taken) complain(taken.error());
    co_return taken.has_value();
}

QCoro::Task<bool> Ours::unlockOnce(int index, Acquisition& one) {
    one.release = clockNow();
    const auto left = co_await m_clients[std::size_t(index)].lock->unlock(m_request.thread, m_request.mode);
    one.released = clockNow();
    if (!left) complain(left.error());
    co_return left.has_value();
}

void Ours::finish(const Acquisition& one) {
    m_samples->acquisitions.push_back(one);
    ++m_samples->pairs;
}

QCoro::Task<> Ours::loop(int index, std::int64_t until) {
    Acquisition one;
    while (m_error.isEmpty() && clockNow() < until) {
        // As lockOnce() and unlockOnce(), but without their coroutines, which nobody needs to take a lock.
        DistributedLock& lock = *m_clients[std::size_t(index)].lock;
        one.client = index;
        one.ask = clockNow();
        const auto taken = co_await lock.take(m_request);
        one.got = clockNow();
        if (!taken) co_return complain(taken.error());
        if (m_workload.kind == Workload::Kind::Turn) {
            for (std::size_t other = 0; other < m_clients.size(); ++other)
                if (int(other) != index) m_clients[other].turn.releaseAll();
        }
        one.release = clockNow();
        const auto given = co_await lock.unlock(m_request.thread, m_request.mode);
        one.released = clockNow();
        // Work that is thrown away is no pair, but no failure either: it begins anew.
        if (!given && m_optimistic && given.error().kind == LockError::Kind::NotOwner) continue;
        if (!given) co_return complain(given.error());
        finish(one);
        m_samples->latencies.push_back((m_workload.contended() ? one.got : one.released) - one.ask);
        if (m_workload.kind == Workload::Kind::Turn) co_await stayAway(index, until);
    }
}

QCoro::Task<bool> Ours::stayAway(int index, std::int64_t until) {
    const Nanos left = std::max(Nanos(0), Nanos(until - clockNow()));
    co_return co_await m_clients[std::size_t(index)].turn.acquire(m_runtime, left);
}

QCoro::Task<> Ours::wakeLoop(std::int64_t until) {
    Acquisition held, waited;
    // The client that begins has one turn more when the number of turns is odd: so the two take it in turns to begin.
    const int beginner = std::exchange(m_beginner, 1 - m_beginner);
    const bool first = co_await lockOnce(beginner, held);
    if (!first) co_return;
    int waiter = 1 - beginner;
    while (m_error.isEmpty() && clockNow() < until) {
        // The waiter must really wait before it is woken: asking takes a few round trips at most.
        QCoro::Task<bool> waiting = lockOnce(waiter, waited);
        const Nanos nap = m_runtime.random(Nanos(3ms), Nanos(30ms));
        co_await m_runtime.sleep(nap);
        const bool given = co_await unlockOnce(held.client, held);
        const bool taken = co_await waiting;
        if (!given || !taken) co_return;
        finish(held);
        m_samples->latencies.push_back(waited.got - held.release);
        m_samples->took += Nanos(waited.got - held.release);
        waiter = held.client;
        held = waited;
    }
    const bool given = co_await unlockOnce(held.client, held);
    if (given) m_samples->acquisitions.push_back(held); // no pair: pairs are hand-offs, and it has nobody to hand to
}

QCoro::Task<> Ours::takeSome(std::size_t begin, std::size_t step) {
    for (std::size_t i = begin; i < m_clients.size() && m_error.isEmpty(); i += step) {
        const auto taken = co_await m_clients[i].lock->take(m_request);
        if (!taken) complain(taken.error());
    }
}

QCoro::Task<std::expected<Ours::Keeping, QString>> Ours::keep(Nanos duration) {
    using Event = DistributedLock::Event;
    Keeping keeping;
    const std::int64_t period = LockOptions().watchdog.count();
    std::vector<std::int64_t> last(m_clients.size());
    std::int64_t latest = 0;
    for (std::size_t i = 0; i < m_clients.size(); ++i) {
        m_clients[i].lock->listen([&, i](Event event, const DistributedLock::Thread&, const QString&) {
            const std::int64_t now = clockNow();
            if (event == Event::Renewed) {
                ++keeping.renewals;
                latest = std::max(latest, now - last[i] - period);
            } else if (event == Event::Lost) {
                ++keeping.lost;
            }
            last[i] = now;
        });
    }
    constexpr std::size_t kAtOnce = 256;
    std::vector<QCoro::Task<>> taking;
    for (std::size_t i = 0; i < kAtOnce; ++i)
        taking.push_back(takeSome(i, kAtOnce));
    for (auto& one : taking)
        co_await one;
    const std::int64_t begun = clockNow(), usedBefore = processorTime();
    co_await m_runtime.sleep(duration);
    keeping.cpuPercent = 100 * double(processorTime() - usedBefore) / double(clockNow() - begun);
    // Count renewals that are overdue by now, too. Only leases: a session or a connection renews no lock by name.
    const bool leased = m_clients.front().lock->recipe().heldBy == recipes::HeldBy::Lease;
    for (const std::int64_t at : last)
        if (leased) latest = std::max(latest, clockNow() - at - period);
    keeping.latestMs = double(latest) / 1e6;
    for (const Client& client : m_clients)
        client.lock->listen(nullptr);
    for (std::size_t i = 0; i < m_clients.size() && m_error.isEmpty(); ++i) {
        const auto left = co_await m_clients[i].lock->unlock(m_request.thread, m_request.mode);
        if (!left) complain(left.error());
    }
    if (!m_error.isEmpty()) co_return std::unexpected(m_error);
    co_return keeping;
}

} // namespace lockscope::bench
