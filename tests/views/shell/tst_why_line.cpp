// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/story.h"
#include "models/verdict_model.h"
#include "transport/transport_bar.h"
#include "transport/verdict_banner.h"
#include "transport/why_line.h"
#include "verdict/why.h"
#include "window_scene.h"

#include <QSignalSpy>

using namespace lockscope;
using tests::WindowScene;

class WhyLineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSentenceStandsOverTheLanesWhileAViolationGoesOn() {
        WindowScene scene;
        scene.open("gc-pause");
        auto* line = scene.window->findChild<views::WhyLine*>();
        QVERIFY(line && line->isVisible());
        QVERIFY(line->sentence().isEmpty());
        QVERIFY(!line->isEnabled());
        const auto lanes = [&scene] { return scene.window->centralWidget()->mapTo(scene.window.get(), QPoint(0, 0)); };
        const QPoint before = lanes();

        scene.context()->session()->advanceTo(20s);
        QTRY_VERIFY(scene.context()->trace()->reached() >= Nanos(20s));
        QTRY_VERIFY(!scene.context()->verdict()->violations.empty());
        QTRY_VERIFY(scene.context()->verdict()->violations.front().to != kNever);
        const verdict::Violation first = scene.context()->verdict()->violations.front();
        const Nanos middle = first.from + (first.to - first.from) / 2;
        scene.context()->setPlayhead(middle); // nobody has seen what was computed further
        QVERIFY2(line->sentence().contains(QStringLiteral("A has been paused since")), qPrintable(line->sentence()));
        scene.context()->setPlayhead(20s);
        scene.context()->setPlayhead(middle);
        const QString whole = verdict::explain(first, *scene.context()->trace());
        QCOMPARE(line->sentence(), verdict::why(first, *scene.context()->trace()));
        QVERIFY(whole.endsWith(line->sentence()) && whole != line->sentence()); // the banner says the rest
        QVERIFY(line->accessibleName().contains(line->sentence()));
        QCOMPARE(lanes(), before); // nothing moves

        QSignalSpy explained(scene.context(), &views::ViewContext::explanationRequested);
        QTest::mouseClick(line, Qt::LeftButton);
        QCOMPARE(explained.count(), 1);
        QCOMPARE(explained.at(0).at(0).toULongLong(), 0ULL);

