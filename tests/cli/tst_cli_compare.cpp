// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QTemporaryDir>

using namespace lockscope::tests;

class tst_cli_compare : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCellIsOneObjectInTheOrderOfTheContract() {
        const Ran ran = program("compare --recipes redis-set --scenarios gc-pause --seeds 1..5 --json");
        QVERIFY2(ran.status == 0 && ran.err.isEmpty(), ran.told());
        QCOMPARE(ran.out.trimmed().count('\n'), 0);
        qsizetype at = 0;
        for (const char* field :
             {"recipe", "scenario", "outcome", "invariants", "recovery_ms", "acquisitions", "wait_p50_ms",
              "wait_p99_ms", "requests_per_acquisition", "seeds", "expected", "as_expected", "starved"}) {
            const qsizetype found = ran.out.indexOf('"' + QByteArray(field) + "\":");
            QVERIFY2(found >= at, field);
            at = found;
        }
        const QJsonObject cell = ran.object();
        QCOMPARE(cell[u"outcome"], QJsonValue(QStringLiteral("violated")));
        QCOMPARE(cell[u"expected"], QJsonValue(QStringLiteral("violated")));
        QCOMPARE(cell[u"as_expected"], QJsonValue(true));
        QCOMPARE(cell[u"invariants"][u"mutual-exclusion"], QJsonValue(QStringLiteral("violated")));
        QCOMPARE(cell[u"invariants"][u"ownership"], QJsonValue(QStringLiteral("holds")));
        QCOMPARE(cell[u"seeds"], QJsonValue(5));
        QVERIFY(cell[u"acquisitions"].toInt() > 20);
        QVERIFY(cell[u"wait_p50_ms"].toDouble() > 0);
        QVERIFY(cell[u"wait_p99_ms"].toDouble() >= cell[u"wait_p50_ms"].toDouble());
        QVERIFY(cell[u"requests_per_acquisition"].toDouble() > 1);
    }

    /// The figures are those of the very runs that `simulate` makes.
    void theFiguresAreThoseOfSimulate() {
        const Ran compared = program("compare --recipes redis-set --scenarios contention --seeds 1..3 --json");
        int acquisitions = 0;
        for (const QJsonObject& run : program("simulate contention --recipe redis-set --seeds 1..3 --json").objects())
            acquisitions += run[u"acquisitions"].toInt();
        QVERIFY2(compared.status == 0, compared.told());
        QCOMPARE(compared.object()[u"acquisitions"], QJsonValue(acquisitions));
        QVERIFY(compared.object()[u"recovery_ms"].isNull()); // nothing fails
    }

    void aRecipeThatLetsAWaiterStarveStalls() {
        const Ran ran = program("compare --scenarios rw-writer-starvation --seeds 1..2 --json");
        QVERIFY2(ran.status == 0, ran.told());
        for (const QJsonObject& cell : ran.objects()) {
            const bool starves = cell[u"recipe"] == QJsonValue(QStringLiteral("redis-rw"));
            const QString outcome = starves ? QStringLiteral("stalled") : QStringLiteral("safe");
            QCOMPARE(cell[u"outcome"], QJsonValue(outcome));
            QCOMPARE(cell[u"expected"], QJsonValue(outcome));
            QCOMPARE(cell[u"starved"], QJsonValue(starves ? 2 : 0));
            QCOMPARE(cell[u"as_expected"], QJsonValue(true));
        }
        const Ran table = program("compare --scenarios rw-writer-starvation --recipes redis-rw --seed 1 --to markdown");
        QVERIFY2(table.out.contains("■ a waiter starved"), table.told());
    }

    void recipesOfAKindAreCompared() {
        const Ran ran = program("compare --recipes zk-* --scenarios contention,crash-holder --seeds 1..2 --json");
        QVERIFY2(ran.status == 0, ran.told());
        QSet<QString> recipes, scenarios;
        for (const QJsonObject& cell : ran.objects()) {
            recipes += cell[u"recipe"].toString();
            scenarios += cell[u"scenario"].toString();
            QCOMPARE(cell[u"as_expected"], QJsonValue(true));
        }
        QVERIFY(recipes.contains(QStringLiteral("zk-mutex")) && recipes.contains(QStringLiteral("zk-sequential")));
        QCOMPARE(scenarios, (QSet<QString>{QStringLiteral("contention"), QStringLiteral("crash-holder")}));
    }

    void whatIsNotAsExpectedIsSaidAndExitsWithOne() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("mine.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"lockscope": 1, "id": "mine", "title": "Mine", "until": "20s", "clients": {"count": 2},
                       "expect": {"redis-set": {"violates": ["mutual-exclusion"]}}})");
        file.close();
        const QStringList words{QStringLiteral("compare"),   QStringLiteral("--scenarios"), file.fileName(),
                                QStringLiteral("--recipes"), QStringLiteral("redis-set"),   QStringLiteral("--seeds"),
                                QStringLiteral("7..9"),      QStringLiteral("--json")};
        const Ran ran = program(words);
        QVERIFY2(ran.status == 1, ran.told());
        QCOMPARE(ran.object()[u"as_expected"], QJsonValue(false));
        QVERIFY2(ran.err.contains("mine with redis-set") && ran.err.contains("seed 7: mutual-exclusion"), ran.told());
        // The file promises nothing for this one.
        QStringList other = words;
        other[4] = QStringLiteral("redis-reentrant");
        const Ran unknown = program(other);
        QVERIFY2(unknown.status == 4 && unknown.err.isEmpty(), unknown.told());
        QVERIFY(unknown.object()[u"expected"].isNull() && unknown.object()[u"as_expected"].isNull());
    }

    void whatAFileLeavesOpenIsAny() {
        const Ran ran = program("compare --scenarios sql-half-open --recipes sql-advisory --seed 1 --json");
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(ran.object()[u"expected"], QJsonValue(QStringLiteral("any")));
        QCOMPARE(ran.object()[u"as_expected"], QJsonValue(true));
        const Ran table = program("compare --scenarios sql-half-open --recipes sql-advisory --seed 1 --to csv");
        QVERIFY2(table.out.contains(",any,true"), table.told());
    }

    /// Each concrete expectation is the outcome, or worse than that by an outage that nobody noticed.
    void aServersClockIsToldAsItComesOut() {
        const Ran ran = program("compare --scenarios museum-server-clock,sql-failover-semi-sync --seeds 1..3 --json");
        QVERIFY2(ran.status == 0, ran.told());
        for (const QJsonObject& cell : ran.objects())
            QVERIFY2(cell[u"expected"] == cell[u"outcome"], ran.told());
    }

    void tablesForPeople() {
        const QByteArray words = "compare --recipes redis-set,zk-mutex --scenarios contention,gc-pause --seeds 1..2";
        const Ran markdown = program(words + " --to markdown");
        QVERIFY2(markdown.status == 0, markdown.told());
        QVERIFY2(markdown.out.contains("| Scenario | redis-set | zk-mutex |") &&
                     markdown.out.contains("| gc-pause | \xE2\x9C\x97 mutual-exclusion, stale-write |") &&
                     markdown.out.contains("Requests per acquisition"),
                 markdown.told());
        QVERIFY2(
            markdown.out.contains("|  | Cache | ZooKeeper |") && // sorts of servers, of which the others were not asked
                markdown.out.contains("| Understanding, implementation: steps of the algorithm |") &&
                markdown.out.contains("| Safety: nothing violated but progress | 1 of 2 | 1 of 2 |"),
            markdown.told());
        // Each line of a table has as many cells as its head.
        QByteArray head;
        for (const QByteArray& line : markdown.out.split('\n')) {
            if (!line.startsWith('|'))
                head.clear();
            else if (head.isEmpty())
                head = line;
            else
                QCOMPARE(line.count('|'), head.count('|'));
        }
        const Ran html = program(words + " --to html");
        QVERIFY2(html.status == 0 && html.out.startsWith("<!DOCTYPE html>") && html.out.count("<table>") == 3 &&
                     html.out.count("<table>") == html.out.count("</table>") &&
                     html.out.contains("<th>gc-pause</th><td>"),
                 html.told());
        const Ran csv = program(words + " --to csv");
        const auto lines = csv.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 5);
        for (const QByteArray& line : lines)
            QCOMPARE(line.count(','), lines.front().count(','));
        QVERIFY2(lines[3].startsWith("redis-set,gc-pause,violated,mutual-exclusion stale-write,"), csv.told());
        const Ran text = program(words);
        QVERIFY2(text.status == 0 && text.out.contains("4 of 4 cells are as expected; 8 runs"), text.told());
    }

    /// A recipe that exists to be seen failing says nothing about its servers.
    void sortsOfServersAreMeasuredByTheirSoundRecipes() {
        const QByteArray words = "compare --scenarios contention --seed 1 --to markdown --recipes ";
        QVERIFY(!program(words + "redis-setnx").out.contains("Which servers for a lock"));
        const Ran both = program(words + "redis-setnx,redis-set,sql-for-update");
        QVERIFY2(both.out.contains("|  | Database | Cache |") &&
                     both.out.contains("| Safety: and granted again to the end | 1 of 1 | 1 of 1 |"),
                 both.told());
        // As in the table of recipes, so in this one.
        const auto requests = [&](const QByteArray& row, int cell) {
            for (const QByteArray& line : both.out.split('\n'))
                if (line.startsWith("| " + row + " |")) return line.split('|')[cell].trimmed();
            return QByteArray();
        };
        QVERIFY(!requests("redis-set", 5).isEmpty());
        QCOMPARE(requests("Performance: requests per acquisition", 3), requests("redis-set", 5));
        QCOMPARE(requests("Performance: requests per acquisition", 2), requests("sql-for-update", 5));
    }

    void mistakesAreNamed() {
        const Ran recipe = program("compare --recipes redis-sat");
        QVERIFY2(recipe.status == 2 && recipe.err.contains("redis-sat") && recipe.err.contains("redis-set"),
                 recipe.told());
        const Ran scenario = program("compare --scenarios gc-pose");
        QVERIFY2(scenario.status == 2 && scenario.err.contains("gc-pose"), scenario.told());
        const Ran form = program("compare --to latex");
        QVERIFY2(form.status == 2 && form.err.contains("latex"), form.told());
        const Ran both = program("compare --json --to csv");
        QVERIFY2(both.status == 2 && both.err.contains("not both"), both.told());
        const Ran many = program("compare --seeds 1..1000001");
        QVERIFY2(many.status == 2 && many.err.contains("1000000"), many.told());
        const Ran none = program("compare --recipes zk-herd --scenarios contention");
        QVERIFY2(none.status == 2, none.told());
        const Ran unfit = program("compare --recipes redis-redlock --scenarios zk-suspended");
        QVERIFY2(unfit.status == 2 && unfit.err.contains("none of these scenarios"), unfit.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_compare)
#include "tst_cli_compare.moc"
