// SPDX-License-Identifier: Apache-2.0
// Usual lengths of holds over days: the median, what is forgotten, and the file.
#include "session/usual_holds.h"

#include <QTest>

using namespace lockscope;
using session::UsualHolds;

namespace {
constexpr std::int64_t kDay = 86'400'000, kNow = 20'000 * kDay + 5'000'000;

bool isAbout(Nanos a, Nanos b) {
    return std::abs(double(a.count()) / double(b.count()) - 1) <= 0.11;
}
} // namespace

class TestUsualHolds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itIsTheMedian_data() {
        QTest::addColumn<qint64>("ns");
        for (const Nanos held : {Nanos(1ms), Nanos(40ms), Nanos(3s), Nanos(5min), Nanos(30h)})
            QTest::addRow("%lld", static_cast<long long>(held.count())) << qint64(held.count());
    }
    void itIsTheMedian() {
        QFETCH(qint64, ns);
        const Nanos held(ns);
        UsualHolds holds;
        for (int i = 0; i < 4; ++i)
            holds.note("orders", held, kNow);
        QCOMPARE(holds.usualOf("orders", kNow), Nanos(0)); // too few
        holds.note("orders", held, kNow);
        holds.note("orders", held * 50, kNow);
        holds.note("orders", held / 50, kNow);
        QVERIFY2(isAbout(holds.usualOf("orders", kNow), held),
                 qPrintable(QString::number(holds.usualOf("orders", kNow).count())));
        QCOMPARE(holds.usualOf("stock", kNow), Nanos(0));
    }

    void afterFourteenDaysItIsForgotten() {
        UsualHolds holds;
        for (int i = 0; i < 9; ++i)
            holds.note("orders", 1h, kNow);
        QVERIFY(isAbout(holds.usualOf("orders", kNow + 13 * kDay), 1h));
        QCOMPARE(holds.usualOf("orders", kNow + 14 * kDay), Nanos(0));
        for (int i = 0; i < 5; ++i)
            holds.note("orders", 2s, kNow + 14 * kDay);
        QVERIFY(isAbout(holds.usualOf("orders", kNow + 14 * kDay), 2s));
        QVERIFY(!holds.toJson(kNow + 28 * kDay).contains("orders"));
    }

    void theFileHasWhatWasKept() {
        UsualHolds holds;
        const QByteArray odd("a \"name\"\n\xff\x01/%41", 16);
        for (int i = 0; i < 6; ++i) {
            holds.note(odd, 3s, kNow);
            holds.note("orders", 20ms, kNow - kDay);
        }
        const auto read = UsualHolds::fromJson(holds.toJson(kNow));
        QVERIFY2(read, read ? "" : qPrintable(read.error()));
        QCOMPARE(read->usualOf(odd, kNow), holds.usualOf(odd, kNow));
        QVERIFY(isAbout(read->usualOf("orders", kNow), 20ms));
        UsualHolds both = *read;
        both.merge(holds);
        QCOMPARE(both.usualOf(odd, kNow), holds.usualOf(odd, kNow));
    }

    void aFileOfSomethingElseIsRefused() {
        QVERIFY(!UsualHolds::fromJson("no JSON"));
        QVERIFY(!UsualHolds::fromJson(R"({"version": 2, "locks": {}})"));
        const auto odd = UsualHolds::fromJson(R"({"version": 1, "locks": {"a": 3, "b": {"x": {"900": 1, "3": -4}}}})");
        QVERIFY(odd && odd->empty());
    }

    void aDayOfTheFutureDoesNotCount() {
        UsualHolds holds; // the clock was set back since
        for (int i = 0; i < 9; ++i)
            holds.note("orders", 1min, kNow + 3 * kDay);
        QCOMPARE(holds.usualOf("orders", kNow), Nanos(0));
        for (int i = 0; i < 6; ++i)
            holds.note("orders", 1s, kNow);
        QVERIFY(isAbout(holds.usualOf("orders", kNow), 1s));
    }

    void whatAFileClaimsIsBounded() {
        const QByteArray day = QByteArray::number(qlonglong(kNow / kDay));
        const auto huge = UsualHolds::fromJson(
            QByteArray(R"({"version": 1, "locks": {"a": {"%1": {"1": 9e18, "2": 9e18, "3": 9e18}, "noon": {"4": 5}}}})")
                .replace("%1", day));
        QVERIFY(huge);
        QVERIFY(isAbout(huge->usualOf("a", kNow), 131us)); // the middle one
    }

    void itStaysSmall() {
        UsualHolds holds;
        for (int i = 0; i < 3 * int(UsualHolds::kMostLocks); ++i)
            holds.note("lock-" + QByteArray::number(i), 1s, kNow + i);
        holds.note(QByteArray(UsualHolds::kLongestName + 1, 'x'), 1s, kNow);
        for (int day = 0; day < 100; ++day)
            for (int i = 0; i < 3; ++i)
                holds.note("busy", 1s, kNow + day * kDay);
        const std::int64_t end = kNow + 99 * kDay;
        UsualHolds other;
        other.merge(holds);
        QVERIFY(other.toJson(end).size() < 300'000);
        QVERIFY(!other.toJson(end).contains("xxx"));
        QVERIFY(isAbout(other.usualOf("busy", end), 1s));
    }
};

QTEST_GUILESS_MAIN(TestUsualHolds)
#include "tst_usual_holds.moc"
