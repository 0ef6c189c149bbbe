// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/formats/named_table.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

constexpr std::int64_t kNow = 1'790'000'000'000;

/// One row of an answer; nullptr: NULL.
LockRow rowOf(const NamedTable& named, const char* name, const char* owner, const char* until) {
    const auto cell = [](const char* text) { return text ? std::optional(QByteArray(text)) : std::nullopt; };
    sql::Table answer;
    answer.rows.push_back({cell(name), cell(owner), cell(until), QByteArray::number(qlonglong(kNow))});
    return readNamedRow(named, answer, 0, "app.jobs").value_or(LockRow());
}

} // namespace

/// A lock table that the user names.
class TestNamedTable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void instantsAreRead_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qlonglong>("ms"); // -1: none
        const auto row = [](const char* text, qlonglong ms) { QTest::newRow(text) << QByteArray(text) << ms; };
        row("1790000000", 1'790'000'000'000);
        row("1790000000123", 1'790'000'000'123);
        row("0", 0);
        row("-5", -1);
        row("99999999999999999", -1);
        row("2026-09-21 14:13:20", 1'790'000'000'000);
        row("2026-09-21 14:13:20.123456", 1'790'000'000'123);
        row("2026-09-21T14:13:20Z", 1'790'000'000'000);
        row("2026-09-21 16:13:20+02", 1'790'000'000'000);
        row("2026-09-21 19:43:20.5+05:30", 1'790'000'000'500);
        row("2026-09-21 09:13:20-05", 1'790'000'000'000);
        row("2026-09-21", 1'789'948'800'000);
        row("2026-13-21 14:13:20", -1);
        row("soon", -1);
        row("", -1);
        row("infinity", -1);
    }
    void instantsAreRead() {
        QFETCH(QByteArray, text);
        QFETCH(qlonglong, ms);
        QCOMPARE(qlonglong(instantMs(text).value_or(-1)), ms);
    }

    void aRowIsHeldAsItsColumnsSay() {
        const NamedTable all{"jobs", "job", "node", "until"}, ownerOnly{"jobs", "job", "node", {}},
            endOnly{"jobs", "job", {}, "until"}, nameOnly{"jobs", "job", {}, {}};
        using State = LockRow::State;
        const LockRow held = rowOf(all, "nightly", "host-1", "1790000005");
        QVERIFY(held.state == State::Held && held.ttlMs == 5000 && !held.neverExpires);
        QCOMPARE(held.holders.at(0).client, QByteArray("host-1"));
        QVERIFY(held.certainty == Certainty::Likely);
        QVERIFY(held.entries.empty()); // it cannot be taken away: nobody knows what its clients expect
        QVERIFY(rowOf(all, "nightly", "host-1", "1789999999").state == State::Free);
        QVERIFY(rowOf(all, "nightly", nullptr, "1790000005").state == State::Free);
        QVERIFY(rowOf(all, "nightly", "", "1790000005").state == State::Free);
        const LockRow endless = rowOf(all, "nightly", "host-1", nullptr);
        QVERIFY(endless.state == State::Held && endless.neverExpires);
        QVERIFY(rowOf(all, "nightly", "host-1", "infinity").neverExpires);
        const LockRow unclear = rowOf(all, "nightly", "host-1", "soon");
        QVERIFY(unclear.state == State::Held && !unclear.ttlMs && !unclear.neverExpires);
        QVERIFY(unclear.certainty == Certainty::Guess);

        QVERIFY(rowOf(ownerOnly, "nightly", "host-1", nullptr).neverExpires);
        QVERIFY(rowOf(ownerOnly, "nightly", nullptr, nullptr).state == State::Free);
        QVERIFY(rowOf(endOnly, "nightly", nullptr, "1790000005").state == State::Held);
        QVERIFY(rowOf(endOnly, "nightly", nullptr, nullptr).state == State::Free);
        QVERIFY(rowOf(endOnly, "nightly", nullptr, "1790000005").holders.empty());
        QVERIFY(rowOf(nameOnly, "nightly", nullptr, nullptr).neverExpires);
        QVERIFY(rowOf(nameOnly, nullptr, nullptr, nullptr).format.isEmpty()); // no row
    }

    void itsNamesAreFoundWhateverTheirCase() {
        const NamedTable named{"App.Jobs", "JOB", "node", "until"};
        TableName there{"app", "jobs", {"id", "Job", "NODE", "until"}};
        QVERIFY(named.is(there) && named.missingIn(there).isEmpty());
        QCOMPARE(queryOf(named, sql::Language::PostgreSql, there, 10),
                 QByteArray("SELECT (\"Job\")::text, (\"NODE\")::text, (\"until\")::text, "
                            "(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM \"app\".\"jobs\" LIMIT 10"));
        there.columns = {"id", "Job"};
        QCOMPARE(named.missingIn(there), QByteArray("node"));
        QVERIFY(!named.is({"other", "jobs", {}}));
        QVERIFY(!NamedTable{}.is(there));
        // A name stays a name, with anything in it.
        const NamedTable odd{"jobs", "a\"; DROP TABLE x --", {}, {}};
        QVERIFY(queryOf(odd, sql::Language::Sqlite, {{}, "jobs", {"a\"; DROP TABLE x --"}}, 1)
                    .startsWith("SELECT CAST(\"a\"\"; DROP TABLE x --\" AS TEXT), NULL, NULL, "));
    }
};

QTEST_GUILESS_MAIN(TestNamedTable)
#include "tst_named_table.moc"
