// SPDX-License-Identifier: GPL-3.0-or-later
// While a lesson's bet is open, nothing in sight answers it; the verdict comes with the step that does.
#include "lesson/lesson_file.h"
#include "lessons/number_strip.h"
#include "locks/lock_detail_panel.h"
#include "models/lock_facts.h"
#include "timeline/legend_bar.h"
#include "timeline/timeline_panel.h"
#include "timeline/timeline_view.h"
#include "transport/verdict_banner.h"
#include "transport/why_line.h"
#include "verdict/why_safe.h"
#include "waits/lock_waits.h"
#include "waits/waits_panel.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QScrollArea>
#include <QScrollBar>

using namespace lockscope;
using tests::WindowScene;
using views::LessonGuide;

namespace {

struct Class : WindowScene {
    LessonGuide& guide() const { return *window->lessons()->guide(); }
    void go(const QString& lesson, int step) {
        window->lessons()->open(lesson, step - 1, LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY_WITH_TIMEOUT(guide().arrived(), 20'000);
    }
    const views::VerdictBanner* banner() const { return window->findChild<views::VerdictBanner*>(); }
    const views::WhyLine* why() const { return window->findChild<views::WhyLine*>(); }
    const views::TimelineView* timeline() const { return window->findChild<views::TimelineView*>(); }
    /// The words of the lanes about themselves at the playhead.
    QString lanes() const {
        QStringList words;
        for (std::size_t row = 0; row < timeline()->layoutOfLanes().rows().size(); ++row)
            words += timeline()->rowWords(int(row));
        return words.join(u'\n');
    }
    bool lanesAreThere() const { return timeline()->loader()->rows() >= context()->trace()->size(); }
};

} // namespace

class tst_open_bets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { app::speak(QStringLiteral("en")); }

