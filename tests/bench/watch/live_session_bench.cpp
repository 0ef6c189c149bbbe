// SPDX-License-Identifier: Apache-2.0
// The cost of a live session, as the window has it, for a big Redis while it looks at every key for the first time: the
// server's share of a processor meanwhile. Whether the session's memory stays as it is on a server on which nothing
// happens. And how long the change of a lock that it knows takes until it stands in the record, which the window draws
// with its next frame. And how many requests of others the server still answers. The server is one of our own.
#include "bench_program.h"
#include "big_redis.h"
#include "first_look.h"
#include "live/live_session.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QProcess>
#include <algorithm>
#include <unistd.h>

using namespace lockscope;
using namespace lockscope::bench;

namespace {

/// Resident memory of this process, in MiB.
double residentMiB() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().split(' ').value(1).toDouble() * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void rest(Nanos time) {
    QEventLoop loop;
    QTimer::singleShot(std::chrono::duration_cast<std::chrono::milliseconds>(time), &loop, &QEventLoop::quit);
    loop.exec();
}

/// How many locks have been seen held.
class HeldLocks {
public:
    std::size_t in(const trace::Trace& trace) {
        for (const std::size_t rows = trace.size(); m_row < rows; ++m_row)
            m_held += trace.kindAt(m_row) == trace::EventKind::RecordHeld;
        return m_held;
    }

private:
    std::size_t m_row = 0, m_held = 0;
};

/// The requests that redis-benchmark gets answered in a second: the best of so many tries, since other programs only
/// slow it down. -1: it cannot be run.
double throughput(std::uint16_t port, int tries) {
    double best = -1;
    for (int i = 0; i < tries; ++i) {
        QProcess process;
        QEventLoop loop; // the session goes on meanwhile
        QObject::connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
        process.start(QStringLiteral("redis-benchmark"),
                      {QStringLiteral("-p"), QString::number(port), QStringLiteral("-t"), QStringLiteral("get"),
                       QStringLiteral("-n"), QStringLiteral("100000"), QStringLiteral("--csv")});
        if (!process.waitForStarted()) return best;
        loop.exec();
        // "GET","93457.94","0.283", …
        const QByteArray line = process.readAllStandardOutput().trimmed().split('\n').back();
        best = std::max(best, line.split(',').value(1).replace('"', "").toDouble());
    }
    return best;
}

/// Gives up one lock after another, and measures how long each takes to be told of, in ms; sorted. Precondition:
/// nothing else happens on the server.
std::vector<double> timesToTell(const live::LiveSession& session, redis::RedisDriver& client, int changes, int locks) {
    constexpr qint64 kLongest = 60'000;
    std::vector<double> times;
    for (int i = 1; i <= std::min(changes, locks); ++i) {
        const std::size_t before = session.trace()->size();
        QElapsedTimer time;
        time.start();
        if (!call(client, {"DEL", "svc:" + QByteArray::number(i)})) return {};
        while (session.trace()->size() == before && time.elapsed() < kLongest)
            rest(1ms);
        times.push_back(double(time.nsecsElapsed()) / 1e6);
        rest(1s); // until it is quiet again
    }
    std::ranges::sort(times);
    return times;
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const Arguments arguments{{"keys", "1000000"}, {"locks", "100000"}, {"still", "60"},
                              {"limit", "1800"},   {"changes", "20"},   {"tries", "3"}};
    const int keys = arguments.number("keys"), locks = arguments.number("locks");
    const qint64 limit = qint64(arguments.number("limit")) * 1000; // of seconds, in ms
    const qint64 stillFor = qint64(arguments.number("still")) * 1000;

    EventLoopRuntime runtime;
    sandbox::RedisServer server(runtime);
    if (!started(QCoro::waitFor(server.start()))) return kFailed;
    const auto url = parseConnectionUrl(server.url());
    redis::RedisDriver client(runtime, *url);
    if (!fill(client, keys, locks)) return kFailed;

    const double alone = throughput(server.port(), arguments.number("tries"));
    const double cpuBefore = cpuSeconds(client), memoryBefore = residentMiB();
    QElapsedTimer time;
    time.start();
    live::LiveSession session(*url, false, scenario::Scenario());
    HeldLocks held;
    double firstLocks = -1, allLocks = -1; // seconds after which the first and the last lock were there
    while (time.elapsed() < limit) {
        rest(50ms);
        if (firstLocks < 0 && held.in(*session.trace()) > 0) firstLocks = double(time.elapsed()) / 1000;
        if (allLocks < 0 && held.in(*session.trace()) >= std::size_t(locks)) allLocks = double(time.elapsed()) / 1000;
        if (allLocks >= 0 && lookedAtAll(session)) break;
    }
    const double seconds = double(time.elapsed()) / 1000, share = (cpuSeconds(client) - cpuBefore) / seconds;
    const bool whole = allLocks >= 0 && lookedAtAll(session);

    const double memory = residentMiB(), cpuStill = cpuSeconds(client);
    const std::size_t rows = session.trace()->size();
    time.restart();
    double most = memory;
    while (time.elapsed() < stillFor) {
        rest(1s);
        most = std::max(most, residentMiB());
    }
    const double still = double(std::max<qint64>(time.elapsed(), 1)) / 1000;
    const double shareStill = (cpuSeconds(client) - cpuStill) / still, memoryEnd = residentMiB();
    const auto events = qint64(session.trace()->size() - rows);
    const double watched = throughput(server.port(), arguments.number("tries"));
    const std::vector<double> changes = timesToTell(session, client, arguments.number("changes"), locks);
    const QJsonObject line{
        {QStringLiteral("name"), QStringLiteral("live-session")},
        {QStringLiteral("keys"), keys},
        {QStringLiteral("locks"), locks},
        {QStringLiteral("whole"), whole},
        {QStringLiteral("first_look_s"), seconds},
        {QStringLiteral("first_locks_s"), firstLocks},
        {QStringLiteral("all_locks_s"), allLocks},
        {QStringLiteral("first_look_server_cpu_share"), share},
        {QStringLiteral("memory_before_mib"), memoryBefore},
        {QStringLiteral("memory_mib"), memory},
        {QStringLiteral("still_s"), still},
        {QStringLiteral("still_server_cpu_share"), shareStill},
        {QStringLiteral("still_memory_most_mib"), most},
        {QStringLiteral("still_memory_end_mib"), memoryEnd},
        {QStringLiteral("still_events"), events},
        {QStringLiteral("requests_a_second_alone"), alone},
        {QStringLiteral("requests_a_second_watched"), watched},
        {QStringLiteral("changes"), qint64(changes.size())},
        {QStringLiteral("change_told_median_ms"), changes.empty() ? -1 : changes[changes.size() / 2]},
        {QStringLiteral("change_told_most_ms"), changes.empty() ? -1 : changes.back()}};
    printLine(line);
    return whole ? 0 : kFailed;
}
