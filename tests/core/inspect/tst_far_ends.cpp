// SPDX-License-Identifier: Apache-2.0
// A person may let a lock end in the year 9999, to keep everybody out: more time than nanoseconds can count.
#include "alert_reports.h"
#include "inspect/lock_change.h"
#include "inspect/trace_feed.h"
#include "trace/recorder.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::test;

namespace {
constexpr std::int64_t kFar = 251'000'000'000'000; // ms
static_assert(kFar > Nanos::max() / 1ms);

LockRow heldForEver(std::int64_t ttlMs) {
    LockRow row = held("orders", "A");
    row.ttlMs = ttlMs;
    return row;
}
} // namespace

class TestFarEnds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theRecordLastsAndIsNotRenewedByTheClock() {
        const auto trace = std::make_shared<trace::Trace>();
        Nanos now = 1s;
        trace::Recorder recorder{trace, [&] { return now; }};
        TraceFeed feed{recorder, trace::kNoEntity, [&](const Party& party) {
                           return trace->intern(trace::EntityKind::Thread, "1",
                                                trace->intern(trace::EntityKind::Client, party.client));
                       }};
        feed.update("orders", heldForEver(kFar), {});
        std::vector<trace::Event> records;
        for (int look = 1; look < 20; ++look) {
            now += 1min;
            feed.update("orders", heldForEver(kFar - look * 60'000), {});
        }
        for (std::size_t i = 0; i < trace->size(); ++i)
            if (trace->at(i).kind == trace::EventKind::RecordHeld ||
                trace->at(i).kind == trace::EventKind::RecordRenewed)
                records.push_back(trace->at(i));
        QCOMPARE(records.size(), std::size_t(1));
        QVERIFY(records.front().value > Nanos(24h * 365).count());
    }

    void itsEndIsARelease() {
        const auto changes = changesBetween(report(1s, {heldForEver(kFar)}), report(3s, {}));
        QCOMPARE(changes.size(), std::size_t(1));
        QCOMPARE(changes.front().what, LockChange::What::Released);
    }

    void nobodyIsToldThatItEndsSoon() {
        AlertWatch watch = watching("left<1h");
        watch.observe(report(1s, {heldForEver(kFar)}));
        QCOMPARE(told(watch.check(1s)), QString());
        watch.observe(report(2s, {heldForEver(600'000)}));
        QCOMPARE(told(watch.check(2s)), QStringLiteral("left<1h orders"));
    }
};

QTEST_GUILESS_MAIN(TestFarEnds)
#include "tst_far_ends.moc"
