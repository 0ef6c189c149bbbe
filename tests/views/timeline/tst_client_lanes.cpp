// SPDX-License-Identifier: GPL-3.0-or-later
// When a client comes into sight where there are several locks, how many times it holds one, and if engines change.
#include "models/engine_words.h"
#include "timeline/lane_notes.h"
#include "timeline/timeline_data.h"
#include "timeline/words.h"
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

/// "state × holds : from – to" of Lane::again, in seconds.
QString againText(const Lane& lane) {
    QStringList texts;
    for (std::size_t i = 0; i < lane.again.size(); ++i) {
        const Span& s = lane.again[i];
        texts << QStringLiteral("%1x%2:%3-%4").arg(s.state).arg(s.label).arg(s.from).arg(s.open() ? -1 : s.to);
    }
    return texts.join(u' ');
}

} // namespace

class ClientLanesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// One client that cannot read which engine is in use is alone with it: others get in.
    void aClientThatCannotReadTheRecordIsNoSwitch() {
        auto trace = std::make_shared<trace::Trace>();
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto leaves = [&](std::int64_t at, const char* why) {
            trace->append({.at = at,
                           .value = 1,
                           .actor = client,
                           .aux = trace->text(QByteArray("redis://redis-2:6379 redis-set\n") + why),
                           .kind = EventKind::EngineChanged,
                           .flags = std::uint8_t(trace::EngineNews::Leaving)});
        };
        leaves(1000, "unreadable");
        QVERIFY(!leavesForASwitch(trace->at(0), *trace));
        TimelineData data(trace);
        data.consume();
        QVERIFY(data.engineSwitches().empty());
        leaves(2000, "health");
        QVERIFY(leavesForASwitch(trace->at(1), *trace));
        data.consume();
        QCOMPARE(data.engineSwitches().size(), 1u);
    }

    void aChangeOfEnginesIsNoLossOfAServer() {
        const auto trace = std::make_shared<trace::Trace>();
        const trace::EntityId client = trace->intern(trace::EntityKind::Client, "A"),
                              a = trace->intern(trace::EntityKind::Thread, "1", client),
                              lock = trace->intern(trace::EntityKind::Lock, "orders");
        const auto lost = std::uint8_t(trace::FreedBy::NodeLoss);
        trace->append({1'000'000'000, -1, a, lock, 1, EventKind::RecordHeld, 0});
        trace->append({2'000'000'000, 0, 0, 0, trace->text("engine=zookeeper"), EventKind::SettingChanged, 0});
        trace->append({2'000'000'000, 0, 0, lock, a, EventKind::RecordFreed, lost});
        trace->append({3'000'000'000, -1, a, lock, 1, EventKind::RecordHeld, 0});
        trace->append({4'000'000'000, 0, 0, lock, a, EventKind::RecordFreed, lost});
        TimelineData data(trace);
        data.consume();
        const TickTrack& ticks = laneOf(data, LaneKind::Record, lock)->ticks;
        QCOMPARE(ticks.size(), std::size_t(2));
        QCOMPARE(recordTickWords(*trace, ticks[0]), u"another engine decides"_qs);
        QCOMPARE(recordTickWords(*trace, ticks[1]), u"lost with its server"_qs);
    }

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

    void holdsAreCountedAndAWaitForItselfIsTold() {
        auto trace = std::make_shared<trace::Trace>();
        const auto lock = trace->intern(trace::EntityKind::Lock, "orders");
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto thread = trace->intern(trace::EntityKind::Thread, "1", client);
        const auto at = [&](std::int64_t t, EventKind kind, std::int64_t value, std::uint32_t aux) {
            trace->append({.at = t, .value = value, .actor = thread, .subject = lock, .aux = aux, .kind = kind});
        };
        at(1, EventKind::Requested, -1, 0);
        at(2, EventKind::Granted, 0, 1);
        at(4, EventKind::Requested, -1, 0);
        TimelineData data(trace);
        data.consume();
        const Lane* const lane = laneOf(data, LaneKind::Belief, thread);
        QVERIFY(lane);
        QCOMPARE(againText(*lane), QStringLiteral("2x1:4--1")); // nobody but itself holds it
        QCOMPARE(laneState(data, *lane, 4), QStringLiteral("holds, waits for itself"));
        at(6, EventKind::Reentered, 0, 2);
        at(8, EventKind::Released, 0, 1);
        at(9, EventKind::Released, 0, 0);
        data.consume();
        QCOMPARE(againText(*lane), QStringLiteral("2x1:4-6 0x2:6-8"));
        QCOMPARE(laneState(data, *lane, 7), QStringLiteral("holds, held 2×"));
        QCOMPARE(laneState(data, *lane, 8), QStringLiteral("holds"));
        QVERIFY2(againSentence(data, *lane, lane->again[1]).contains(QLatin1String("2 times")),
                 qPrintable(againSentence(data, *lane, lane->again[1])));
    }

    void aHoldThatEndsEndsItsCount() {
        auto trace = std::make_shared<trace::Trace>();
        const auto lock = trace->intern(trace::EntityKind::Lock, "orders");
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto thread = trace->intern(trace::EntityKind::Thread, "1", client);
        const auto at = [&](std::int64_t t, EventKind kind, std::uint32_t aux) {
            trace->append({.at = t, .actor = thread, .subject = lock, .aux = aux, .kind = kind});
        };
        at(2, EventKind::Granted, 1);
        at(3, EventKind::Reentered, 2);
        trace->append({.at = 5, .actor = client, .kind = EventKind::ClientKilled});
        at(7, EventKind::Granted, 1);
        at(8, EventKind::Reentered, 2);
        at(9, EventKind::Lost, 0);
        TimelineData data(trace);
        data.consume();
        QCOMPARE(againText(*laneOf(data, LaneKind::Belief, thread)), QStringLiteral("0x2:3-5 0x2:8-9"));
    }

    void aHolderWithoutANameIsSomebody() {
        auto trace = std::make_shared<trace::Trace>();
        const auto lock = trace->intern(trace::EntityKind::Lock, "latch");
        const auto unnamed =
            trace->intern(trace::EntityKind::Thread, "1", trace->intern(trace::EntityKind::Client, ""));
        const auto named = trace->intern(trace::EntityKind::Thread, "1", trace->intern(trace::EntityKind::Client, "A"));
        const auto held = [&](std::int64_t at, trace::EntityId by) {
            trace->append({.at = at, .value = -2, .actor = by, .subject = lock, .kind = EventKind::RecordHeld});
        };
        held(1, unnamed);
        held(5, named);
        TimelineData data(trace);
        data.consume();
        const Lane* const lane = laneOf(data, LaneKind::Record, lock);
        QVERIFY(lane);
        QVERIFY2(laneState(data, *lane, 2).contains(QLatin1String("held by somebody")),
                 qPrintable(laneState(data, *lane, 2)));
        // Beside the playhead a bare name comes last: it does not say what the client does.
        QCOMPARE(laneNotes(data, *lane, 5).value(1), QStringLiteral("held by A"));
    }
};

QTEST_GUILESS_MAIN(ClientLanesTest)
#include "tst_client_lanes.moc"
