// SPDX-License-Identifier: Apache-2.0
// The table of published failures, resources/scenarios/MUSEUM.md, against the scenarios that it names.
#include "scenario/scenario_file.h"
#include "scenario/scenario_source.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace lockscope;

namespace {

struct Row {
    QString number;
    QStringList scenarios;
    QString outcome;
};

QList<Row> rows() {
    QFile file(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/resources/scenarios/MUSEUM.md"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no table");
    static const QRegularExpression kScenario(QStringLiteral("`([^`]+)`"));
    QList<Row> all;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        const QStringList cells = line.split(QStringLiteral(" | "));
        bool numbered = false;
        cells.front().mid(2).toInt(&numbered);
        if (!numbered || cells.size() != 5) continue;
        Row row{cells.front().mid(2), {}, cells.back().chopped(2)};
        for (auto it = kScenario.globalMatch(cells[3]); it.hasNext();)
            row.scenarios += it.next().captured(1);
        all += row;
    }
    return all;
}

int sentencesIn(const QString& text) {
    static const QRegularExpression kEnd(QStringLiteral("[.!?](?= |$)|[。！？]"));
    return int(text.count(kEnd));
}

} // namespace

class TestMuseum : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachFailureCanBeSeenOrSaysWhyNot() {
        const QList<Row> all = rows();
        QCOMPARE(all.size(), 55);
        for (qsizetype i = 0; i < all.size(); ++i) {
            QCOMPARE(all[i].number.toInt(), int(i) + 1);
            QVERIFY(!all[i].outcome.isEmpty());
            for (const QString& id : all[i].scenarios)
                QVERIFY2(scenario::builtinScenarios().contains(id), qPrintable(id));
        }
    }

    void eachScenarioOfTheTableNamesItsSource() {
        QSet<QString> named;
        for (const Row& row : rows()) {
            for (const QString& id : row.scenarios) {
                const QString source = scenario::scenarioSource(id);
                QVERIFY2(!source.isEmpty(), qPrintable(QStringLiteral("%1, in row %2").arg(id, row.number)));
                const QString names = scenario::sourceNames(source);
                QVERIFY2(!names.isEmpty() && !names.contains(QLatin1String("http")), qPrintable(names));
                QCOMPARE(names, names.trimmed());
                named += id;
            }
        }
        for (const QString& id : scenario::builtinScenarios())
            if (id.startsWith(QLatin1String("museum-"))) QVERIFY2(named.contains(id), qPrintable(id));
        QVERIFY(scenario::scenarioSource(QStringLiteral("contention")).isEmpty());
        QVERIFY(scenario::scenarioSource(QStringLiteral("no-such-scenario")).isEmpty());
    }

    void addressesAreLeftOutOfNames() {
        QCOMPARE(scenario::sourceNames(QStringLiteral("Redisson issue 1, https://a.example/x#y; Curator issue 2")),
                 QStringLiteral("Redisson issue 1; Curator issue 2"));
        QCOMPARE(scenario::sourceNames(QString()), QString());
    }

    void anExhibitIsTwoSentences() {
        for (const QString& id : scenario::builtinScenarios()) {
            if (!id.startsWith(QLatin1String("museum-"))) continue;
            const auto loaded = scenario::loadScenario(id);
            QVERIFY(loaded.has_value());
            for (const char* const language : {"en", "zh_CN"}) {
                const QString summary = loaded->summaryIn(QString::fromLatin1(language));
                QVERIFY2(sentencesIn(summary) <= 2, qPrintable(QStringLiteral("%1: %2").arg(id, summary)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestMuseum)
#include "tst_museum.moc"
