// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "locks/force_release_dialog.h"
#include "locks/lock_detail_panel.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "locks/ttl_history.h"
#include "theme/palette.h"
#include "theme/widgets.h"

#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>
#include <set>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseStory;

class LocksPanels : public QObject {
    Q_OBJECT

    struct Scene {
        FakeSession session;
        PauseStory story{session.writable()};
        trace::EntityId stock;
        ViewContext context;
        Scene() {
            session.plan.lock.lease = 5s;
            trace::Trace& t = session.writable();
            stock = t.intern(trace::EntityKind::Lock, "stock:42", story.node);
            t.append(
                {Nanos(10s).count(), Nanos(40s).count(), story.aThread, stock, 1, trace::EventKind::RecordHeld, 0});
            context.setSession(&session);
            context.setPlayhead(6812ms);
        }
    };

    static QMenu* openMenu(QWidget* parent) {
        for (QMenu* menu : parent->findChildren<QMenu*>())
            if (menu->isVisible()) return menu;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void aClickOnARowSelectsTheLock() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1180, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTreeView* view = panel.view();
        QCOMPARE(view->model()->rowCount(), 2);
        const QRect row = view->visualRect(view->model()->index(1, LocksModel::HolderColumn));
        QVERIFY(row.isValid());
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(scene.context.selection(), scene.stock);
        QTest::keyClick(view, Qt::Key_Up);
        QCOMPARE(scene.context.selection(), scene.story.lock);
        scene.context.select(scene.stock); // somebody else selects
        QCOMPARE(view->currentIndex().data(LocksModel::EntityRole).toUInt(), scene.stock);
    }

