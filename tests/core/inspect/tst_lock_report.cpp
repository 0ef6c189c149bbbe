// SPDX-License-Identifier: Apache-2.0
#include "inspect/lock_report.h"
#include "inspect/trace_feed.h"
#include "trace/recorder.h"

#include <QJsonArray>
#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

LockRow held(const char* name, const char* client, std::int64_t ttlMs) {
    LockRow row;
    row.name = name;
    row.format = "redisson";
    row.state = LockRow::State::Held;
    row.ttlMs = ttlMs;
    row.holders = {{client, "1", 1, {}, "exclusive"}};
    row.raw = {{name, "hash", ttlMs, QStringLiteral("x")}};
    return row;
}

LockReport report(Nanos at, std::vector<LockRow> locks) {
    LockReport report;
    report.at = at;
    report.locks = std::move(locks);
    return report;
}

std::vector<std::pair<LockChange::Kind, QByteArray>> summary(const std::vector<LockChange>& changes) {
    std::vector<std::pair<LockChange::Kind, QByteArray>> all;
    for (const LockChange& change : changes)
        all.emplace_back(change.kind, change.row.name);
    return all;
}

using Summary = std::vector<std::pair<LockChange::Kind, QByteArray>>;
using Kind = LockChange::Kind;

} // namespace

class TestLockReport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void printsTheContractsObject() {
        LockReport one = report(0s, {held("orders", "A", 5)});
        one.wallMs = 1'790'000'000'123;
        const QJsonObject json = toJson(one, QStringLiteral("redis://h:6379"));
        QCOMPARE(json.keys(),
                 (QStringList{QStringLiteral("endpoint"), QStringLiteral("locks"), QStringLiteral("observed_at")}));
        QCOMPARE(json[QLatin1String("observed_at")].toString(), QStringLiteral("2026-09-21T14:13:20.123Z"));
        QCOMPARE(json[QLatin1String("locks")].toArray().size(), 1);
    }
    void drainingTtlIsNoChange() {
        const auto before = report(1s, {held("a", "A", 30'000)});
        QVERIFY(changesBetween(before, report(6s, {held("a", "A", 25'000)})).empty());
        QVERIFY(changesBetween(before, report(6s, {held("a", "A", 24'950)})).empty());
    }
    void renewedTtlIsAChange() {
        const auto before = report(1s, {held("a", "A", 30'000)});
        QCOMPARE(summary(changesBetween(before, report(6s, {held("a", "A", 30'000)}))),
                 (Summary{{Kind::Changed, "a"}}));
        QCOMPARE(summary(changesBetween(before, report(6s, {held("a", "A", 10'000)}))),
                 (Summary{{Kind::Changed, "a"}}));
    }
    void locksThatComeGoAndChangeHands() {
        const auto before = report(1s, {held("a", "A", 1000), held("b", "A", 1000), held("d", "A", 1000)});
        const auto after = report(1s, {held("b", "B", 1000), held("c", "A", 1000), held("d", "A", 1000)});
        QCOMPARE(summary(changesBetween(before, after)),
                 (Summary{{Kind::Vanished, "a"}, {Kind::Changed, "b"}, {Kind::Appeared, "c"}}));
    }
    void ttlThatAppearsIsAChange() {
        LockRow never = held("a", "A", 1000);
        never.ttlMs.reset();
        never.neverExpires = true;
        const auto changes = changesBetween(report(1s, {never}), report(1s, {held("a", "A", 1000)}));
        QCOMPARE(changes.size(), 1u);
    }

    void reportsBecomeARecord() {
        auto trace = std::make_shared<trace::Trace>();
        Nanos now{};
        trace::Recorder recorder(trace, [&now] { return now; });
        TraceFeed feed(recorder, trace::kNoEntity,
                       [&](const Party& party) { return trace->intern(trace::EntityKind::Thread, party.client); });
        ReportFeed reports(feed);
        reports.write(report(0s, {held("a", "A", 1000), held("b", "A", 1000)}));
        now = 100ms;
        reports.write(report(100ms, {held("b", "B", 1000)}));
        LockReport trouble;
        trouble.trouble = redis::Error{};
        reports.write(trouble);
        reports.write(report(200ms, {held("b", "B", 900)}));

        using trace::EventKind;
        std::vector<std::pair<EventKind, QByteArray>> seen;
        for (std::size_t i = 0; i < trace->size(); ++i)
            seen.emplace_back(trace->at(i).kind, trace->entity(trace->at(i).subject).name);
        const std::vector<std::pair<EventKind, QByteArray>> expected = {
            {EventKind::RecordHeld, "a"},       {EventKind::RecordHeld, "b"},     {EventKind::RecordFreed, "b"},
            {EventKind::RecordHeld, "b"},       {EventKind::RecordFreed, "a"},    {EventKind::RecordUnobserved, "a"},
            {EventKind::RecordUnobserved, "b"}, {EventKind::RecordObserved, "a"}, {EventKind::RecordObserved, "b"},
            {EventKind::RecordDeadline, "b"}}; // 100 ms earlier, and by nobody that we know
        QCOMPARE(seen.size(), 10u);
        QCOMPARE(seen, expected);
    }
};

QTEST_GUILESS_MAIN(TestLockReport)
#include "tst_lock_report.moc"
