// SPDX-License-Identifier: Apache-2.0
// Runs of memcached servers: what a look tells of those that were started anew.
#include "inspect/memcached/watcher.h"
#include "runtime/virtual_runtime.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

/// A ring without items.
class PretendRing final : public memcached::Reader {
public:
    explicit PretendRing(Runtime& of) : m_runtime(of) {}
    Runtime& runtime() override { return m_runtime; }
    memcached::Result<std::optional<memcached::Item>> get(QByteArray, std::stop_token) override {
        co_return std::optional<memcached::Item>();
    }

private:
    Runtime& m_runtime;
};

struct Scene {
    std::optional<LockReport> look() {
        std::optional<LockReport> seen;
        runtime.spawn([this, &seen]() -> QCoro::Task<> { seen = co_await watcher.once(); });
        scheduler.runUntil(scheduler.now() + 1s);
        return seen;
    }
    static WatchOptions named() {
        WatchOptions options;
        options.names.match = {"orders"};
        return options;
    }
    static memcached::Statistics of(const char* where, std::int64_t process, Nanos uptime) {
        memcached::Statistics run;
        run.where = QLatin1String(where);
        run.process = process;
        run.uptime = uptime / 1s;
        return run;
    }
    VirtualScheduler scheduler;
    VirtualRuntime runtime{scheduler, 1};
    PretendRing ring{runtime};
    std::vector<memcached::Statistics> runs;
    MemcachedWatcher watcher{ring, QStringLiteral("ring"), named(), [](const QByteArray&) { return QString(); },
                             [this](std::stop_token) -> memcached::Result<std::vector<memcached::Statistics>> {
                                 const auto told = runs;
                                 co_return told;
                             }};
};

} // namespace

class TestMemcachedRuns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A server of which nothing was told for a while is compared with what was told of itself, not of the others.
    void aServerThatWasNotAskedMeanwhileHasRestarted() {
        Scene s;
        s.runs = {Scene::of("a:1", 10, 500s), Scene::of("b:1", 20, 500s)};
        const auto first = s.look();
        QVERIFY(first && !first->trouble && first->events.empty());
        memcached::Statistics silent;
        silent.where = QStringLiteral("b:1");
        for (int i = 0; i < 60; ++i) {
            s.runs = {Scene::of("a:1", 10, 500s + s.scheduler.now()), silent};
            const auto seen = s.look();
            QVERIFY(seen && seen->events.empty());
        }
        s.runs = {Scene::of("a:1", 10, 500s + s.scheduler.now()), Scene::of("b:1", 21, 30s)};
        const auto last = s.look();
        QVERIFY(last);
        QCOMPARE(last->events, std::vector{ServerEvent::Restarted});
        QCOMPARE(last->eventsAt, std::vector<QByteArray>{"b:1"});
    }

    /// A program that only speaks the protocol may tell any number.
    void anUptimeWithoutEndIsALongOne() {
        Scene s;
        s.runs = {Scene::of("a:1", 10, 1s), Scene::of("b:1", 20, 1s)};
        s.runs[0].uptime = INT64_MAX;
        s.runs[1].uptime = INT64_MIN;
        const auto seen = s.look();
        QVERIFY(seen && seen->servers.size() == 2);
        QVERIFY(seen->servers[0].identity && seen->servers[0].identity->uptime > 1000h);
        QVERIFY(seen->servers[1].identity && seen->servers[1].identity->uptime == 0s);
    }
};

QTEST_GUILESS_MAIN(TestMemcachedRuns)
#include "tst_memcached_runs.moc"
