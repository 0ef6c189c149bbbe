// SPDX-License-Identifier: GPL-3.0-or-later
#include "events/events_panel.h"
#include "fake_session.h"
#include "models/verdict_model.h"
#include "synthetic/synthetic.h"
#include "theme/fonts.h"
#include "theme/palette.h"
#include "verdict/verdict_delegates.h"
#include "verdict/verdict_panel.h"

#include <QCheckBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;
using views::testing::FakeSession;
using views::testing::PauseStory;

namespace {

/// Cards that count how often their words are asked for.
class Cards : public QAbstractListModel {
public:
    int rows = 0;
    mutable int asked = 0;
    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : rows; }
    QVariant data(const QModelIndex& index, int role) const override {
        if (role != ViolationsModel::ExplainRole) return {};
        ++asked;
        return QStringLiteral("Card %1 has some words, more than stand on one line of a narrow list.").arg(index.row());
    }
    void add(int more) {
        beginInsertRows({}, rows, rows + more - 1);
        rows += more;
        endInsertRows();
    }
};

} // namespace

class EventPanels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void theListFollowsThePlayheadAndTheKeyboardMovesIt() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        EventsPanel panel(&context);
        panel.resize(900, 220);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTableView* view = panel.view();
        context.setPlayhead(6600ms);
        QCOMPARE(view->currentIndex().row(), panel.model()->rowAt(6600ms));
        QVERIFY(view->viewport()->rect().intersects(view->visualRect(view->currentIndex())));
        QSignalSpy revealed(&context, &ViewContext::revealRequested);
        QTest::keyClick(view, Qt::Key_Down);
        QCOMPARE(context.playhead(), Nanos(7s)); // A is resumed
        QCOMPARE(context.selection(), story.a);
        QCOMPARE(revealed.count(), 1);
        const int row = view->currentIndex().row();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                          view->visualRect(panel.model()->index(row - 1, 1)).center());
        QCOMPARE(context.playhead(), Nanos(6500ms));
        QCOMPARE(view->currentIndex().row(), row - 1);
    }

    /// Watched servers have times of a clock, which are longer.
    void aTimeStandsWhole() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        const EventsPanel panel(&context);
        const QFontMetrics letters(fixedFont());
        QVERIFY(panel.view()->columnWidth(EventsModel::TimeColumn) >=
                letters.horizontalAdvance(u"23:15:17.234"_qs) + 12);
    }

    void withoutFollowingTheListStaysWhereItIs() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        EventsPanel panel(&context);
        panel.resize(900, 160);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        panel.setFollowing(false);
        const QModelIndex top = panel.view()->indexAt(QPoint(5, 2));
        context.setPlayhead(9900ms);
        QCOMPARE(panel.view()->indexAt(QPoint(5, 2)), top);
        QVERIFY(panel.view()->currentIndex().row() > 20); // marked all the same
    }

    void boxesAndWordsFilter() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        EventsPanel panel(&context);
        panel.resize(900, 220);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const int all = panel.model()->rowCount();
        QCheckBox* messages = nullptr;
        for (QCheckBox* box : panel.findChildren<QCheckBox*>())
            if (box->text() == eventGroupName(EventGroup::Message)) messages = box;
        QVERIFY(messages);
        QTest::mouseClick(messages, Qt::LeftButton, {}, QPoint(10, messages->height() / 2));
        QTRY_COMPARE(panel.model()->rowCount(), all - 4);
        panel.filterField()->setFocus();
        QTest::keyClicks(panel.filterField(), u"refused"_qs);
        QTRY_COMPARE(panel.model()->rowCount(), 1);
        QTest::keyClicks(panel.filterField(), u"xyz"_qs);
        QTRY_COMPARE(panel.model()->rowCount(), 0);
        QVERIFY(!panel.view()->isVisible()); // a sentence instead
        QTest::keyClick(panel.filterField(), Qt::Key_Escape);
        QTRY_COMPARE(panel.model()->rowCount(), all - 4);
    }

    void twoMillionEventsOpenAndScrollQuickly() {
        FakeSession session;
        trace::fillSynthetic(session.writable(), 2'000'000, 20, 5);
        ViewContext context;
        EventsPanel panel(&context);
        panel.resize(1000, 300);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QElapsedTimer clock;
        clock.start();
        context.setSession(&session);
        panel.grab();
        const qint64 open = clock.restart();
        for (int i = 1; i <= 20; ++i) {
            context.setPlayhead(session.trace()->reached() * i / 20);
            panel.grab();
        }
        const qint64 scroll = clock.elapsed();
        qInfo("open %lld ms, 20 jumps %lld ms", static_cast<long long>(open), static_cast<long long>(scroll));
        QVERIFY2(open < 2000, "opening stops the window");
        QVERIFY2(scroll < 3000, "following stops the window");
        QCOMPARE(panel.view()->currentIndex().row(), 2'000'000 - 1);
    }

    void aClickOnAViolationGoesThere() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        VerdictPanel panel(&context);
        panel.resize(320, 420);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QVERIFY(!panel.violations()->isVisible());
        session.setVerdict(views::testing::pauseVerdict(story, *session.trace()));
        QTRY_VERIFY(panel.violations()->isVisible());
        QCoreApplication::processEvents();
        QSignalSpy revealed(&context, &ViewContext::revealRequested);
        const QModelIndex first = panel.violations()->model()->index(0, 0);
        QTest::mouseClick(panel.violations()->viewport(), Qt::LeftButton, {},
                          panel.violations()->visualRect(first).center());
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(context.playhead(), Nanos(6001ms));
        QCOMPARE(context.selection(), story.aThread);
        const QModelIndex staleWrite = panel.invariants()->model()->index(1, 0);
        QTest::mouseClick(panel.invariants()->viewport(), Qt::LeftButton, {},
                          panel.invariants()->visualRect(staleWrite).center());
        QCOMPARE(context.playhead(), Nanos(7100ms));
        const QModelIndex held = panel.invariants()->model()->index(2, 0);
        const auto before = revealed.count();
        QTest::mouseClick(panel.invariants()->viewport(), Qt::LeftButton, {},
                          panel.invariants()->visualRect(held).center());
        QCOMPARE(revealed.count(), before); // nowhere to go
    }

    void aCardIsMeasuredOnce() {
        Cards cards;
        QListView list;
        auto* delegate = new ViolationDelegate(&list);
        list.setModel(&cards);
        list.setItemDelegate(delegate);
        list.setResizeMode(QListView::Adjust);
        list.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // its coming makes the cards narrower
        list.resize(240, 200);
        list.show();
        QVERIFY(QTest::qWaitForWindowExposed(&list));
        cards.add(300);
        QTRY_VERIFY(cards.asked >= 300);
        QVERIFY(list.visualRect(cards.index(299)).height() > 2 * QFontMetrics(list.font()).height());
        QCoreApplication::processEvents();
        cards.asked = 0;
        cards.add(1);
        QVERIFY(list.visualRect(cards.index(300)).isValid());
        QVERIFY2(cards.asked < 50, qPrintable(QString::number(cards.asked))); // the new one, and what is in sight
        cards.asked = 0;
        delegate->forget(5, 7);
        cards.add(1);
        QVERIFY(list.visualRect(cards.index(301)).isValid());
        QVERIFY(cards.asked >= 4);
        cards.asked = 0;
        list.resize(300, 260); // another width, other lines
        QTRY_VERIFY(cards.asked >= 300);
    }

    void whileNothingIsWrongItSaysWhy() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto node = t.intern(trace::EntityKind::Node, "zk-1"), other = t.intern(trace::EntityKind::Node, "zk-2");
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto client = t.intern(trace::EntityKind::Client, "A");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", client);
        const auto at = [&t](Nanos when, EventKind kind, trace::EntityId actor, trace::EntityId subject = 0,
                             std::uint32_t aux = 0) {
            t.append({when.count(), 0, actor, subject, aux, kind, 0});
        };
        at(0s, EventKind::NodeRole, node, 0, t.text("leader"));
        at(1s, EventKind::Granted, thread, lock, 1);
        at(2s, EventKind::NodeKilled, node);
        at(3s, EventKind::NodeRole, other, 0, t.text("leader"));
        t.reach(20s);
        ViewContext context;
        context.setSession(&session);
        VerdictPanel panel(&context);
        panel.resize(320, 420);
        panel.show();
        const auto says = [&panel](const QString& words) {
            return std::ranges::any_of(panel.findChildren<QLabel*>(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(words);
            });
        };
        QVERIFY(!says(u"was killed"_qs));
        context.setPlayhead(15s);
        QTRY_VERIFY(says(u"The leader zk-1 was killed at 2.000 s while A held orders."_qs));
        QVERIFY(says(u"zk-2 took over at 3.000 s and knew the holder, so nobody else got in."_qs));
        context.setPlayhead(1s);
        QTRY_VERIFY(!says(u"was killed"_qs));
    }

    void tenThousandsOfViolationsDoNotStopTheWindow() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        VerdictPanel panel(&context);
        panel.resize(320, 420);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        verdict::Verdict verdict = views::testing::pauseVerdict(story, *session.trace());
        const verdict::Violation one = verdict.violations[0];
        verdict.violations.assign(40'000, one);
        for (std::size_t i = 0; i < verdict.violations.size(); ++i)
            verdict.violations[i].from = Nanos(1s) + std::chrono::microseconds(i);
        QElapsedTimer clock;
        clock.start();
        session.setVerdict(verdict);
        QTRY_VERIFY(panel.violations()->isVisible());
        panel.grab();
        verdict.violations.push_back(one);
        session.setVerdict(verdict);
        panel.grab();
        QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
        // Every one of them can be gone to all the same.
        const QModelIndex last = panel.violations()->model()->index(40'000, 0);
        panel.violations()->scrollTo(last);
        panel.grab();
        QVERIFY(panel.violations()->viewport()->rect().contains(panel.violations()->visualRect(last).center()));
        QTest::mouseClick(panel.violations()->viewport(), Qt::LeftButton, {},
                          panel.violations()->visualRect(last).center());
        QCOMPARE(context.playhead(), one.from);
        // A few are shown in full again.
        verdict.violations.resize(2);
        session.setVerdict(verdict);
        QVERIFY(!panel.violations()->uniformItemSizes());
    }
};

QTEST_MAIN(EventPanels)
#include "tst_event_panels.moc"
