// SPDX-License-Identifier: Apache-2.0
#include "ports/zookeeper/watch.h"
#include "runtime/event_loop_runtime.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::zookeeper;
using Table = WatchHub::Table;

class TestWatchHub : public QObject {
    Q_OBJECT
private:
    /// The events that a watch has been told and nobody has taken; does not wait.
    QList<WatchEvent::Kind> toldTo(const Watch& watch) {
        QList<WatchEvent::Kind> kinds;
        const auto take = [&]() -> QCoro::Task<> {
            for (;;) {
                const std::optional<WatchEvent> event = co_await watch.next(m_runtime, Nanos(0));
                if (!event) co_return;
                kinds += event->kind;
            }
        };
        QCoro::waitFor(take());
        return kinds;
    }

private Q_SLOTS:
    void watchThatOneOfTwoLooksHasSetIsTold_data() {
        QTest::addColumn<bool>("first");
        QTest::newRow("the later look") << false;
        QTest::newRow("the earlier look") << true;
    }
    void watchThatOneOfTwoLooksHasSetIsTold() {
        QFETCH(bool, first);
        const auto hub = std::make_shared<WatchHub>();
        const Watch one, two;
        const std::uint64_t id = hub->add(Table::Data, "/lock", one);
        QCOMPARE(hub->add(Table::Data, "/lock", two), id);
        hub->settled(id, first); // there was no such node, and then there was; or the other way round
        hub->settled(id, !first);
        hub->fire(id, {WatchEvent::Kind::Deleted, "/lock"});
        QCOMPARE(toldTo(two), QList{WatchEvent::Kind::Deleted});
        QCOMPARE(toldTo(one), QList{WatchEvent::Kind::Deleted});
    }
    void watchThatWasNeverSetIsForgotten() {
        const auto hub = std::make_shared<WatchHub>();
        const Watch one, two;
        const std::uint64_t id = hub->add(Table::Data, "/lock", one);
        hub->add(Table::Data, "/lock", two);
        hub->settled(id, false);
        hub->settled(id, false);
        hub->fire(id, {WatchEvent::Kind::Deleted, "/lock"});
        QVERIFY(toldTo(one).isEmpty());
        QVERIFY(hub->add(Table::Data, "/lock", two) != id);
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestWatchHub)
#include "tst_watch_hub.moc"
