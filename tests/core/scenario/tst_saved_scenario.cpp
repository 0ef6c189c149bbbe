// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include <QTest>
#include <QTranslator>

using namespace lockscope;
using scenario::savedAs;

class TestSavedScenario : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasSabotagedPromisesNothing() {
        auto plain = scenario::loadScenario(QStringLiteral("contention"));
        QVERIFY(plain.has_value());
        QVERIFY(!plain->expect.empty());
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/copy.json")), *plain); // nothing was changed
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.at = 3s;
        pause.target = QStringLiteral("holder");
        pause.duration = 8s;
        pause.byHand = true;
        plain->faults.push_back(pause);
        const scenario::Scenario saved = savedAs(*plain, QStringLiteral("/tmp/My lesson, 2.json"));
        QVERIFY(saved.expect.empty());
        QCOMPARE(saved.id, QStringLiteral("my-lesson-2"));
        QCOMPARE(saved.title, plain->titleIn(QStringLiteral("en")) + QStringLiteral(", changed by hand"));
        QVERIFY(saved.summary.isEmpty() && saved.titles.empty() && saved.summaries.empty());
        const auto again = scenario::parseScenario(scenario::toJson(saved), QStringLiteral("x.json"));
        QVERIFY(again.has_value());
        QCOMPARE(*again, saved);
        // A Chinese window writes its own language beside the English.
        struct Chinese : QTranslator {
            bool isEmpty() const override { return false; }
            QString translate(const char* context, const char* source, const char*, int) const override {
                if (qstrcmp(context, "Language") == 0) return QStringLiteral("zh_CN");
                return qstrcmp(source, "%1, changed by hand") == 0 ? QStringLiteral("%1（手动更改过）") : QString();
            }
        } chinese;
        QVERIFY(QCoreApplication::installTranslator(&chinese));
        const scenario::Scenario both = savedAs(*plain, QStringLiteral("/tmp/My lesson, 2.json"));
        QCoreApplication::removeTranslator(&chinese);
        QCOMPARE(both.title, saved.title);
        QCOMPARE(both.titles,
                 (std::map<QString, QString>{{QStringLiteral("zh_CN"), plain->titleIn(QStringLiteral("zh_CN")) +
                                                                           QStringLiteral("（手动更改过）")}}));
        // Never the id of what it was made from, nor of another built-in one.
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/contention.json")).id, QStringLiteral("contention-by-hand"));
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/gc-pause.json")).id, QStringLiteral("gc-pause-by-hand"));
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/锁.json")).id, QStringLiteral("contention-by-hand"));
    }
};

QTEST_GUILESS_MAIN(TestSavedScenario)
#include "tst_saved_scenario.moc"
