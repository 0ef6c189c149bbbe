// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "zookeeper_client.h"

#include <QProcess>
#include <csignal>
#include <sys/prctl.h>

namespace lockscope::test {

/// From a release to the next holder, at most: a few milliseconds, and what a loaded machine adds.
inline constexpr Nanos kAtOnce = 3s;

/// Another library's process, told what to do line by line.
class Peer {
public:
    Peer(const QString& program, const QStringList& arguments) {
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
        m_process.start(program, arguments);
    }
    ~Peer() {
        m_process.kill();
        m_process.waitForFinished(5000);
    }
    void tell(const QByteArray& line) { m_process.write(line + '\n'); }
    /// The peer's next line; empty: none within that time.
    QByteArray hear(std::chrono::milliseconds limit = 20s) {
        if (!eventually([&] { return m_process.canReadLine() || m_process.state() == QProcess::NotRunning; }, limit))
            return {};
        return m_process.readLine().trimmed();
    }
    QByteArray ask(const QByteArray& line, std::chrono::milliseconds limit = 20s) {
        tell(line);
        return hear(limit);
    }
    void kill() { m_process.kill(); }
    QString error() const { return m_process.errorString(); }

private:
    QProcess m_process;
};

/// The instant in "acquired 123": nanoseconds of the machine's monotonic clock, which all processes share.
inline Nanos instantIn(const QByteArray& line) {
    return Nanos(line.split(' ').last().toLongLong());
}
inline Nanos machineTime() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

/// A killed peer's locks are free by then: its session lasts 2 s, from its last heartbeat on, and is ended at the tick
/// after that, of 200 ms; the rest is for a loaded machine.
inline constexpr Nanos kFreedWithin = 2s + 2 * 200ms + 2s;

/// Ten clients of ours that each add one to a node's number for as long as they hold the lock, not atomically.
class Contenders {
public:
    Contenders(Runtime& runtime, const QString& url, QByteArray id, QByteArray lock, QByteArray counter, Mode mode,
               Nanos time, zookeeper::Layout layout = zookeeper::Layout::Curator)
        : m_runtime(runtime), m_counter(std::move(counter)), m_mode(mode) {
        for (int i = 0; i < 10; ++i) {
            m_clients.push_back(std::make_unique<Client>(runtime, url, "ours"));
            m_clients.back()->layout = layout;
            m_recipes.push_back(m_clients.back()->recipe(id, lock));
        }
        m_end = runtime.monotonic() + time;
        for (std::size_t i = 0; i < m_clients.size(); ++i)
            runtime.spawn([this, i] { return work(*m_clients[i], *m_recipes[i]); });
    }
    bool done() const { return m_done == int(m_clients.size()); }
    int added() const { return m_added; }
    QString failure;

private:
    QCoro::Task<> work(Client& client, Recipe& recipe) {
        while (m_runtime.monotonic() < m_end && failure.isEmpty()) {
            const Request wish = request(60s, "1", m_mode);
            const auto taken = co_await recipe.acquire(wish, {});
            if (!taken || !*taken) {
                failure = taken ? QStringLiteral("not acquired") : taken.error().message;
                break;
            }
            const Grant grant = **taken;
            const auto node = co_await client.driver.get(m_counter);
            if (!node) failure = node.error().message;
            const QByteArray next = QByteArray::number((node ? node->data.toInt() : 0) + 1);
            const auto set = co_await client.driver.set(m_counter, next);
            if (!set) failure = set.error().message;
            ++m_added;
            const auto left = co_await recipe.release(grant, {});
            if (!left) failure = left.error().message;
        }
        ++m_done;
    }
    Runtime& m_runtime;
    QByteArray m_counter;
    Mode m_mode;
    Nanos m_end{};
    std::vector<std::unique_ptr<Client>> m_clients;
    std::vector<std::unique_ptr<Recipe>> m_recipes;
    int m_done = 0, m_added = 0;
};

} // namespace lockscope::test