        scene.context()->setPlayhead(Nanos(0));
        QVERIFY(line->sentence().isEmpty());
        QCOMPARE(lanes(), before);
        QTest::mouseClick(line, Qt::LeftButton);
        QCOMPARE(explained.count(), 1);
    }

    /// The presenter's view hides the line; leaving that view must not leave it empty.
    void itTellsWhenItIsShownAgain() {
        WindowScene scene;
        scene.open("gc-pause");
        auto* line = scene.window->findChild<views::WhyLine*>();
        QWidget* const around = line->parentWidget();
        around->hide();
        scene.context()->session()->advanceTo(12s);
        QTRY_VERIFY(scene.context()->trace()->reached() >= Nanos(12s));
        scene.context()->setPlayhead(7s);
        QTest::qWait(200); // longer than its pace: what was due while it was hidden is over
        QVERIFY(line->story().isEmpty());
        around->show();
        QCOMPARE(line->story(), views::locksAtPlayhead(*scene.context()));
        QVERIFY(!line->story().isEmpty());
    }

    /// No band of the window is empty: where nothing is wrong it says how it stands.
    void elsewhereItTellsHowItStands() {
        WindowScene scene;
        scene.open("gc-pause");
        const auto* line = scene.window->findChild<views::WhyLine*>();
        session::Session* const session = scene.context()->session();
        session->advanceTo(12s);
        QTRY_VERIFY(scene.context()->trace()->reached() >= Nanos(12s));
        scene.context()->setPlayhead(7s);
        QTRY_COMPARE(line->story(), views::locksAtPlayhead(*scene.context()));
        QVERIFY2(line->story().contains(QStringLiteral("holds it")), qPrintable(line->story()));
        QVERIFY(line->sentence().isEmpty() && !line->isEnabled());
        QTRY_VERIFY(!scene.context()->verdict()->violations.empty());
        scene.context()->setPlayhead(scene.context()->verdict()->violations.front().from + 1ms);
        QVERIFY(!line->sentence().isEmpty() && line->story().isEmpty());
        scene.context()->setPlayhead(7s);
        QTRY_VERIFY(!line->story().isEmpty());
        scene.context()->setPlayhead(6s);
        scene.context()->setSpotlight(views::Spotlight{}); // a lesson's words say why; how it stands is said here, too
        QTRY_COMPARE(line->story(), views::locksAtPlayhead(*scene.context()));
    }

    /// Nothing happens in a deadlock: no row comes, and nothing is judged anew, but time passes.
    void theTimeSoFarGoesOnWhereNothingHappens() {
        WindowScene scene;
        scene.open("multi-deadlock");
        const auto* line = scene.window->findChild<views::WhyLine*>();
        session::Session* const session = scene.context()->session();
        QString before;
        for (const Nanos to : {Nanos(6s), Nanos(9s)}) {
            session->advanceTo(to);
            QTRY_VERIFY(scene.context()->trace()->reached() >= to);
            QTRY_VERIFY(!scene.context()->verdict()->violations.empty());
            scene.context()->setPlayhead(to);
            const verdict::Violation lasts = scene.context()->verdict()->violations.back();
            QVERIFY(lasts.to == kNever && lasts.from < Nanos(5s));
            QTRY_COMPARE(line->sentence(), verdict::why(lasts, *scene.context()->trace()));
            QVERIFY(line->sentence() != before);
            before = line->sentence();
        }
    }

    void theSentenceIsWholeInANarrowWindow_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("scenario");
        for (const QSize size : {QSize(1024, 768), QSize(1280, 720), QSize(1600, 1000)})
            for (const char* scenario : {"gc-pause", "failover-async", "redlock-clock-jump", "delete-others-lock",
                                         "zk-session-expiry", "get-del-race", "watchdog-zombie", "sql-failover-async"})
                QTest::addRow("%dx%d %s", size.width(), size.height(), scenario)
                    << size << QString(QLatin1String(scenario));
    }
    void theSentenceIsWholeInANarrowWindow() {
        QFETCH(QSize, size);
        QFETCH(QString, scenario);
        WindowScene scene;
        scene.window->resize(size);
        scene.open(qPrintable(scenario));
        const auto* line = scene.window->findChild<views::WhyLine*>();
        QTRY_COMPARE(line->width(), size.width());
        const int height = line->height();
        session::Session* const session = scene.context()->session();
        session->advanceTo(session->planned());
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->trace()->reached() >= session->planned(), 20'000);
        QTRY_VERIFY(!scene.context()->verdict()->violations.empty());
        for (const verdict::Violation& violation : scene.context()->verdict()->violations) {
            scene.context()->setPlayhead(violation.from);
            QVERIFY(!line->sentence().isEmpty());
            QVERIFY2(line->isWhole(), qPrintable(line->sentence()));
        }
        QCOMPARE(line->height(), height); // no lane moves
    }

    /// Nothing is violated, and yet the writer never gets in: the verdict says so, and a click goes to its request.
    void theVerdictTellsOfAWaiterThatStarves() {
        WindowScene scene;
        scene.open("rw-writer-starvation");
        scene.context()->session()->advanceTo(39s);
        QTRY_VERIFY_WITH_TIMEOUT(!scene.context()->verdict()->starved.empty(), 20'000);
        const verdict::Starved starved = scene.context()->verdict()->starved.front();
        views::VerdictBanner* const banner = scene.window->transport()->banner();
        const views::InvariantsModel invariants(scene.context());
        const int progress = int(verdict::Invariant::Progress);
        const auto row = [&] {
            return invariants.index(progress, views::InvariantsModel::WhenColumn).data().toString();
        };
        scene.context()->setPlayhead(starved.from - 1s);
        QVERIFY(!banner->starved());
        QCOMPARE(row(), QStringLiteral("held"));
        scene.context()->setPlayhead(starved.from + 1s);
        QVERIFY(banner->starved());
        QVERIFY2(banner->text().startsWith(QStringLiteral("G starves: it has waited ")), qPrintable(banner->text()));
        QVERIFY(banner->accessibleName().contains(banner->text()) && banner->isEnabled());
        QCOMPARE(row(), QStringLiteral("held, but G starves"));
        QTest::mouseClick(banner, Qt::LeftButton);
        QCOMPARE(scene.context()->playhead(), starved.asked);
        QVERIFY(!banner->starved());
    }
};

QTEST_MAIN(WhyLineTest)
#include "tst_why_line.moc"
