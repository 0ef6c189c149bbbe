// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/layout.h"
#include "timeline/timeline_data.h"
#include "timeline/words.h"
#include "trace/deadline.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

namespace {

struct Watched {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::EntityId node = trace->intern(trace::EntityKind::Node, "127.0.0.1:6379");
    trace::EntityId lock = trace->intern(trace::EntityKind::Lock, "orders", node);
    trace::EntityId holder = trace->intern(trace::EntityKind::Client, "a1b2c3d4-0000-1111-2222-aaaaaaaaaaaa");

    void append(std::int64_t seconds, EventKind kind, trace::EntityId actor, std::int64_t value) {
        trace->append({seconds * 1'000'000'000, value, actor, lock, 0, kind});
    }
    const Lane& lane(TimelineData& data) const {
        data.consume();
        for (const auto& lane : data.lanes())
            if (lane->kind == LaneKind::Record) return *lane;
        qFatal("no lane of the record");
    }
};

} // namespace

class TestTimelineQueue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theQueueIsDrawnAgainAfterAGap() {
        Watched server;
        server.append(1, EventKind::RecordHeld, server.holder, 60'000'000'000);
        server.append(1, EventKind::RecordWaiters, trace::kNoEntity, 2);
        server.append(5, EventKind::RecordUnobserved, trace::kNoEntity, 0);
        server.append(8, EventKind::RecordObserved, trace::kNoEntity, 0);
        server.append(20, EventKind::RecordWaiters, trace::kNoEntity, 0);
        TimelineData data(server.trace);
        const SpanTrack& queue = server.lane(data).queue;
        QCOMPARE(queue.size(), std::size_t(2));
        QCOMPARE(queue[0].to, std::int64_t(5'000'000'000)); // nothing is drawn through the gap
        QCOMPARE(queue[1].from, std::int64_t(8'000'000'000));
        QCOMPARE(queue[1].to, std::int64_t(20'000'000'000));
        QCOMPARE(unsigned(queue[1].label), 2u);
    }

    void manyRecordsAreLow() {
        Watched server;
        server.append(1, EventKind::RecordHeld, server.holder, 60'000'000'000);
        for (int i = 0; i < 5; ++i) {
            server.lock = server.trace->intern(trace::EntityKind::Lock, "stock" + QByteArray::number(i), server.node);
            server.append(2 + i, EventKind::RecordHeld, server.holder, 60'000'000'000);
            server.append(2 + i, EventKind::RecordWaiters, trace::kNoEntity, 2);
        }
        TimelineData data(server.trace);
        data.consume();
        TimelineLayout layout;
        TimelineMetrics metrics;
        QVERIFY(!layout.lowRecordsFor(data, metrics, 900)); // all six fit as they are
        QVERIFY(layout.lowRecordsFor(data, metrics, 400));
        layout.update(data, metrics);
        const int whole = layout.height();
        metrics.lowRecords = true;
        QVERIFY(layout.lowRecordsFor(data, metrics, 400)); // whatever they are now
        QVERIFY(layout.update(data, metrics));
        QVERIFY(layout.height() < whole * 3 / 4);
        for (const TimelineLayout::Row& row : layout.rows()) {
            const QRectF bar = metrics.bar(*row.lane, 0, 100);
            // Below the bar there is room for who waits.
            QVERIFY(row.lane->kind != LaneKind::Record || (bar.top() > 6 && bar.bottom() + 16 < row.height));
        }
    }

    void anEmptyQueueStaysEmptyAfterAGap() {
        Watched server;
        server.append(1, EventKind::RecordHeld, server.holder, 60'000'000'000);
        server.append(5, EventKind::RecordUnobserved, trace::kNoEntity, 0);
        server.append(8, EventKind::RecordObserved, trace::kNoEntity, 0);
        TimelineData data(server.trace);
        QVERIFY(server.lane(data).queue.empty());
    }

    void anEndThatNobodyKnowsIsNotCalledNever() {
        for (const auto& [end, never] : {std::pair(trace::kEndNotKnown, false), std::pair(trace::kNeverEnds, true)}) {
            Watched server;
            server.append(1, EventKind::RecordHeld, server.holder, end);
            TimelineData data(server.trace);
            const Lane& lane = server.lane(data);
            const QString words = laneState(data, lane, 2'000'000'000) + spanSentence(data, lane, lane.spans[0]) +
                                  leaseWords(*server.trace, lane.spans[0]).join(u' ');
            QVERIFY2(words.contains(QLatin1String("never")) == never, qPrintable(words));
        }
    }

    void idsThatBeginAlikeStayApart() {
        Watched server;
        server.append(1, EventKind::RecordHeld, server.holder, 60'000'000'000);
        const auto other = server.trace->intern(trace::EntityKind::Client, "a1b2c3d4-0000-1111-2222-bbbbbbbbbbbb");
        server.append(2, EventKind::RecordHeld, other, 60'000'000'000);
        TimelineData data(server.trace);
        const Lane& lane = server.lane(data);
        QCOMPARE(lane.spans.size(), std::size_t(2));
        QVERIFY(leaseWords(*server.trace, lane.spans[0]).last() != leaseWords(*server.trace, lane.spans[1]).last());
    }

    /// In a narrow bar the thread behind a name that somebody chose is left out, and the name is whole.
    void aChosenNameStaysWhole() {
        Watched server;
        const auto client = server.trace->intern(trace::EntityKind::Client, "checkout-1");
        const auto thread = server.trace->intern(trace::EntityKind::Thread, "22448", client);
        server.append(1, EventKind::RecordHeld, thread, 60'000'000'000);
        TimelineData data(server.trace);
        const Span& span = server.lane(data).spans[0];
        QVERIFY(leaseWords(*server.trace, span).contains(QStringLiteral("checkout-1")));
        const QString left = leaseLeftWords(*server.trace, span, 2'000'000'000).join(u'\n');
        QVERIFY2(left.contains(QStringLiteral("\ncheckout-1 · 58")), qPrintable(left));
    }
};

QTEST_MAIN(TestTimelineQueue)
#include "tst_timeline_queue.moc"
