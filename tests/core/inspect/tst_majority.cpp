// SPDX-License-Identifier: Apache-2.0
// One lock on several servers that know nothing of each other: what they say together.
#include "inspect/lock_change.h"
#include "inspect/redis/majority.h"
#include "inspect/redis/majority_ends.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using State = LockRow::State;

namespace {

/// A copy by which `client` holds the lock for so long; "-" = free; "?" = not known.
LockRow copyOf(const char* client, std::int64_t ttlMs = 10'000) {
    LockRow copy;
    copy.name = "orders";
    if (*client == '?') copy.state = State::NotKnown;
    if (*client == '?' || *client == '-') return copy;
    copy.format = "string";
    copy.state = State::Held;
    copy.ttlMs = ttlMs;
    copy.holders.resize(1);
    copy.holders.front().client = client;
    return copy;
}

} // namespace

class TestMajority : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatServersSayTogether_data() {
        using Clients = std::vector<QByteArray>;
        QTest::addColumn<Clients>("copies");
        QTest::addColumn<int>("state");
        const auto row = [](const char* name, Clients copies, State state) {
            QTest::newRow(name) << std::move(copies) << int(state);
        };
        row("all", {"a", "a", "a"}, State::Held);
        row("two of three", {"a", "-", "a"}, State::Held);
        row("two of three, one away", {"?", "a", "a"}, State::Held);
        row("a minority", {"-", "a", "-"}, State::Free);
        row("a minority, and one away that may have it, too", {"?", "a", "-"}, State::NotKnown);
        row("nothing on two, one away", {"?", "-", "-"}, State::Free);
        row("one of three seen", {"?", "?", "a"}, State::NotKnown);
        row("none seen", {"?", "?", "-"}, State::NotKnown);
        row("three clients", {"a", "b", "c"}, State::Free);
        row("two of five, one away", {"a", "a", "-", "b", "?"}, State::NotKnown);
        row("one of five each, one away", {"a", "b", "-", "-", "?"}, State::Free);
        row("three of five, against two", {"b", "a", "b", "a", "a"}, State::Held);
        row("two servers need both", {"a", "-"}, State::Free);
    }
    void whatServersSayTogether() {
        QFETCH(std::vector<QByteArray>, copies);
        QFETCH(int, state);
        std::vector<LockRow> rows;
        for (const QByteArray& client : copies)
            rows.push_back(copyOf(client.constData()));
        const LockRow row = logicalRow(std::move(rows), copies.size() / 2 + 1);
        QCOMPARE(int(row.state), state);
        QCOMPARE(row.name, QByteArray("orders"));
        QCOMPARE(row.copies.size(), copies.size());
        QCOMPARE(row.holders.empty(), State(state) != State::Held);
        if (State(state) == State::Held)
            QCOMPARE(row.holders.front().client, QByteArray("a"));
        else
            QVERIFY(row.expires() == LockRow::Expires::Unknown);
    }

    /// Each renewal reaches the servers one after the other, with a look between them.
    void aRenewalIsToldOnce_data() {
        QTest::addColumn<std::vector<int>>("reaches"); // by server: how long after the first one; -1: never
        QTest::newRow("at once") << std::vector{0, 0, 0};
        QTest::newRow("servers far apart") << std::vector{0, 150, 300};
        QTest::newRow("in another order") << std::vector{300, 0, 150};
        QTest::newRow("one is never reached") << std::vector{0, 150, -1};
    }
    void aRenewalIsToldOnce() {
        QFETCH(std::vector<int>, reaches);
        constexpr int kLease = 30'000, kRenewedEach = 10'000, kLook = 50, kRenewals = 4;
        constexpr int kClocks = 1'000'000; // each server has a clock of its own
        MajorityEnds ends;
        LockReport last;
        int renewed = 0, others = 0;
        for (int now = 500; now < (kRenewals + 1) * kRenewedEach; now += kLook) {
            std::vector<LockRow> copies;
            for (int server = 0; server < 3; ++server) {
                const int late = reaches[std::size_t(server)];
                const int at = late < 0 ? 0 : (now - late) / kRenewedEach * kRenewedEach + late;
                // The one that is never renewed has a lease that lasts.
                const std::int64_t end = at + (late < 0 ? 10 * kLease : kLease);
                LockRow copy = copyOf("a", end - now);
                copy.ends = EndsWithin{end + server * kClocks - 2, end + server * kClocks + 2};
                copies.push_back(std::move(copy));
            }
            LockReport report;
            report.at = std::chrono::milliseconds(now);
            report.complete = true;
            report.locks.push_back(logicalRow(std::move(copies), 2));
            ends.settle(report.locks.front(), report.at);
            QVERIFY(report.locks.front().ends);
            const bool first = last.locks.empty();
            for (const LockChange& change : changesBetween(last, report))
                if (!first) ++(change.what == LockChange::What::Renewed ? renewed : others);
            last = std::move(report);
        }
        QCOMPARE(renewed, kRenewals);
        QCOMPARE(others, 0);
    }

    void anEarlierEndOfAMajorityIsTold() {
        MajorityEnds ends;
        const auto settled = [&](std::int64_t third) {
            std::vector<LockRow> copies{copyOf("a", 9'000), copyOf("-"), copyOf("a", third)};
            for (LockRow& copy : copies)
                if (copy.ttlMs) copy.ends = EndsWithin{*copy.ttlMs, *copy.ttlMs};
            LockRow row = logicalRow(std::move(copies), 2);
            ends.settle(row, 1s);
            return *row.ends;
        };
        const EndsWithin before = settled(8'000);
        QVERIFY(endMoved(before, settled(2'000)) == EndMoved::Earlier);
    }

    void aMajorityEndsWithTheShortestOfItsLongestCopies() {
        LockRow row = logicalRow({copyOf("a", 9'000), copyOf("a", 1'000), copyOf("a", 5'000)}, 2);
        QCOMPARE(*row.ttlMs, 5'000);
        row = logicalRow({copyOf("a", 9'000), copyOf("b", 8'000), copyOf("a", 5'000)}, 2);
        QCOMPARE(*row.ttlMs, 5'000);
        // A copy that never ends outlasts all others, and does not make a majority alone.
        LockRow endless = copyOf("a");
        endless.ttlMs.reset();
        endless.neverExpires = true;
        row = logicalRow({endless, copyOf("a", 3'000), copyOf("a", 4'000)}, 2);
        QCOMPARE(*row.ttlMs, 4'000);
        row = logicalRow({endless, endless, copyOf("a", 4'000)}, 2);
        QVERIFY(row.neverExpires && !row.ttlMs);
    }

    void nobodyIsNamedWhereValuesNameNobody() {
        const auto nameless = [](const char* value) {
            LockRow copy = copyOf("");
            copy.holders.clear();
            copy.raw.push_back({"orders", "string", 10'000, QJsonValue(QString::fromLatin1(value))});
            return copy;
        };
        QCOMPARE(logicalRow({nameless("1"), nameless("2"), copyOf("-")}, 2).state, State::Free);
        QCOMPARE(logicalRow({nameless("1"), nameless("1"), copyOf("-")}, 2).state, State::Held);
    }
};

QTEST_APPLESS_MAIN(TestMajority)
#include "tst_majority.moc"
