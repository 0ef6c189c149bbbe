// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace/connection.h"
#include "trace/server_told.h"
#include "window/watch_gaps.h"

#include <QTest>

using namespace lockscope;
using app::WatchGaps;
using trace::EventKind;

class WatchGapsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasNotSeenIsCountedAndMeasured() {
        auto trace = std::make_shared<trace::Trace>();
        const auto shop = trace::internConnection(*trace, "shop", "redis://h:6379");
        const auto node = trace->intern(trace::EntityKind::Node, "h:6379", shop);
        const auto own = trace->intern(trace::EntityKind::Node, "redis-1");
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto add = [&](Nanos at, EventKind kind, trace::EntityId subject) {
            trace->append({at.count(), 0, client, subject, 0, kind});
        };
        add(1s, EventKind::ConnectionLost, node);
        add(3s, EventKind::ConnectionRestored, node);
        add(4s, EventKind::ConnectionLost, own); // a simulated client's
        add(5s, EventKind::ConnectionLost, node);
        add(5s, EventKind::ConnectionRestored, node); // a restart between two looks
        add(6s, EventKind::ConnectionLost, node);
        trace->reach(20s);
        WatchGaps gaps;
        gaps.moveTo(trace, 2s);
        QCOMPARE(gaps.count(), 1);
        QCOMPARE(gaps.length(), Nanos(1s));
        gaps.moveTo(trace, 5500ms);
        QCOMPARE(gaps.count(), 1);
        QCOMPARE(gaps.length(), Nanos(2s));
        gaps.moveTo(trace, 10s);
        QCOMPARE(gaps.count(), 2);
        QCOMPARE(gaps.length(), Nanos(6s));
        gaps.moveTo(trace, 500ms); // back
        QCOMPARE(gaps.count(), 0);
        QCOMPARE(gaps.length(), Nanos(0));
    }
    /// The window keeps the end of a busy watch only: nobody says that its servers were out of sight before.
    void aBeginningThatIsNotKeptIsNoGap() {
        auto trace = std::make_shared<trace::Trace>();
        const auto shop = trace::internConnection(*trace, "shop", "redis://h:6379");
        const auto node = trace->intern(trace::EntityKind::Node, "h:6379", shop);
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto add = [&](Nanos at, EventKind kind, trace::EntityId why = 0) {
            trace->append({at.count(), 0, client, node, why, kind});
        };
        add(0s, EventKind::ConnectionLost, trace->text(trace::kLeftOut.toByteArray()));
        add(60s, EventKind::ConnectionRestored);
        add(70s, EventKind::ConnectionLost);
        add(71s, EventKind::ConnectionRestored);
        WatchGaps gaps;
        gaps.moveTo(trace, 65s);
        QCOMPARE(gaps.count(), 0);
        QCOMPARE(gaps.begins(), std::optional<Nanos>(60s));
        gaps.moveTo(trace, 80s);
        QCOMPARE(gaps.count(), 1);
        QCOMPARE(gaps.length(), Nanos(1s));
    }
};

QTEST_GUILESS_MAIN(WatchGapsTest)
#include "tst_watch_gaps.moc"