    void noVerdictAnswersAnOpenBet_data() {
        QTest::addColumn<QString>("lesson");
        for (const QString& id : lesson::builtinLessons())
            QTest::newRow(qPrintable(id)) << id;
    }
    void noVerdictAnswersAnOpenBet() {
        QFETCH(QString, lesson);
        Class s;
        s.go(lesson, 1);
        const auto& steps = s.guide().lesson()->steps;
        for (std::size_t step = 0; step < steps.size(); ++step) {
            if (step > 0) s.guide().skip();             // to the next one
            if (!s.guide().arrived()) s.guide().skip(); // and to its end
            QTRY_VERIFY_WITH_TIMEOUT(s.guide().arrived(), 20'000);
            QCOMPARE(s.guide().step(), int(step));
            const auto from = s.context()->heldBack().verdictFrom;
            QCOMPARE(from.has_value(), steps[step].ask.has_value());
            if (!from) continue;
            for (const verdict::Violation& told : s.context()->verdict()->violations)
                QVERIFY2(told.from < *from, qPrintable(verdict::headline(told, *s.context()->trace())));
            if (!s.banner()->shown())
                QCOMPARE(s.banner()->text(), QStringLiteral("Verdict held back until you have bet"));
            if (s.context()->verdict()->violations.empty()) QCOMPARE(s.why()->sentence(), QString());
            QTRY_VERIFY(s.lanesAreThere());
            QVERIFY2(!s.lanes().contains(QStringLiteral("never expires")), qPrintable(s.lanes()));
            QVERIFY2(!s.why()->story().contains(QStringLiteral("never expires")), qPrintable(s.why()->story()));
        }
    }

    /// A bet that was chosen counts, also where the step is left by the key that goes on without one.
    void aChosenBetCountsHoweverItsStepIsLeft() {
        Class s;
        s.go(QStringLiteral("the-pause"), 3);
        s.guide().choose(0);
        s.guide().skip();
        QTRY_COMPARE_WITH_TIMEOUT(s.guide().step(), 3, 20'000);
        if (!s.guide().arrived()) s.guide().skip();
        QTRY_VERIFY_WITH_TIMEOUT(s.guide().arrived(), 20'000);
        QVERIFY(s.guide().result());
        QVERIFY(!s.guide().result()->bet.isEmpty());
        QVERIFY(!s.guide().result()->right);
    }

    /// “When does the next one get in?” is not to be read off from the lock's detail.
    void theEndOfASessionIsToldWithTheStepThatAnswers() {
        using views::LockDetailPanel;
        Class s;
        s.go(QStringLiteral("zk-queue"), 4);
        auto* const detail = s.window->findChild<LockDetailPanel*>();
        QVERIFY(detail);
        QTRY_COMPARE(detail->fact(LockDetailPanel::EndsWhen), QString());
        QVERIFY(!detail->fact(LockDetailPanel::RecordSays).isEmpty());
        QTRY_VERIFY(s.lanesAreThere());
        QVERIFY2(s.lanes().contains(QStringLiteral("held by A")), qPrintable(s.lanes()));
        QVERIFY2(!s.lanes().contains(QStringLiteral("held by A, kept by its session")), qPrintable(s.lanes()));
        s.go(QStringLiteral("zk-queue"), 5);
        QTRY_VERIFY(s.lanesAreThere());
        QTRY_VERIFY2(s.lanes().contains(QStringLiteral("held by B, kept by its session")), qPrintable(s.lanes()));
        QTRY_VERIFY_WITH_TIMEOUT(detail->fact(LockDetailPanel::EndsWhen).contains(QStringLiteral("session")), 20'000);
    }

    /// Each of these gave the answer away once.
    void aDeadlockIsToldWithTheStepThatAnswers() {
        Class s;
        s.go(QStringLiteral("deadlock"), 4);
        QVERIFY(!s.banner()->shown());
        QVERIFY(s.why()->sentence().isEmpty());
        auto* const waits = s.window->findChild<views::LockWaits*>();
        QVERIFY(waits);
        QTRY_VERIFY(!waits->isVisible());
        s.guide().choose(1);
        s.guide().goOn();
        QTRY_VERIFY(s.banner()->shown());
        QVERIFY2(s.banner()->text().startsWith(QStringLiteral("deadlock for ")), qPrintable(s.banner()->text()));
        QVERIFY2(s.why()->sentence().contains(QStringLiteral("Neither has been able to go on since ")),
                 qPrintable(s.why()->sentence()));
        QTRY_VERIFY(waits->isVisible());
    }
    /// A low window has no room for the graph’s panel: the step that speaks of the circle brings that of the detail in
    /// sight, from below.
    void theCircleIsSeenInALowWindow() {
        Class s;
        s.window->resize(1280, 800);
        s.go(QStringLiteral("deadlock"), 5);
        auto* const waits = s.window->findChild<views::LockWaits*>();
        const QScrollArea* area = nullptr;
        for (QWidget* up = waits->parentWidget(); up && !area; up = up->parentWidget())
            area = qobject_cast<QScrollArea*>(up);
        QVERIFY(area);
        const auto inSight = [&] {
            const QRect place(waits->mapTo(area->viewport(), QPoint()), waits->size());
            return waits->isVisible() ? (place & area->viewport()->rect()).height() : 0;
        };
        QTRY_COMPARE(inSight(), std::min(waits->height(), area->viewport()->height()));
        QTRY_VERIFY(area->verticalScrollBar()->value() > 0);
        s.go(QStringLiteral("deadlock"), 6);
        QTRY_COMPARE(area->verticalScrollBar()->value(), 0);
    }
    void aRowThatNeverExpiresSaysSoWithTheAnswer() {
        Class s;
        s.go(QStringLiteral("a-row"), 1);
        QTRY_VERIFY(s.lanesAreThere());
        QVERIFY2(s.lanes().contains(QStringLiteral("held by ")), qPrintable(s.lanes()));
        QVERIFY2(!s.lanes().contains(QStringLiteral("never")), qPrintable(s.lanes()));
        s.go(QStringLiteral("a-row"), 2);
        QCOMPARE(views::lockFacts(s.context()->focusedLock(), *s.context()).condition, views::LockCondition::Held);
        s.go(QStringLiteral("a-row"), 3);
        QTRY_VERIFY(s.lanesAreThere());
        QVERIFY2(s.lanes().contains(QStringLiteral("never expires")), qPrintable(s.lanes()));
        QCOMPARE(views::lockFacts(s.context()->focusedLock(), *s.context()).condition, views::LockCondition::Orphan);
    }
    void damageIsToldWithTheAnswer_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<int>("bet");
        QTest::newRow("failover") << "failover" << 4;
        QTest::newRow("switching") << "switching" << 1;
    }
    void damageIsToldWithTheAnswer() {
        QFETCH(QString, lesson);
        QFETCH(int, bet);
        Class s;
        const auto shown = [&] { return s.timeline()->signsInSight().contains(views::LegendSign::Damage); };
        // Green says that all is well, which nobody has said yet.
        const auto writes = [&] { return s.timeline()->signsInSight().contains(views::LegendSign::Untold); };
        s.go(lesson, bet);
        QTRY_VERIFY(s.lanesAreThere());
        QTRY_VERIFY(writes());
        QVERIFY(!shown());
        s.guide().choose(0);
        s.guide().goOn();
        QTRY_VERIFY(shown());
        QTRY_VERIFY(!writes());
    }
    void whyItWasSafeIsToldWithTheAnswer() {
        Class s;
        s.go(QStringLiteral("sessions"), 1);
        QVERIFY2(s.why()->sentence().isEmpty(), qPrintable(s.why()->sentence()));
        QVERIFY(!verdict::whySafe(*s.context()->trace(), s.context()->playhead()).isEmpty());
    }
    void awayFromTheLessonEverythingIsTold() {
        Class s;
        s.go(QStringLiteral("deadlock"), 4);
        s.guide().leave();
        QCOMPARE(s.context()->heldBack(), views::HeldBack{});
        QTRY_VERIFY(s.banner()->shown());
    }

    /// The numbers that the words of a step speak of stand below the picture, before a class, too.
    void countedNumbersStandBelowThePicture() {
        Class s;
        s.go(QStringLiteral("herd"), 5);
        s.window->presenter()->setOn(true);
        const auto* const strip = s.window->findChild<views::NumberStrip*>();
        QVERIFY(strip);
        QTRY_VERIFY(strip->isVisible());
        QCOMPARE(strip->accessibleName(), QStringLiteral("99 waiters notified by this release"));
        s.go(QStringLiteral("herd"), 6);
        QTRY_COMPARE(strip->accessibleName(), QStringLiteral("1 waiter notified by this release"));
        s.go(QStringLiteral("zk-queue"), 1);
        QTRY_VERIFY2(strip->accessibleName().startsWith(QStringLiteral("0000000000 C; 0000000001 ")),
                     qPrintable(strip->accessibleName()));
        s.go(QStringLiteral("three-truths"), 1);
        QTRY_VERIFY(!strip->isVisible());
    }

    /// A legend with little room explains what is in sight.
    void theLegendBeginsWithTheSignsInSight() {
        Class s;
        s.window->resize(1280, 720);
        s.go(QStringLiteral("fencing"), 3);
        s.window->presenter()->setOn(true);
        const auto* const legend = s.window->findChild<views::TimelinePanel*>()->legend();
        QTRY_VERIFY(legend->isVisible());
        const auto shows = [&](views::LegendSign sign) {
            const auto signs = legend->shown();
            return std::ranges::find(signs, sign) != signs.end();
        };
        QTRY_VERIFY(shows(views::LegendSign::Refused));
        QVERIFY(shows(views::LegendSign::Paused));
        QVERIFY(!shows(views::LegendSign::Ghost));
    }
};

QTEST_MAIN(tst_open_bets)
#include "tst_open_bets.moc"
