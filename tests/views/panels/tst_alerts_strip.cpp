// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alert_rules_dialog.h"
#include "alerts/alerts_strip.h"
#include "fake_session.h"
#include "locks/lock_detail_panel.h"
#include "models/lock_filter.h"
#include "theme/pointer_aim.h"
#include "theme/widgets.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::views;
using inspect::Alert;
using inspect::AlertRule;
using session::AlertDesk;
using Kind = AlertRule::Kind;

namespace {

constexpr std::int64_t kWall = 1'700'000'000'000;

/// A session over a written trace, with alerts that the test makes up.
class AlertingSession : public views::testing::FakeSession, public session::AlertSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
public:
    std::vector<AlertDesk*> alertDesks() override { return {&desk}; }
    AlertDesk desk;
};

Alert alert(const char* rule, const QByteArray& lock, Nanos since) {
    return {Alert::State::Raised,
            *inspect::parseAlertRule(QString::fromLatin1(rule)),
            lock,
            u"“%1” is not well."_qs.arg(QString::fromUtf8(lock)),
            u"Look at it."_qs,
            since};
}

struct Scene {
    AlertingSession session;
    ViewContext context;
    trace::EntityId node, a, b, c;
    Scene() {
        session.can = {.live = true};
        trace::Trace& t = session.writable();
        node = t.intern(trace::EntityKind::Node, "redis-1");
        a = t.intern(trace::EntityKind::Lock, "a", node);
        b = t.intern(trace::EntityKind::Lock, "b", node);
        c = t.intern(trace::EntityKind::Lock, "c", node);
        t.reach(10s);
        context.setSession(&session);
        context.setPlayhead(10s);
    }
    void raise(const std::vector<Alert>& alerts, std::size_t more = 0) {
        session.desk.take(alerts, {alerts, more, 0}, 9s, kWall);
    }
};

QString cell(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

} // namespace

class AlertsStripTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itIsThereOnlyWhereThereMayBeAlerts() {
        views::testing::FakeSession without;
        ViewContext context;
        context.setSession(&without);
        QWidget window;
        AlertsStrip strip(&context, &window);
        window.show();
        QVERIFY(strip.isHidden());
        AlertingSession with;
        context.setSession(&with);
        QVERIFY(!strip.isHidden());
        QVERIFY2(strip.summary().startsWith(u"none"), qPrintable(strip.summary()));
        QVERIFY(!strip.view()->isVisible()); // one quiet line
        strip.setWanted(false);
        QVERIFY(strip.isHidden());
        context.setSession(nullptr);
    }

    void eachAlertIsASentenceAndWhatToDo() {
        Scene scene;
        AlertsModel model(&scene.context);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Alert before = alert("token-back", "c", 4s);
        before.atLeast = true;
        scene.raise({before, alert("no-expiry", "a", 2s), alert("unreachable>5s", "", 8s)});
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(cell(model, 0, AlertsModel::LockColumn), u"c"_qs);
        QCOMPARE(cell(model, 1, AlertsModel::SentenceColumn), u"“a” is not well."_qs);
        QCOMPARE(cell(model, 1, AlertsModel::AdviceColumn), u"Look at it."_qs);
        QCOMPARE(cell(model, 1, AlertsModel::OpenForColumn), u"7.0 s"_qs);
        QCOMPARE(cell(model, 0, AlertsModel::OpenForColumn), u"≥ 5.0 s"_qs); // it was so when it was first seen
        QCOMPARE(model.lockOf(1), scene.a);
        QCOMPARE(model.lockOf(2), trace::kNoEntity);
        QVERIFY(!cell(model, 2, AlertsModel::LockColumn).isEmpty());
        const QString spoken = model.index(1, 0).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(spoken.contains(u"warning") && spoken.contains(u"never expires"), qPrintable(spoken));
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        scene.session.desk.take(
            {}, {{alert("token-back", "c", 4s), alert("no-expiry", "a", 2s), alert("unreachable>5s", "", 8s)}, 0, 0},
            9500ms, kWall);
        QCOMPARE(reset.count(), 0); // only times went on
        QCOMPARE(cell(model, 1, AlertsModel::OpenForColumn), u"7.5 s"_qs);
    }

    void aLimitSaysWhatItHides() {
        Scene scene;
        AlertsStrip strip(&scene.context);
        scene.raise({alert("no-expiry", "a", 2s), alert("no-expiry", "b", 3s)}, 998);
        QVERIFY2(strip.summary().startsWith(u"2 of 1000"), qPrintable(strip.summary()));
        QVERIFY(!strip.summary().contains(u"as of now"));
        scene.context.setPlayhead(1s); // the list stays what it is
        QVERIFY2(strip.summary().startsWith(u"2 of 1000") && strip.summary().contains(u"as of now"),
                 qPrintable(strip.summary()));
    }

    /// The time axis below needs room, too.
    void aLowWindowShowsFewerAndAllOnRequest() {
        Scene scene;
        QWidget window;
        AlertsStrip strip(&scene.context, &window);
        scene.raise({alert("token-back", "c", 4s), alert("no-expiry", "a", 2s), alert("no-expiry", "b", 3s),
                     alert("held>5m", "a", 3s), alert("waited>30s", "b", 3s)});
        QCOMPARE(strip.model()->rowCount(), 5);
        const auto inSight = [&] {
            const QTreeView* const view = strip.view();
            return (view->height() - view->header()->sizeHint().height()) / view->sizeHintForRow(0);
        };
        const auto* const more = strip.findChild<QToolButton*>(u"moreAlerts"_qs);
        window.resize(1280, 720);
        window.show();
        QTRY_COMPARE(inSight(), 3);
        QVERIFY(more->isVisibleTo(&strip));
        QVERIFY2(more->text().contains(u"2"), qPrintable(more->text()));
        QTest::mouseClick(strip.findChild<QToolButton*>(u"moreAlerts"_qs), Qt::LeftButton);
        QTRY_COMPARE(inSight(), 5);
        QVERIFY(more->isVisibleTo(&strip)); // back again
        QTest::mouseClick(strip.findChild<QToolButton*>(u"moreAlerts"_qs), Qt::LeftButton);
        QTRY_COMPARE(inSight(), 3);
        window.resize(1600, 1000);
        QTRY_COMPARE(inSight(), 5);
        QVERIFY(!more->isVisibleTo(&strip));
    }

    void aDeadlockIsOneRowAndWhatFollowsFromItSaysSo() {
        Scene scene;
        AlertsModel model(&scene.context);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Alert one = alert("deadlock", "a", -3s), two = alert("deadlock", "b", -3s), other = alert("deadlock", "c", 2s);
        one.sentence = two.sentence = u"Deadlock: A waits for “b”, B waits for “a”."_qs;
        scene.raise({one, two, other, alert("waited>30s", "b", 3s), alert("waited>30s", "c-else", 4s)});
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.listed(), 5u);
        QCOMPARE(cell(model, 0, AlertsModel::LockColumn), u"a ⇄ b"_qs);
        QCOMPARE(cell(model, 1, AlertsModel::LockColumn), u"c"_qs); // another ring
        QCOMPARE(cell(model, 2, AlertsModel::AdviceColumn), u"Part of the deadlock above."_qs);
        QCOMPARE(cell(model, 3, AlertsModel::AdviceColumn), u"Look at it."_qs);
        QCOMPARE(model.rowOf(&scene.session.desk, two.rule, "b"), 0);
        AlertsStrip strip(&scene.context);
        strip.show();
        QTest::keyClick(strip.view(), Qt::Key_Down);
        QTest::keyClick(strip.view(), Qt::Key_P); // pins both, so that they stay together
        QCOMPARE(strip.model()->rowCount(), 4);
        QVERIFY(scene.session.desk.entries()[0].pinned && scene.session.desk.entries()[1].pinned);
        QSignalSpy revealed(&scene.context, &ViewContext::revealRequested);
        QTest::keyClick(strip.view(), Qt::Key_Return);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(revealed.front().at(0).value<Nanos>(), Nanos(0)); // it began before the trace
    }

    void manyLocksWithOneCauseAreOneRowThatListsThem() {
        Scene scene;
        AlertsStrip strip(&scene.context);
        std::vector<Alert> many;
        for (int i = 0; i < 188; ++i)
            many.push_back(alert("failed-over", "lock-" + QByteArray::number(i), 4s + std::chrono::milliseconds(i)));
        many.push_back(alert("failed-over", "later", 7s));
        many.push_back(alert("no-expiry", "a", 4s));
        scene.raise(many);
        QCOMPARE(strip.model()->rowCount(), 3);
        QVERIFY2(strip.summary().startsWith(u"190"), qPrintable(strip.summary()));
        QCOMPARE(cell(*strip.model(), 0, AlertsModel::LockColumn), u"188 lock(s)"_qs);
        const QString words = cell(*strip.model(), 0, AlertsModel::SentenceColumn);
        QVERIFY2(words.startsWith(u"failed over: lock-0, lock-1") && words.size() < 120, qPrintable(words));
        QVERIFY(strip.model()->isMany(0) && !strip.model()->isMany(1));
        strip.show();
        QSignalSpy asked(&scene.context, &ViewContext::lockFilterRequested);
        QTest::keyClick(strip.view(), Qt::Key_Down);
        QTest::keyClick(strip.view(), Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().front().toString(), u"alert:failed-over"_qs);
        // The table understands it.
        scene.raise({alert("failed-over", "a", 4s), alert("no-expiry", "b", 4s)});
        LocksModel model(&scene.context);
        LocksProxy proxy(&model);
        proxy.setFilter(LockFilter::parse(asked.front().front().toString()).value());
        QCOMPARE(proxy.rowCount(), 1);
        QCOMPARE(cell(proxy, 0, LocksModel::LockColumn), u"a"_qs);
    }

    void oneSelectionEverywhere() {
        Scene scene;
        AlertsStrip strip(&scene.context);
        scene.raise({alert("token-back", "c", 4s), alert("no-expiry", "a", 2s)});
        strip.show();
        QTest::keyClick(strip.view(), Qt::Key_Down);
        QTest::keyClick(strip.view(), Qt::Key_Down);
        QCOMPARE(scene.context.focusedLock(), scene.a);
        QSignalSpy revealed(&scene.context, &ViewContext::revealRequested);
        QTest::keyClick(strip.view(), Qt::Key_Return);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(revealed.front().at(0).value<Nanos>(), Nanos(2s));
        // A new alert above it takes the place of none: the selected one stays selected.
        scene.raise({alert("token-back", "b", 1s), alert("token-back", "c", 4s), alert("no-expiry", "a", 2s)});
        QCOMPARE(strip.view()->currentIndex().row(), 2);
        QTest::keyClick(strip.view(), Qt::Key_P);
        QCOMPARE(scene.session.desk.entries().front().alert.lock, QByteArray("a"));
        QVERIFY(scene.session.desk.entries().front().pinned);
        QCOMPARE(strip.view()->currentIndex().row(), 0);
        QTest::keyClick(strip.view(), Qt::Key_P);
        QVERIFY(!scene.session.desk.entries().front().pinned);
    }

    void aMuteHasAScopeAndAnEnd() {
        Scene scene;
        AlertsStrip strip(&scene.context);
        scene.raise({alert("no-expiry", "a", 2s), alert("no-expiry", "b", 3s)});
        strip.show();
        QTest::keyClick(strip.view(), Qt::Key_Down);
        QTest::keyClick(strip.view(), Qt::Key_M);
        auto* const menu = strip.findChild<QMenu*>();
        QVERIFY(menu);
        QList<QMenu*> scopes;
        for (QAction* action : menu->actions())
            if (action->menu()) scopes << action->menu();
        QCOMPARE(scopes.size(), 3); // this one, this lock, this rule
        QCOMPARE(scopes[0]->actions().size(), 4);
        const std::int64_t now = QDateTime::currentMSecsSinceEpoch();
        scopes[0]->actions().front()->trigger();
        QCOMPARE(scene.session.desk.mutes().size(), 1u);
        const inspect::AlertMute mute = scene.session.desk.mutes().front();
        QCOMPARE(mute.rule.value(), Kind::NoExpiry);
        QCOMPARE(mute.lock.value(), QByteArray("a"));
        QVERIFY(mute.untilWallMs >= now + 15 * 60'000 && mute.untilWallMs < now + 16 * 60'000);
        QCOMPARE(strip.model()->rowCount(), 1);
        const QString until =
            QLocale().toString(QDateTime::fromMSecsSinceEpoch(mute.untilWallMs).time(), QLocale::ShortFormat);
        const auto says = [&strip](const QString& words) {
            return std::ranges::any_of(strip.findChildren<QToolButton*>(),
                                       [&](const QToolButton* button) { return button->text().endsWith(words); });
        };
        QVERIFY(says(u"muted until "_qs + until));
        scopes[2]->actions().back()->trigger(); // the rule, for every lock, until it is taken back
        QCOMPARE(scene.session.desk.mutes().back().lock.has_value(), false);
        QCOMPARE(scene.session.desk.mutes().back().untilWallMs, 0);
        QVERIFY(says(u"muted"_qs)); // by two mutes, of which one has no end
        QCOMPARE(strip.model()->rowCount(), 0);
        menu->close();
    }

    void thresholdsAreChosenLineByLine() {
        AlertRulesDialog dialog(u"shop"_qs,
                                {*inspect::parseAlertRule(u"held>5m"_qs), *inspect::parseAlertRule(u"no-expiry"_qs)});
        QVERIFY(dialog.switchOf(Kind::Held)->isChecked());
        QCOMPARE(dialog.fieldOf(Kind::Held)->text(), u"5m"_qs);
        QVERIFY(!dialog.switchOf(Kind::Waited)->isChecked());
        QVERIFY(!dialog.fieldOf(Kind::Waited)->isEnabled());
        QVERIFY(!dialog.fieldOf(Kind::NoExpiry)); // it has no threshold
        dialog.switchOf(Kind::Waiters)->setChecked(true);
        dialog.fieldOf(Kind::Waiters)->setText(u"many"_qs);
        QVERIFY2(dialog.complaint().contains(u"many"), qPrintable(dialog.complaint()));
        dialog.fieldOf(Kind::Waiters)->setText(u"7"_qs);
        dialog.fieldOf(Kind::Held)->setText(u"90 s"_qs);
        QCOMPARE(dialog.complaint(), QString());
        QStringList rules;
        for (const AlertRule& rule : dialog.rules())
            rules << rule.text;
        rules.sort();
        QCOMPARE(rules, (QStringList{u"held>90s"_qs, u"no-expiry"_qs, u"waiters>7"_qs}));
    }

    void theDetailOfALockSaysItToo() {
        Scene scene;
        LockDetailPanel detail(&scene.context);
        scene.raise({alert("token-back", "c", 4s), alert("no-expiry", "b", 2s)});
        scene.context.select(scene.b);
        QTRY_COMPARE(detail.alertText(), u"“b” is not well.\n→ Look at it."_qs);
        Alert later = alert("no-expiry", "b", 2s);
        later.sentence = u"“b” has not been well for 6 m."_qs; // while it stands, its figures grow
        scene.session.desk.take({}, {{later}, 0, 0}, 10s, kWall);
        scene.context.setPlayhead(10500ms);
        QTRY_VERIFY2(detail.alertText().startsWith(later.sentence), qPrintable(detail.alertText()));
        scene.context.setPlayhead(3s); // as it was then
        QTRY_VERIFY2(detail.alertText().contains(u": “b” is not well."), qPrintable(detail.alertText()));
        scene.context.setPlayhead(1s);
        QTRY_COMPARE(detail.alertText(), QString());
        scene.context.setPlayhead(10s);
        scene.context.select(scene.a);
        QTRY_COMPARE(detail.alertText(), QString());
    }

    void theDetailHasWhatIsKnownAndNoMore() {
        Scene scene;
        LockDetailPanel detail(&scene.context);
        trace::Trace& t = scene.session.writable();
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "A"));
        t.append({Nanos(10s).count(), Nanos(40s).count(), thread, scene.b, 1, trace::EventKind::RecordHeld});
        t.reach(25s);
        scene.session.desk.setUsual({{"b", 5s}});
        scene.context.select(scene.b);
        scene.context.setPlayhead(25s);
        QTRY_COMPARE(detail.fact(LockDetailPanel::UsualFact), u"5.0 s"_qs);
        QCOMPARE(detail.fact(LockDetailPanel::AgainstUsual), u"3 times as long"_qs);
        QVERIFY2(detail.fact(LockDetailPanel::EndsWhen).endsWith(u"unless renewed"),
                 qPrintable(detail.fact(LockDetailPanel::EndsWhen)));
        QVERIFY(detail.text().contains(u"Usual (14 days): 5.0 s"));
        scene.context.select(scene.a); // free, and nobody knows what is usual
        QTRY_COMPARE(detail.fact(LockDetailPanel::UsualFact), QString());
        QVERIFY2(!detail.text().contains(u"sual") && !detail.text().contains(u"Ends when"), qPrintable(detail.text()));
    }

    void theTableHasTheWorstFirst() {
        Scene scene;
        LocksModel model(&scene.context);
        LocksProxy proxy(&model);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto order = [&] {
            QString names;
            for (int row = 0; row < proxy.rowCount(); ++row)
                names += cell(proxy, row, LocksModel::LockColumn);
            return names;
        };
        proxy.sort(-1);
        QCOMPARE(order(), u"abc"_qs);
        scene.raise({alert("token-back", "c", 4s), alert("no-expiry", "b", 2s)});
        QTRY_COMPARE(order(), u"cba"_qs);
        QCOMPARE(cell(proxy, 0, LocksModel::StateColumn), u"token went back"_qs);
        const QModelIndex state = proxy.index(0, LocksModel::StateColumn);
        QCOMPARE(state.data(LocksModel::ToneRole).toInt(), int(Pill::Tone::Violation));
        QVERIFY(state.data(Qt::ToolTipRole).toString().contains(u"“c” is not well."));
        QCOMPARE(proxy.index(1, LocksModel::StateColumn).data(LocksModel::ToneRole).toInt(), int(Pill::Tone::Waiting));
        // A look back shows the alerts of that time.
        scene.context.setPlayhead(3s);
        QTRY_COMPARE(order(), u"bac"_qs);
        proxy.sort(LocksModel::LockColumn, Qt::DescendingOrder); // the person's own order
        QTRY_COMPARE(order(), u"cba"_qs);
        scene.context.setPlayhead(1s);
        proxy.sort(-1);
        QTRY_COMPARE(order(), u"abc"_qs);
    }

    /// A row that somebody is about to click stays where it is: neither the strip above grows nor the order changes.
    void nothingMovesUnderAMovingMouse() {
        Scene scene;
        QWidget window;
        window.setMouseTracking(true);
        window.resize(900, 700);
        AlertsStrip strip(&scene.context, &window);
        strip.resize(900, 300);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        LocksModel model(&scene.context);
        LocksProxy proxy(&model);
        proxy.sort(-1);
        connect(&PointerAim::instance(), &PointerAim::changed, &proxy, &LocksProxy::setSteady);
        int x = 300;
        QTimer moving; // it does not rest, however long the rest takes
        connect(&moving, &QTimer::timeout, &window, [&] { QTest::mouseMove(&window, {300 + ++x % 100, 600}); });
        moving.start(50);
        QTRY_VERIFY(PointerAim::instance().isAiming());
        scene.raise({alert("token-back", "c", 4s)});
        QVERIFY2(strip.summary().startsWith(u"1"), qPrintable(strip.summary())); // that there is one is told
        QTRY_COMPARE(model.index(2, LocksModel::StateColumn).data().toString(), u"token went back"_qs);
        QVERIFY(PointerAim::instance().isAiming());
        QVERIFY(!strip.view()->isVisible());
        QCOMPARE(cell(proxy, 0, LocksModel::LockColumn), u"a"_qs);
        moving.stop();
        QTRY_VERIFY(!PointerAim::instance().isAiming());
        QVERIFY(strip.view()->isVisible());
        QTRY_COMPARE(cell(proxy, 0, LocksModel::LockColumn), u"c"_qs);
    }
};

QTEST_MAIN(AlertsStripTest)
#include "tst_alerts_strip.moc"
