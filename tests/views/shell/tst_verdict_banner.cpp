// SPDX-License-Identifier: GPL-3.0-or-later
// Which violation the sentence at the top tells, and how much of it.
#include "fake_session.h"
#include "theme/palette.h"
#include "transport/verdict_banner.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

struct Scene {
    FakeSession session;
    ViewContext context;
    VerdictBanner banner{&context};
    Scene() {
        context.setSession(&session);
        banner.resize(800, 40);
        banner.show();
    }
};

} // namespace

class TestVerdictBanner : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    /// The player has the world computed ahead of its picture, and the judge has judged that.
    void whatIsComputedAheadIsNotTold() {
        Scene scene;
        scene.session.violate(); // from 2 s to 3.2 s
        scene.session.advanceTo(10s);
        QTRY_VERIFY(scene.context.trace()->reached() >= Nanos(10s));
        scene.context.setLookAhead(20s);
        scene.context.setPlayhead(2s);
        const VerdictBanner* const banner = &scene.banner;
        QVERIFY2(banner->text().contains(u"for 0 s so far"_qs), qPrintable(banner->text()));
        scene.context.setPlayhead(2500ms);
        QVERIFY2(banner->text().contains(u"for 500 ms so far"_qs), qPrintable(banner->text()));
        scene.context.setPlayhead(5s);
        QVERIFY2(banner->text().contains(u"for 1.2 s, from 2.0 s"_qs), qPrintable(banner->text()));
        scene.context.setPlayhead(2500ms); // once seen, it is told as a whole
        QVERIFY2(banner->text().contains(u"for 1.2 s, from 2.0 s"_qs), qPrintable(banner->text()));
    }

    /// A run that is opened at an instant is computed further, and nobody has seen that.
    void anInstantThatARunIsOpenedAtTellsNothingLater() {
        Scene scene;
        scene.session.violate(); // from 2 s to 3.2 s
        scene.session.advanceTo(10s);
        QTRY_VERIFY(scene.context.trace()->reached() >= Nanos(10s));
        scene.context.setPlayhead(2500ms);
        QVERIFY2(scene.banner.text().contains(u"for 500 ms so far"_qs), qPrintable(scene.banner.text()));
    }

    /// The beginning of a run says the same before and after the run has gone on.
    void theBeginningIsNotJudged() {
        Scene scene;
        scene.session.violate(); // from 2 s to 3.2 s
        scene.session.advanceTo(10s);
        QTRY_VERIFY(scene.context.trace()->reached() >= Nanos(10s));
        scene.context.setPlayhead(1s);
        QCOMPARE(scene.banner.text(), u"All invariants hold so far"_qs);
        QCOMPARE(scene.banner.outcome(), verdict::Outcome::Holds);
        scene.context.setPlayhead(0s);
        QCOMPARE(scene.banner.text(), u"Nothing to judge yet"_qs);
        QCOMPARE(scene.banner.outcome(), verdict::Outcome::Unknown);
    }

    /// The violation that was clicked on is told there, though another one goes on at the same instant.
    void theExplainedViolationStays() {
        Scene scene;
        scene.session.violate();
        auto judged = std::make_shared<verdict::Verdict>(*scene.session.judged);
        verdict::Violation write = judged->violations.front();
        write.invariant = verdict::Invariant::StaleWrite;
        write.from = write.to = 2500ms;
        judged->violations.push_back(write);
        scene.session.judged = judged;
        Q_EMIT scene.session.verdictChanged();
        scene.context.setPlayhead(5s);
        VerdictBanner* const banner = &scene.banner;
        QVERIFY2(banner->text().startsWith(u"stale write"_qs), qPrintable(banner->text()));
        QTest::mouseClick(banner, Qt::LeftButton);
        QCOMPARE(scene.context.playhead(), Nanos(2500ms));
        QVERIFY2(banner->text().startsWith(u"stale write"_qs), qPrintable(banner->text()));
        scene.context.setPlayhead(2600ms);
        QVERIFY2(banner->text().startsWith(u"mutual exclusion"_qs), qPrintable(banner->text()));
    }
};

QTEST_MAIN(TestVerdictBanner)
#include "tst_verdict_banner.moc"
