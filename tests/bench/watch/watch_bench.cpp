// SPDX-License-Identifier: Apache-2.0
// How long a first look at a big Redis takes, against redis-cli listing the same keys and reading the same locks, and
// how much of the server's time it takes. The server is one of our own.
#include "bench_program.h"
#include "big_redis.h"
#include "inspect/redis/watcher.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryFile>
#include <qcoro/qcorotask.h>
#include <sys/resource.h>

using namespace lockscope;
using namespace lockscope::bench;

namespace {

/// Milliseconds; -1 when redis-cli failed.
qint64 timeOfRedisCli(std::uint16_t port, int locks) {
    QTemporaryFile reads;
    if (!reads.open()) return -1;
    for (int i = 1; i <= locks; ++i) {
        const QByteArray key = "svc:" + QByteArray::number(i);
        reads.write("HGETALL " + key + "\r\nPTTL " + key + "\r\n");
    }
    reads.flush();
    QElapsedTimer time;
    time.start();
    const int status = QProcess::execute(
        QStringLiteral("sh"),
        {QStringLiteral("-c"),
         QStringLiteral("redis-cli -p %1 --scan >/dev/null && redis-cli -p %1 --pipe <'%2' >/dev/null")
             .arg(QString::number(port), reads.fileName())});
    return status == 0 ? time.elapsed() : -1;
}

/// Processor time so far, in ms, of this process (RUSAGE_SELF) or of those that it has waited for (RUSAGE_CHILDREN): on
/// a machine that others use, too, it compares better than the time that passes.
double processorMs(__rusage_who of) {
    rusage used{};
    getrusage(of, &used);
    const auto ms = [](const timeval& time) { return double(time.tv_sec) * 1000 + double(time.tv_usec) / 1000; };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const Arguments arguments{{"keys", "1000000"}, {"locks", "100000"}};
    const int keys = arguments.number("keys"), locks = arguments.number("locks");

    EventLoopRuntime runtime;
    sandbox::RedisServer server(runtime);
    if (!started(QCoro::waitFor(server.start()))) return kFailed;
    const auto url = parseConnectionUrl(server.url());
    redis::RedisDriver client(runtime, *url), watched(runtime, *url);
    if (!fill(client, keys, locks)) return kFailed;
    const double cliCpuBefore = processorMs(RUSAGE_CHILDREN);
    const qint64 cli = timeOfRedisCli(server.port(), locks);
    const double cliCpu = processorMs(RUSAGE_CHILDREN) - cliCpuBefore;
    inspect::RedisWatcher watcher(watched);
    const double ourCpuBefore = processorMs(RUSAGE_SELF);
    const double cpuBefore = cpuSeconds(client);
    QElapsedTimer time;
    time.start();
    const inspect::LockReport report = QCoro::waitFor(watcher.once());
    const qint64 ours = time.elapsed();
    const double cpu = cpuSeconds(client) - cpuBefore;
    const double ourCpu = processorMs(RUSAGE_SELF) - ourCpuBefore;
    const bool whole = cli > 0 && report.complete && report.locks.size() == std::size_t(locks);
    const double ratio = double(ours) / double(std::max<qint64>(cli, 1));
    const double share = cpu * 1000 / double(std::max<qint64>(ours, 1));
    if (arguments.json()) {
        const QJsonObject line{{QStringLiteral("name"), QStringLiteral("watch-once")},
                               {QStringLiteral("keys"), keys},
                               {QStringLiteral("locks"), locks},
                               {QStringLiteral("ms"), ours},
                               {QStringLiteral("redis_cli_ms"), cli},
                               {QStringLiteral("ratio"), ratio},
                               {QStringLiteral("server_cpu_share"), share},
                               {QStringLiteral("our_cpu_ms"), ourCpu},
                               {QStringLiteral("redis_cli_cpu_ms"), cliCpu},
                               {QStringLiteral("server_cpu_ms"), cpu * 1000},
                               {QStringLiteral("commands"), qint64(report.commands)},
                               {QStringLiteral("whole"), whole}};
        printLine(line);
    } else {
        std::printf(
            "%d keys and %d locks: redis-cli %lld ms, watch --once %lld ms (%.2f times), %.0f %% of the server's "
            "processor, %llu commands\n",
            keys, locks, static_cast<long long>(cli), static_cast<long long>(ours), ratio, 100 * share,
            static_cast<unsigned long long>(report.commands));
    }
    return whole ? 0 : kFailed;
}