    /// The row that is highlighted is the lock that the panels beside show, and that a release by force would free.
    void aClickAfterAFilterSelectsTheLock() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1180, 240);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QTreeView* const view = panel.view();
        const auto filterAndClick = [&](const QString& name) {
            panel.filterField()->setFocus();
            panel.filterField()->selectAll();
            QTest::keyClicks(panel.filterField(), name);
            QTest::keyClick(panel.filterField(), Qt::Key_Return);
            QTRY_COMPARE(view->model()->rowCount(), 1);
            const QModelIndex row = view->model()->index(0, 0);
            QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(row).center());
            QVERIFY(view->selectionModel()->isSelected(row));
            QCOMPARE(scene.context.selection(), row.data(LocksModel::EntityRole).toUInt());
        };
        filterAndClick(u"stock"_qs);
        QCOMPARE(scene.context.selection(), scene.stock);
        filterAndClick(u"orders"_qs);
        QCOMPARE(scene.context.selection(), scene.story.lock);
    }

    void theFilterFieldFiltersAndSaysWhatIsHidden() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1180, 240);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QTest::keyClick(panel.view(), Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(panel.filterField()->hasFocus());
        QTest::keyClicks(panel.filterField(), u"stock"_qs);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 1);
        const auto says = [&panel](const QString& words) {
            for (const QLabel* label : panel.findChildren<QLabel*>())
                if (label->isVisible() && label->text().contains(words)) return true;
            return false;
        };
        QVERIFY(says(u"1 of 2"_qs));
        QTest::keyClicks(panel.filterField(), u" ttl<never"_qs);
        QTest::keyClick(panel.filterField(), Qt::Key_Return);
        QVERIFY(says(u"never"_qs)); // the mistake, in words
        QCOMPARE(panel.view()->model()->rowCount(), 1);
        QTest::keyClick(panel.filterField(), Qt::Key_Escape);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 2);
    }

    /// On watched servers: what a person on call looks for is counted, and one click or key away.
    void chipsCountAndFilter() {
        Scene scene;
        scene.session.can.live = true;
        scene.context.setPlayhead(11s);
        LocksPanel panel(&scene.context);
        panel.resize(1180, 240);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        const auto chip = [&panel](const QString& name) -> Pill* {
            for (Pill* const pill : panel.findChildren<Pill*>())
                if (pill->isVisible() && pill->accessibleName().startsWith(name)) return pill;
            return nullptr;
        };
        QTRY_VERIFY(chip(u"held"_qs));
        QCOMPARE(chip(u"held"_qs)->accessibleName(), u"held 2"_qs);
        QVERIFY(!chip(u"with alerts"_qs) && !chip(u"never expires"_qs)); // there is none
        panel.filterField()->setText(u"name:stock"_qs);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 1);
        QCOMPARE(chip(u"held"_qs)->accessibleName(), u"held 2"_qs); // of all
        QTest::mouseClick(chip(u"held"_qs), Qt::LeftButton);
        QCOMPARE(panel.filterField()->text(), u"state:held name:stock"_qs); // what was typed stays
        QVERIFY(chip(u"held"_qs)->isChecked() && chip(u"held"_qs)->text().startsWith(QChar(0x2713)));
        panel.filterField()->setText(u"state:held"_qs);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 2);
        QTest::keyClick(panel.view(), Qt::Key_1, Qt::AltModifier);
        QCOMPARE(panel.filterField()->text(), QString());
        QVERIFY(!chip(u"held"_qs)->isChecked());
        // A lock without an end has a chip, and the chip finds it.
        scene.session.writable().append({Nanos(12s).count(), trace::kNeverEnds, scene.story.aThread, scene.stock, 1,
                                         trace::EventKind::RecordHeld, 0});
        scene.context.setPlayhead(13s);
        QTRY_VERIFY(chip(u"never expires"_qs));
        QTest::keyClick(panel.view(), Qt::Key_4, Qt::AltModifier);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 1);
        QCOMPARE(panel.view()->model()->index(0, LocksModel::LockColumn).data().toString(), u"stock:42"_qs);
    }

    void whatIsOutOfSightIsNotCountedAsHeld() {
        Scene scene;
        LocksPanel panel(&scene.context);
        const auto summary = [&panel] {
            QStringList all;
            for (const QLabel* label : panel.findChildren<QLabel*>())
                all += label->text();
            return all.join(u'\n');
        };
        scene.context.setPlayhead(11s);
        QTRY_VERIFY(summary().contains(u"2 held"_qs));
        scene.session.writable().append({Nanos(12s).count(), 0, 0, scene.stock, 0, trace::EventKind::RecordUnobserved});
        scene.context.setPlayhead(13s);
        QTRY_VERIFY2(summary().contains(u"1 not observed"_qs), qPrintable(summary()));
        QVERIFY(summary().contains(u"1 held"_qs));
    }

    void groupingMakesATreeOfServers() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1180, 240);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QTest::keyClick(panel.view(), Qt::Key_G, Qt::ControlModifier);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 1);
        const QModelIndex server = panel.view()->model()->index(0, 0);
        QVERIFY(server.data().toString().startsWith(u"redis-1"_qs));
        QCOMPARE(panel.view()->model()->rowCount(server), 2);
        QVERIFY(panel.view()->isExpanded(server));
    }

    void theMenuBreaksTheHolderAndAsksBeforeForce() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1180, 240);
        scene.session.can.forceRelease = true;
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTreeView* view = panel.view();
        const auto popUp = [&] {
            const QPoint at = view->visualRect(view->model()->index(0, 0)).center();
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, view->viewport()->mapToGlobal(at));
            QCoreApplication::sendEvent(view->viewport(), &event);
            return openMenu(&panel);
        };
        QMenu* menu = popUp();
        QVERIFY(menu);
        const auto entry = [&menu](const QString& text) -> QAction* {
            for (QAction* a : menu->actions())
                if (a->text().section(u'\t', 0, 0).remove(u'&') == text) return a;
            return nullptr;
        };
        QVERIFY(entry(u"Pause B"_qs)); // the holder by the record, as in the panel that breaks things
        menu->close();
        scenario::Fault pause;
        pause.at = 3s;
        pause.action = scenario::Action::PauseClient;
        pause.target = u"A"_qs;
        scene.session.byHand = {pause};
        menu = popUp();
        QVERIFY(menu);
        QVERIFY(entry(u"Resume A"_qs)); // a person paused it: the way back comes first
        QAction* force = entry(u"Release by force…"_qs);
        QVERIFY(force && force->isEnabled());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(force).center());
        auto* dialog = panel.findChild<ForceReleaseDialog*>();
        QVERIFY(dialog);
        QPushButton* release = nullptr;
        for (QPushButton* b : dialog->findChildren<QPushButton*>())
            if (b->text().contains(u"force"_qs)) release = b;
        QVERIFY(release);
        QVERIFY(!release->isEnabled());
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), u"orders"_qs);
        QVERIFY(release->isEnabled());
        QTest::mouseClick(release, Qt::LeftButton);
        QCOMPARE(scene.session.forced, std::vector<QByteArray>{"orders"});
        scene.session.can.forceRelease = false;
        menu = popUp();
        QVERIFY(menu);
        QVERIFY(!entry(u"Release by force…"_qs)->isEnabled());
    }

    // At a live server it strikes now, wherever one looks: so it must name, and ask about, whoever holds the lock now.
    void whatIsReleasedByForceIsWhatIsHeldNow() {
        FakeSession session;
        session.can = {.faults = true, .live = true, .forceRelease = true};
        trace::Trace& t = session.writable();
        const auto thread = [&t](const char* name) {
            return t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, name));
        };
        const trace::EntityId a = thread("<i>A</i>"), b = thread("<i>B</i>"), c = thread("C");
        const trace::EntityId lock = t.intern(trace::EntityKind::Lock, "<b>orders</b>");
        const auto held = [&](Nanos at, trace::EntityId who) {
            t.append({at.count(), (at + 30s).count(), who, lock, 1, trace::EventKind::RecordHeld});
        };
        const auto freed = [&](Nanos at, trace::EntityId who) {
            t.append({at.count(), 0, who, lock, who, trace::EventKind::RecordFreed});
        };
        held(1s, a);
        freed(5s, a);
        held(6s, b);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(2s); // A's
        LocksPanel panel(&context);
        panel.resize(1180, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const auto openForce = [&] {
            const QPoint at = panel.view()->visualRect(panel.view()->model()->index(0, 0)).center();
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, panel.view()->viewport()->mapToGlobal(at));
            QCoreApplication::sendEvent(panel.view()->viewport(), &event);
            QAction* force = nullptr;
            if (QMenu* menu = openMenu(&panel)) {
                for (QAction* action : menu->actions())
                    if (action->text().contains(u"force"_qs)) force = action;
                menu->close();
            }
            return force;
        };
        QAction* force = openForce();
        QVERIFY(force && force->isEnabled());
        force->trigger();
        auto* dialog = panel.findChild<ForceReleaseDialog*>();
        QVERIFY(dialog);
        bool named = false;
        for (const QLabel* label : dialog->findChildren<QLabel*>()) {
            QVERIFY2(!label->text().contains(u"<i>A</i>"_qs), qPrintable(label->text()));
            if (!label->text().contains(u"<i>B</i>"_qs)) continue;
            named = true;
            QCOMPARE(label->textFormat(), Qt::PlainText); // a name is no markup
        }
        QVERIFY(named);
        QSignalSpy complained(&session, &session::Session::complained);
        freed(7s, b); // while the name is being typed
        held(8s, c);
        Q_EMIT session.advanced();
        dialog->accept();
        QVERIFY(session.forced.empty());
        QCOMPARE(complained.count(), 1);
        QVERIFY2(complained[0][0].toString().contains(u"C"_qs), qPrintable(complained[0][0].toString()));
        force = openForce();
        QVERIFY(force);
        force->trigger();
        for (auto* open : panel.findChildren<ForceReleaseDialog*>())
            if (open->isVisible()) open->accept();
        QCOMPARE(session.forced, std::vector<QByteArray>{"<b>orders</b>"});
        freed(9s, c);
        Q_EMIT session.advanced();
        context.setPlayhead(1500ms);
        force = openForce();
        QVERIFY(force && !force->isEnabled()); // free now, though not where one looks
    }

    void theTtlBarDrainsWithThePlayhead() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1180, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const auto filled = [&](Nanos t) {
            scene.context.setPlayhead(t);
            QCoreApplication::processEvents();
            const QRect cell = panel.view()->visualRect(panel.view()->model()->index(0, LocksModel::TtlColumn));
            const QImage image = panel.view()->viewport()->grab(cell).toImage();
            int pixels = 0;
            for (int x = 0; x < image.width(); ++x)
                pixels += image.pixel(x, image.height() / 2) == color(Role::Holding).rgb();
            return pixels;
        };
        const int early = filled(1s), later = filled(4s);
        QVERIFY2(early > later + 20, qPrintable(QStringLiteral("%1 then %2").arg(early).arg(later)));
        QVERIFY(later > 5);
    }

    void theDetailTellsTheThreeTruthsApart() {
        Scene scene;
        LockDetailPanel panel(&scene.context);
        panel.resize(320, 560);
        panel.show();
        QCOMPARE(panel.fact(LockDetailPanel::RecordSays), u"B · 1"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::Believers), u"A and B"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::Token), u"34"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::HeldFor), u"812 ms"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::RenewalFact), u"no watchdog"_qs);
        QVERIFY(panel.stateText().startsWith(u"2 believer"_qs));
        QCOMPARE(panel.queue()->rowCount(), 1);
        // Nobody has looked there, and nothing is made up from what the record says.
        QCOMPARE(panel.serverLines().size(), 1);
        QVERIFY(panel.serverLines().front().contains(u"nobody has looked"_qs));
        scene.context.setPlayhead(5900ms);
        QTRY_COMPARE(panel.fact(LockDetailPanel::RecordSays), u"free"_qs);
        QCOMPARE(panel.stateText(), u"stale belief"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::Believers), u"A"_qs);
        scene.context.select(scene.stock);
        scene.context.setPlayhead(11s);
        QTRY_COMPARE(panel.fact(LockDetailPanel::RecordSays), u"A · 1"_qs);
    }

    // Locks on a real server have names of any length; the columns to their right must stay in sight.
    void longNamesBreakInsteadOfPushingTheRestOut() {
        Scene scene;
        trace::Trace& trace = scene.session.writable();
        const QByteArray uuid("285475da-9152-4c83-822a-67ee2f116a79");
        const trace::EntityId client = trace.intern(trace::EntityKind::Client, uuid + uuid);
        const trace::EntityId thread = trace.intern(trace::EntityKind::Thread, "17", client);
        const trace::EntityId lock = trace.intern(trace::EntityKind::Lock, "jobs_" + QByteArray(60, 'x'),
                                                  scene.story.node, trace.text("redisson"));
        const std::int64_t now = trace.reached().count();
        trace.append({now, now + Nanos(30s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        trace.reach(12s);
        LockDetailPanel panel(&scene.context);
        panel.resize(320, 560);
        panel.show();
        scene.context.select(lock);
        scene.context.setPlayhead(11s);
        QTRY_VERIFY(panel.fact(LockDetailPanel::RecordSays).startsWith(QLatin1String(uuid)));
        QTRY_VERIFY(!panel.serverLines().isEmpty());
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QCoreApplication::processEvents();
        for (const QWidget* widget : panel.findChildren<QWidget*>()) {
            if (!widget->isVisible()) continue;
            const int right = widget->mapTo(&panel, QPoint(widget->width(), 0)).x();
            QVERIFY2(right <= panel.width(), qPrintable(QStringLiteral("%1 \"%2\" ends at %3")
                                                            .arg(QLatin1String(widget->metaObject()->className()),
                                                                 widget->accessibleName(), QString::number(right))));
        }
    }

    void theHistoryOfALeaseIsItsRecord() {
        Scene scene;
        bool cut = true;
        const auto all = leaseHistory(*scene.session.trace(), scene.story.lock, 0s, 8s, 100'000, &cut);
        QVERIFY(!cut);
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(all[0].from, Nanos(800ms));
        QCOMPARE(all[0].to, Nanos(5800ms));
        QCOMPARE(all[0].lease, Nanos(5s));
        QCOMPARE(all[1].from, Nanos(6s));
        QCOMPARE(all[1].to, Nanos(8s));
        leaseHistory(*scene.session.trace(), scene.story.lock, 0s, 8s, 3, &cut);
        QVERIFY(cut);
    }

    void rowsAboutTheContentLeaveTheLeaseAsItIs() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        for (const auto kind : {trace::EventKind::RecordContent, trace::EventKind::RecordFormat,
                                trace::EventKind::RecordWaiters, trace::EventKind::RecordToken})
            t.append({Nanos(11s).count(), 0, trace::kNoEntity, scene.stock, 0, kind, 0});
        const auto leases = leaseHistory(t, scene.stock, 0s, 14s, 1000);
        QCOMPARE(leases.size(), std::size_t(1));
        QCOMPARE(leases[0].from, Nanos(10s));
        QCOMPARE(leases[0].to, Nanos(14s));
    }

    void aLeaseThatWasNotSeenToBeginHasNoLength() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto thread = t.intern(trace::EntityKind::Thread, "57", t.intern(trace::EntityKind::Client, "8743c9c0"));
        t.append({0, Nanos(4200ms).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(1s);
        LockDetailPanel panel(&context);
        const auto* ring = panel.findChild<TtlRing*>();
        QVERIFY(ring);
        QCOMPARE(ring->accessibleName(), u"3.2 s of unknown"_qs); // and not of how much
        QCOMPARE(panel.fact(LockDetailPanel::HeldFor), QStringLiteral("≥ 1.0 s"));
    }

    void aServerOutOfSightIsNotDrawnOn() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto row = [&](Nanos at, trace::EventKind kind, Nanos deadline = {}) {
            t.append({at.count(), deadline.count(), scene.story.aThread, scene.stock, 1, kind});
        };
        // Held from 10 s to 40 s, see Scene.
        row(12s, trace::EventKind::RecordUnobserved);
        scene.context.select(scene.stock);
        scene.context.setPlayhead(14s);
        LockDetailPanel panel(&scene.context);
        const auto* ring = panel.findChild<TtlRing*>();
        QVERIFY(ring);
        QCOMPARE(ring->accessibleName().trimmed(), u"unknown"_qs);
        for (const auto which : {LockDetailPanel::RecordSays, LockDetailPanel::HeldFor, LockDetailPanel::RenewalFact})
            QCOMPARE(panel.fact(which), u"unknown"_qs);
        auto leases = leaseHistory(t, scene.stock, 4s, 14s, 1000);
        QCOMPARE(leases.size(), std::size_t(1));
        QCOMPARE(leases[0].to, Nanos(12s));
        // Back again: the lease goes on where nobody said otherwise, but it was not renewed.
        row(16s, trace::EventKind::RecordObserved);
        leases = leaseHistory(t, scene.stock, 8s, 18s, 1000);
        QCOMPARE(leases.size(), std::size_t(2));
        QCOMPARE(leases[0].to, Nanos(12s));
        QCOMPARE(leases[1].from, Nanos(16s));
        QCOMPARE(leases[1].to, Nanos(18s));
        QCOMPARE(leases[1].lease, Nanos(30s));
        QVERIFY(!leases[1].renewed);
        row(19s, trace::EventKind::RecordRenewed, 40s); // a re-entry: the deadline stays
        row(20s, trace::EventKind::RecordRenewed, 50s);
        leases = leaseHistory(t, scene.stock, 8s, 22s, 1000);
        QCOMPARE(int(std::ranges::count(leases, true, &LeaseStretch::renewed)), 1);
        QCOMPARE(leases.back().from, Nanos(20s));
        QVERIFY(leases.back().renewed);
    }

    void aBadgeSelectsItsClient() {
        Scene scene;
        ProtocolPanel panel(&scene.context);
        panel.resize(320, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QListView* view = panel.view();
        const QRect row = view->visualRect(panel.model()->index(1)); // C asks
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(row.right() - 16, row.center().y()));
        QCOMPARE(scene.context.selection(), scene.story.cThread);
        QVERIFY(panel.model()->index(3).data(Qt::AccessibleTextRole).toString().contains(u"A believes it holds"_qs));
        scene.context.setPlayhead(2500ms); // B and C ask
        QTRY_COMPARE(panel.model()->badges(1).size(), std::size_t(2));
        scene.context.select(trace::kNoEntity);
        view->setCurrentIndex(panel.model()->index(1));
        std::set<trace::EntityId> reached;
        for (int i = 0; i < 2; ++i) {
            Q_EMIT view->activated(view->currentIndex()); // as Enter does
            reached.insert(scene.context.selection());
        }
        QCOMPARE(reached, (std::set{scene.story.bThread, scene.story.cThread}));
    }
};

QTEST_MAIN(LocksPanels)
#include "tst_locks_panels.moc"
