// SPDX-License-Identifier: Apache-2.0
// Two runs that differ in one setting: which differences are offered, and where the runs part.
#include "experiment/contrast.h"
#include "experiment/run.h"
#include "session/open_scenario.h"

#include <QTest>

using namespace lockscope;
using experiment::Contrast;
using experiment::contrasted;
using trace::EventKind;

namespace {

scenario::Scenario builtin(const char* id, const char* recipe = "") {
    const auto opened = session::openScenario(QString::fromLatin1(id), QString::fromLatin1(recipe));
    if (!opened) qFatal("%s", qPrintable(opened.error().front().toString()));
    return *opened;
}

bool violates(const experiment::RunReport& report, verdict::Invariant invariant) {
    return report.verdict.outcomes[std::size_t(invariant)] == verdict::Outcome::Violated;
}

} // namespace

class TestContrast : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// With fencing the story is one until the old holder's write, which is refused there and accepted here.
    void fencingPartsAtTheOldHoldersWrite() {
        const scenario::Scenario plain = builtin("gc-pause", "redis-fenced");
        const auto change = experiment::parseContrast(QStringLiteral("fencing"), plain);
        QVERIFY(change);
        QCOMPARE(change->toString(), QStringLiteral("token_check=on"));
        const auto fenced = contrasted(plain, *change);
        QVERIFY2(fenced, fenced ? "" : qPrintable(fenced.error()));
        const auto first = experiment::run(plain, 1), second = experiment::run(*fenced, 1);
        QVERIFY(violates(first, verdict::Invariant::StaleWrite));
        QVERIFY(!violates(second, verdict::Invariant::StaleWrite));
        const auto difference = experiment::firstDifference(*first.trace, *second.trace);
        QVERIFY(difference && difference->first && difference->second);
        QCOMPARE(first.trace->kindAt(*difference->first), EventKind::WriteAccepted);
        QCOMPARE(second.trace->kindAt(*difference->second), EventKind::WriteRefused);
        QCOMPARE(difference->at, Nanos(second.trace->timeAt(*difference->second)));
    }

    void aWatchdogPartsAtTheFirstRenewal() {
        const scenario::Scenario plain = builtin("delete-others-lock", "redis-set");
        QCOMPARE(plain.lock.watchdog, Nanos(0));
        const auto change = experiment::parseContrast(QStringLiteral("watchdog=1500ms"), plain);
        QVERIFY(change);
        const auto renewed = contrasted(plain, *change);
        QVERIFY2(renewed, renewed ? "" : qPrintable(renewed.error()));
        const auto first = experiment::run(plain, 1), second = experiment::run(*renewed, 1);
        const auto difference = experiment::firstDifference(*first.trace, *second.trace);
        QVERIFY(difference && difference->second);
        QCOMPARE(second.trace->kindAt(*difference->second), EventKind::Renewed);
    }

    void oneRunHasNoDifference() {
        const scenario::Scenario plain = builtin("contention");
        const auto first = experiment::run(plain, 5), second = experiment::run(plain, 5);
        QVERIFY(!experiment::firstDifference(*first.trace, *second.trace));
        const auto other = experiment::run(plain, 6);
        QVERIFY(experiment::firstDifference(*first.trace, *other.trace));
    }

    /// Everything offered can be had, and is another run.
    void everythingOfferedRuns_data() {
        QTest::addColumn<QString>("id");
        for (const char* id : {"gc-pause", "failover-async", "zk-session-expiry", "multi-deadlock", "engine-switch"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void everythingOfferedRuns() {
        QFETCH(QString, id);
        const scenario::Scenario plain = builtin(qPrintable(id));
        const auto offered = experiment::contrastsOf(plain);
        QVERIFY(!offered.empty());
        for (const Contrast& contrast : offered) {
            const auto other = contrasted(plain, contrast);
            QVERIFY2(other, qPrintable(contrast.toString()));
            QVERIFY(!(*other == plain));
            QCOMPARE(experiment::contrastBetween(plain, *other), std::optional(contrast));
            QCOMPARE(experiment::parseContrast(contrast.toString(), plain), std::optional(contrast));
        }
    }

    /// The first one offered is what a person sees first: it shows something.
    void theFirstOfferDiffers_data() {
        QTest::addColumn<QString>("id");
        for (const char* id :
             {"engine-switch", "engine-switch-immediate", "engine-switch-naive", "engine-switch-kinds", "gc-pause"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void theFirstOfferDiffers() {
        QFETCH(QString, id);
        const scenario::Scenario plain = builtin(qPrintable(id));
        const auto offered = experiment::contrastsOf(plain);
        QVERIFY(!offered.empty());
        const auto other = contrasted(plain, offered.front());
        QVERIFY(other);
        const auto first = experiment::run(plain, 1), second = experiment::run(*other, 1);
        QVERIFY2(experiment::firstDifference(*first.trace, *second.trace), qPrintable(offered.front().toString()));
    }

    void severalDifferencesAreNoContrast() {
        const scenario::Scenario plain = builtin("gc-pause");
        QVERIFY(!experiment::contrastBetween(plain, plain));
        scenario::Scenario other = plain;
        other.lock.lease = 7s;
        QCOMPARE(experiment::contrastBetween(plain, other)->toString(), u"lease=7s"_qs);
        other.workload.clients += 1;
        QVERIFY(!experiment::contrastBetween(plain, other));
        other = plain;
        other.lock.lease = 7s;
        other.faults.clear(); // no setting
        QVERIFY(!experiment::contrastBetween(plain, other));
    }

    void badContrastsAreRefused() {
        const scenario::Scenario plain = builtin("gc-pause");
        QVERIFY(!experiment::parseContrast(QStringLiteral("nonsense"), plain));
        QVERIFY(!experiment::parseContrast(QStringLiteral("leese=3s"), plain));
        const auto refused = [&](const char* setting, const char* value) {
            const auto other = contrasted(plain, {QString::fromLatin1(setting), QString::fromLatin1(value)});
            return !other && !other.error().isEmpty();
        };
        QVERIFY(refused("lease", "tomorrow"));
        QVERIFY(refused("recipe", "redis-sett"));
        QVERIFY(refused("manager", "naive")); // there is none
        QVERIFY(refused("watchdog", "off"));  // as it is
        QVERIFY(!refused("watchdog", "1s"));
        QVERIFY(refused("watchdog", "9s")); // later than the lease's end
    }
};

QTEST_GUILESS_MAIN(TestContrast)
#include "tst_contrast.moc"
