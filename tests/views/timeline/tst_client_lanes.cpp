// SPDX-License-Identifier: GPL-3.0-or-later
// When a client comes into sight where there are several locks.
#include "timeline/timeline_data.h"
#include "trace/trace.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

namespace {

const Lane* laneOf(const TimelineData& data, LaneKind kind, trace::EntityId entity) {
    for (const auto& lane : data.lanes())
        if (lane->kind == kind && lane->entity == entity) return lane.get();
    return nullptr;
}

} // namespace

class ClientLanesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whichOfSeveralLocksAClientIsThereForIsNotGuessed() {
        auto trace = std::make_shared<trace::Trace>();
        trace->intern(trace::EntityKind::Lock, "orders");
        const auto invoices = trace->intern(trace::EntityKind::Lock, "invoices");
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto thread = trace->intern(trace::EntityKind::Thread, "1", client);
        trace->append({.at = 0, .actor = client, .kind = EventKind::ClientStarted});
        TimelineData data(trace);
        data.consume();
        const auto beliefs = [&] {
            return std::ranges::count(data.lanes(), LaneKind::Belief, [](const auto& lane) { return lane->kind; });
        };
        // It is in sight all the same, with a lane of no lock.
        const Lane* const lane = laneOf(data, LaneKind::Belief, thread);
        QVERIFY(lane && lane->client == client && lane->life);
        QCOMPARE(lane->other, trace::kNoEntity);
        QCOMPARE(beliefs(), 1);
        const auto before = data.layoutVersion();
        // The first lock that it asks for takes that lane, the next one gets one of its own.
        trace->append({.at = 1000, .value = -1, .actor = thread, .subject = invoices, .kind = EventKind::Requested});
        data.consume();
        QCOMPARE(lane->other, invoices);
        QCOMPARE(beliefs(), 1);
        QVERIFY(data.layoutVersion() > before);
        QCOMPARE(lane->spans.size(), std::size_t(1));
        const auto orders = trace->intern(trace::EntityKind::Lock, "orders");
        trace->append({.at = 2000, .value = -1, .actor = thread, .subject = orders, .kind = EventKind::Requested});
        data.consume();
        QCOMPARE(beliefs(), 2);
        QCOMPARE(lane->other, invoices);
    }
};

QTEST_GUILESS_MAIN(ClientLanesTest)
#include "tst_client_lanes.moc"
