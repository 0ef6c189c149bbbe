// SPDX-License-Identifier: GPL-3.0-or-later
#include "connections/connections_aside.h"
#include "connections/connections_panel.h"
#include "fake_session.h"
#include "locks/locks_panel.h"
#include "models/alert_words.h"
#include "models/connection_words.h"
#include "session/alert_desk.h"
#include "theme/badge.h"
#include "theme/widgets.h"
#include "trace/connection.h"

#include <QAbstractItemModelTester>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::views;
using session::ConnectionFacts;
using session::Health;
using Grouping = LocksModel::Grouping;

namespace {

/// Two servers with a lock "orders" each; the test says how it stands with them.
class FleetSession : public views::testing::FakeSession, public session::AlertSource, public session::ConnectionSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
    Q_INTERFACES(lockscope::session::ConnectionSource)
public:
    FleetSession() {
        can = {.live = true};
        trace::Trace& t = writable();
        shop = trace::internConnection(t, "shop", "redis://10.0.0.1:6379");
        bank = trace::internConnection(t, "bank", "postgresql://10.0.0.2:5432/db");
        redis = t.intern(trace::EntityKind::Node, "10.0.0.1:6379", shop);
        postgres = t.intern(trace::EntityKind::Node, "10.0.0.2:5432", bank);
        here = t.intern(trace::EntityKind::Lock, "orders", redis);
        there = t.intern(trace::EntityKind::Lock, "orders", postgres);
        alerts.push_back(std::make_unique<session::AlertDesk>(shop));
        alerts.push_back(std::make_unique<session::AlertDesk>(bank));
        t.reach(10s);
        tell();
    }
    std::vector<session::AlertDesk*> alertDesks() override { return {alerts[0].get(), alerts[1].get()}; }
    session::ConnectionDesk* connectionDesk() override { return &desk; }

    ConnectionFacts factsOf(trace::EntityId id, const char* name, const char* url, const char* kind) const {
        ConnectionFacts facts;
        facts.id = id;
        facts.name = QString::fromLatin1(name);
        facts.url = QString::fromLatin1(url);
        facts.kind = QString::fromLatin1(kind);
        facts.health = {Health::Level::Good, QStringLiteral("10.0.0.1:6379 · connected"), {}};
        facts.locks = facts.held = 1;
        facts.lookedAt = 9900ms;
        facts.budget = 0.08;
        return facts;
    }
    void tell() { desk.take({first(), second()}); }
    ConnectionFacts first() const { return factsOf(shop, "shop", "redis://10.0.0.1:6379", "Redis 7.0.15 · master"); }
    ConnectionFacts second() const { return factsOf(bank, "bank", "postgresql://10.0.0.2:5432/db", "PostgreSQL 15"); }
    void held(trace::EntityId lock, const char* client) {
        trace::Trace& t = writable();
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, client));
        t.append({Nanos(10s).count(), trace::kNeverEnds, thread, lock, 1, trace::EventKind::RecordHeld, 0});
    }

    trace::EntityId shop, bank, redis, postgres, here, there;
    std::vector<std::unique_ptr<session::AlertDesk>> alerts;
    session::ConnectionDesk desk;
};

struct Scene {
    FleetSession session;
    ViewContext context;
    Scene() {
        context.setSession(&session);
        context.setPlayhead(10s);
    }
};

QStringList texts(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
    QStringList all;
    for (int row = 0; row < model.rowCount(parent); ++row)
        all << model.index(row, 0, parent).data().toString();
    return all;
}

} // namespace

class ConnectionsPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRecordingHasCardsOfWhatWasWatched() {
        views::testing::FakeSession session;
        trace::Trace& t = session.writable();
        t.setOriginWallMs(1'700'000'000'000);
        const auto shop = trace::internConnection(t, "shop", "redis://10.0.0.1:6379");
        const auto node = t.intern(trace::EntityKind::Node, "10.0.0.1:6379", shop);
        const auto orders = t.intern(trace::EntityKind::Lock, "orders", node);
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "A"));
        t.append({Nanos(2s).count(), trace::kNeverEnds, thread, orders, 1, trace::EventKind::RecordHeld, 0});
        t.reach(10s);
        ViewContext context;
        context.setSession(&session);
        ConnectionsPanel panel(&context);
        panel.resize(260, 300);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const ConnectionsModel& model = *panel.model();
        QTRY_COMPARE(model.rowCount(), 1);
        QCOMPARE(model.facts(0)->name, QStringLiteral("shop"));
        QCOMPARE(model.facts(0)->kind, QStringLiteral("Redis"));
        QCOMPARE(ConnectionsModel::lockText(*model.facts(0)), QStringLiteral("0 lock(s) · 0 held")); // not yet
        context.setPlayhead(5s);
        QTRY_COMPARE(ConnectionsModel::lockText(*model.facts(0)), QStringLiteral("1 lock(s) · 1 held"));
        QCOMPARE(panel.summary(), QStringLiteral("1 lock(s)"));
        QCOMPARE(model.costText(*model.facts(0)), QStringLiteral("redis://10.0.0.1:6379")); // nothing is asked of it
        QTest::keyClick(panel.findChild<QListView*>(), Qt::Key_Delete);                     // and nothing can be ended
        QCOMPARE(model.rowCount(), 1);
    }

    void theKeyboardReachesItsControls() {
        Scene scene;
        ConnectionsPanel panel(&scene.context);
        panel.resize(360, 600);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        auto* const list = panel.findChild<QListView*>();
        auto* const add = panel.findChild<QPushButton*>();
        QVERIFY(list && add);
        add->setFocus();
        list->setCurrentIndex({});
        const trace::EntityId before = scene.context.selection();
        QTest::keyClick(add, Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget(), list);
        QCOMPARE(list->currentIndex().row(), 0); // the focus stands on a card
        QCOMPARE(scene.context.selection(), before);
        QCoreApplication::processEvents(); // the list paints its focus at the next turn
        const QImage with = list->grab().toImage();
        add->setFocus();
        QCoreApplication::processEvents(); // and paints without it at the next
        QVERIFY(list->grab().toImage() != with);
        list->setFocus();
        list->setCurrentIndex(panel.model()->index(1));
        QTest::keyClick(list, Qt::Key_Home);
        QCOMPARE(list->currentIndex().row(), 0);
        QTest::keyClick(list, Qt::Key_Down);
        QCOMPARE(list->currentIndex().row(), 1);
    }

    void eachConnectionIsTold() {
        Scene scene;
        ConnectionsPanel panel(&scene.context);
        const QAbstractItemModelTester tester(panel.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(texts(*panel.model()), (QStringList{u"shop"_qs, u"bank"_qs}));
        QCOMPARE(panel.summary(), u"2 lock(s) now"_qs);
        const QString spoken = panel.model()->index(0).data(Qt::AccessibleTextRole).toString();
        for (const char* part : {"shop", "redis://10.0.0.1:6379", "master", "connected", "1 held", "read-only"})
            QVERIFY2(spoken.contains(QLatin1String(part)), part);
        ConnectionFacts open = scene.session.second();
        open.changesAllowed = true;
        open.lookedAt = 2s; // the trace has come to 10 s
        scene.session.desk.take({scene.session.first(), open});
        const QString changed = panel.model()->index(1).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(changed.contains(u"changes allowed"), qPrintable(changed));
        QVERIFY2(changed.contains(u"seen 8.0 s ago"), qPrintable(changed));
    }

    void aCardTellsTheTopologyAndWhatHappenedLately() {
        Scene scene;
        ConnectionsModel model(&scene.context);
        ConnectionFacts its = scene.session.first();
        const auto words = [&] {
            scene.session.desk.take({its, scene.session.second()});
            return model.healthText(*model.facts(0));
        };
        QCOMPARE(words(), u"connected"_qs);
        its.topology = u"master + 2 replicas"_qs;
        QCOMPARE(words(), u"connected · master + 2 replicas"_qs);
        its.failedOverAt = 4s; // the trace has come to 10 s
        its.backAt = 5s;
        QCOMPARE(words(), u"connected · failover 6.0 s ago · back for 5.0 s · master + 2 replicas"_qs);
        scene.session.writable().reach(4000s); // that is no news any more
        its.lookedAt = 4000s;
        QCOMPARE(words(), u"connected · master + 2 replicas"_qs);
        its.health = {Health::Level::Bad, u"not reached: no answer"_qs, {}};
        QCOMPARE(words(), u"not reached: no answer"_qs); // who knows what they are now
    }

    void belowTheCardsStandRulesCommandsAndHowItIsWatched() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        scene.session.held(scene.session.here, "batch-02"); // by its name
        const auto rule = t.text("app=([a-z]+)");
        for (const char* client : {"web", "jobs"})
            t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, client, 0, rule));
        t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "8812", scene.session.bank));
        Q_EMIT scene.session.advanced();
        scene.session.desk.setClientRules(
            {*inspect::parseClientRule(u"app=([a-z]+)"_qs), *inspect::parseClientRule(u"name"_qs)});
        ConnectionsPanel panel(&scene.context);
        QAction compare(u"&Compare…"_qs), replay(u"Replay all that happened as a scenario of the simulator…"_qs);
        panel.aside()->setActions({&compare, &replay});
        ConnectionFacts first = scene.session.first();
        first.watching = u"SCAN + told of changes"_qs;
        scene.session.desk.take({first, scene.session.second()});
        QCOMPARE(panel.aside()->ruleLines(),
                 (QStringList{u"by app=([a-z]+): 2 client(s)"_qs, u"by name: 1 client(s)"_qs}));
        QCOMPARE(panel.aside()->watchingLines(), (QStringList{u"shop: SCAN + told of changes"_qs}));
        panel.resize(260, 900);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QVERIFY(panel.aside()->showsRules() && panel.aside()->showsActions() && panel.aside()->showsWatching());
        // Cards are whole, and nothing stands over anything else.
        QVERIFY(!panel.view()->verticalScrollBar()->isVisible());
        QVERIFY(panel.aside()->geometry().top() > panel.addButton()->geometry().bottom());
        const QList<QPushButton*> buttons = panel.aside()->findChildren<QPushButton*>();
        QCOMPARE(buttons.size(), 2);
        QCOMPARE(buttons[0]->text(), u"Compare…"_qs);
        QVERIFY(panel.minimumSizeHint().width() < 230); // long words do not widen the column
        QCOMPARE(buttons[1]->accessibleName(), replay.text());
        QSignalSpy triggered(&compare, &QAction::triggered);
        buttons[0]->click();
        QCOMPARE(triggered.count(), 1);
        replay.setEnabled(false);
        QVERIFY(!buttons[1]->isEnabled());
        // Chinese has no spaces to break at.
        replay.setText(u"把发生的事做成场景让它在模拟器里重来"_qs);
        QTRY_COMPARE(buttons[1]->text().count(u'\n'), 1);
        QCOMPARE(buttons[1]->text().remove(u'\n'), replay.text());
        // In a low window the sections give way one after the other, the last ones first.
        int shown = 3;
        for (int height = 900; height > 200; height -= 20) {
            panel.resize(260, height);
            const bool sections[]{panel.aside()->showsRules(), panel.aside()->showsActions(),
                                  panel.aside()->showsWatching()};
            const int now = int(std::ranges::count(sections, true));
            QVERIFY(now <= shown && std::ranges::is_sorted(sections, std::ranges::greater()));
            shown = now;
        }
        QCOMPARE(shown, 0);
    }

    /// Nobody has to open a menu to see which masters there are, and what they have.
    void theServersBehindAConnectionStandBelow() {
        Scene scene;
        ConnectionsPanel panel(&scene.context);
        ConnectionFacts cluster = scene.session.first();
        cluster.servers = {
            {u"10.0.0.1:6379"_qs, u"master"_qs, u"slots 0-8191 · run id 3c1f0a52… · no replica · persistence rdb"_qs},
            {u"10.0.0.2:6379"_qs, u"master"_qs, u"slots 8192-16383 · eviction allkeys-lru"_qs},
            {u"10.0.0.3:6379"_qs, {}, u"not known: no answer"_qs}};
        scene.session.desk.take({cluster, scene.session.second()});
        panel.resize(260, 1200);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QVERIFY(panel.aside()->showsServers());
        QCOMPARE(
            panel.aside()->serverLines(),
            (QStringList{u"shop · 10.0.0.1:6379 · master: slots 0-8191 · run id 3c1f0a52… · no replica · persistence "
                         u"rdb"_qs,
                         u"shop · 10.0.0.2:6379 · master: slots 8192-16383 · eviction allkeys-lru"_qs,
                         u"shop · 10.0.0.3:6379: not known: no answer"_qs}));
        // Words that do not fit on a line stand on the next one, and are not cut off.
        const auto paragraphs = panel.aside()->findChildren<Paragraph*>();
        QCOMPARE(paragraphs.size(), 3);
        QTRY_VERIFY(paragraphs[0]->height() >= paragraphs[0]->heightForWidth(paragraphs[0]->width()));
        QVERIFY(paragraphs[0]->height() > paragraphs[1]->fontMetrics().height() * 3 / 2);
        ConnectionFacts unnamed = scene.session.first(); // it goes by its address, which is told once
        unnamed.name = u"10.0.0.1:6379"_qs;
        unnamed.servers = {{u"10.0.0.1:6379"_qs, u"master"_qs, u"no replica"_qs}};
        scene.session.desk.take({unnamed, scene.session.second()});
        QCOMPARE(panel.aside()->serverLines(), QStringList{u"10.0.0.1:6379 · master: no replica"_qs});
        unnamed.servers = {{u"10.0.0.2:6379"_qs, u"leader"_qs},
                           {u"10.0.0.1:6379"_qs, u"follower"_qs, u"0 entries behind"_qs}};
        scene.session.desk.take({unnamed, scene.session.second()}); // an ensemble, by the address that was given
        QCOMPARE(panel.aside()->serverLines(),
                 (QStringList{u"10.0.0.2:6379 · leader"_qs, u"10.0.0.1:6379 · follower: 0 entries behind"_qs}));
        cluster.open = false; // what it was is no news of the servers
        scene.session.desk.take({cluster, scene.session.second()});
        QVERIFY(panel.aside()->serverLines().isEmpty() && !panel.aside()->showsServers());
    }

    void aRuleIsRejected() {
        Scene scene;
        session::ConnectionDesk& desk = scene.session.desk;
        desk.setClientRules({*inspect::parseClientRule(u"address"_qs), *inspect::parseClientRule(u"name"_qs)});
        QSignalSpy wanted(&desk, &session::ConnectionDesk::clientRulesWanted);
        QVERIFY(!mayReject(scene.context, u"app=(.*)"_qs));
        rejectRule(scene.context, u"app=(.*)"_qs);
        QCOMPARE(wanted.count(), 0);
        QVERIFY(mayReject(scene.context, u"address"_qs));
        rejectRule(scene.context, u"address"_qs);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(desk.clientRules().size(), std::size_t(1));
        QCOMPARE(desk.clientRules().front().text, u"name"_qs);
    }

    void theServersOfAConnectionAreTold() {
        Scene scene;
        ConnectionsPanel panel(&scene.context);
        ConnectionFacts group = scene.session.first();
        group.servers = {{u"10.0.0.1:6379"_qs, u"master"_qs, u"no replica"_qs}, {u"10.0.0.3:6379"_qs, u"master"_qs}};
        scene.session.desk.take({group, scene.session.second()});
        const QString spoken = panel.model()->index(0).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(spoken.contains(u"10.0.0.3:6379 · master"), qPrintable(spoken));
        const auto actionOf = [&](trace::EntityId connection) {
            const QList<QAction*> all = panel.makeMenu(connection)->actions();
            const auto servers =
                std::ranges::find_if(all, [](const QAction* one) { return one->text() == u"&Servers…"; });
            return servers == all.end() ? nullptr : *servers;
        };
        QAction* const servers = actionOf(scene.session.shop);
        QVERIFY(servers && servers->isEnabled());
        QVERIFY(!actionOf(scene.session.bank)->isEnabled()); // it tells nothing
        servers->trigger();
        const auto* const box = panel.findChild<QMessageBox*>();
        QVERIFY(box && box->isVisible());
        for (const inspect::ServerLine& one : group.servers)
            QVERIFY(box->informativeText().contains(one.text()));
    }

    void oneSelectionEverywhere() {
        Scene scene;
        ConnectionsPanel panel(&scene.context);
        panel.show();
        scene.context.select(scene.session.there);
        QCOMPARE(panel.view()->currentIndex().row(), 1);
        QTest::keyClick(panel.view(), Qt::Key_Up);
        QCOMPARE(scene.context.selection(), scene.session.redis);
    }

    void everythingIsDoneByKeyboard() {
        Scene scene;
        ConnectionsPanel panel(&scene.context);
        panel.show();
        panel.view()->setCurrentIndex(panel.model()->index(1));
        QSignalSpy edited(&panel, &ConnectionsPanel::editRequested), added(&panel, &ConnectionsPanel::addRequested);
        QSignalSpy ended(&scene.session.desk, &session::ConnectionDesk::endWanted);
        QTest::keyClick(panel.view(), Qt::Key_Return);
        QCOMPARE(edited.value(0).value(0).toUInt(), scene.session.bank);
        QTest::keyClick(panel.view(), Qt::Key_Delete);
        QCOMPARE(ended.value(0).value(0).toUInt(), scene.session.bank);
        QTest::keyClick(panel.addButton(), Qt::Key_Space);
        QCOMPARE(added.count(), 1);
    }

    void changesAreAllowedAfterAQuestionAndForOneOnly() {
        Scene scene;
        ConnectionsPanel panel(&scene.context);
        panel.show();
        QSignalSpy wanted(&scene.session.desk, &session::ConnectionDesk::changesWanted);
        const std::unique_ptr<QMenu> menu(panel.makeMenu(scene.session.bank));
        QAction* allow = nullptr;
        for (QAction* const action : menu->actions())
            if (action->text().contains(u"changes")) allow = action;
        QVERIFY(allow && allow->isEnabled());
        allow->trigger();
        auto* const box = panel.findChild<QMessageBox*>();
        QVERIFY(box && box->text().contains(u"bank"));
        QCOMPARE(wanted.count(), 0);
        QVERIFY(box->defaultButton() == box->button(QMessageBox::Cancel));
        for (QAbstractButton* const button : box->buttons())
            if (box->buttonRole(button) == QMessageBox::AcceptRole) button->click();
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().at(0).toUInt(), scene.session.bank);
        QVERIFY(wanted.front().at(1).toBool());
    }

    void equalNamesAreTwoRowsWithABadgeEach() {
        Scene scene;
        LocksModel model(&scene.context);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(texts(model), (QStringList{u"orders"_qs, u"orders"_qs}));
        const auto server = [&](int row) { return model.index(row, LocksModel::ServerColumn); };
        QCOMPARE(server(0).data().toString(), u"shop"_qs);
        QCOMPARE(server(1).data().toString(), u"bank"_qs);
        QCOMPARE(server(0).data(LocksModel::BadgeRole).toInt(), 0);
        QCOMPARE(server(1).data(LocksModel::BadgeRole).toInt(), 1);
        QVERIFY(badgeColor(0) != badgeColor(1));
        QVERIFY(server(1).data(Qt::ToolTipRole).toString().contains(u"postgresql://10.0.0.2"));
        // An alert is of the lock on its own connection.
        const inspect::Alert alert{inspect::Alert::State::Raised,
                                   *inspect::parseAlertRule(u"no-expiry"_qs),
                                   "orders",
                                   u"So."_qs,
                                   u"Do."_qs,
                                   Nanos(1s)};
        scene.session.alerts[1]->take({alert}, {{alert}, 0, 0}, 10s, 0);
        QTRY_COMPARE(model.index(1, 0).data(LocksModel::AlertRole).toInt() > 0, true);
        QCOMPARE(model.index(0, 0).data(LocksModel::AlertRole).toInt(), 0);
        ConnectionsModel connections(&scene.context);
        QCOMPARE(connections.alertsOf(scene.session.bank), 1);
        QCOMPARE(connections.alertsOf(scene.session.shop), 0);
        // By its name, and with more of them by the worst one's.
        QCOMPARE(connections.alertWords(scene.session.bank).front(), alertWord(inspect::AlertRule::Kind::NoExpiry));
        QVERIFY(connections.alertWords(scene.session.shop).isEmpty());
        const QString tip = connections.index(1).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(alertWord(inspect::AlertRule::Kind::NoExpiry) + u": orders"_qs), qPrintable(tip));
        inspect::Alert lost = alert;
        lost.rule = *inspect::parseAlertRule(u"token-back"_qs);
        scene.session.alerts[1]->take({lost}, {{lost, alert}, 0, 0}, 11s, 0);
        QCOMPARE(connections.alertWords(scene.session.bank),
                 (QStringList{alertWord(inspect::AlertRule::Kind::TokenBack) + u" + 1"_qs, u"2 alert(s)"_qs}));
    }

    void locksAreGroupedByConnectionBackendAndHolder() {
        Scene scene;
        scene.session.held(scene.session.here, "A");
        LocksModel model(&scene.context);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setGrouping(Grouping::Server);
        QCOMPARE(texts(model), (QStringList{u"shop · 1 lock(s)"_qs, u"bank · 1 lock(s)"_qs}));
        QCOMPARE(model.index(1, 0).data(LocksModel::BadgeRole).toInt(), 1);
        model.setGrouping(Grouping::Backend);
        QCOMPARE(texts(model), (QStringList{u"Redis · 1 lock(s)"_qs, u"PostgreSQL · 1 lock(s)"_qs}));
        model.setGrouping(Grouping::Holder);
        QCOMPARE(texts(model), (QStringList{u"A · 1 lock(s)"_qs, u"no holder · 1 lock(s)"_qs}));
        // A lock that changed hands goes to its new holder's group, after a while.
        scene.session.held(scene.session.there, "A");
        Q_EMIT scene.session.advanced();
        QTRY_COMPARE(texts(model), (QStringList{u"A · 2 lock(s)"_qs}));
        QCOMPARE(model.indexOf(scene.session.there).row(), 1);
        model.setGrouping(Grouping::None);
        QCOMPARE(model.rowCount(), 2);
    }
};

QTEST_MAIN(ConnectionsPanelTest)
#include "tst_connections_panel.moc"
