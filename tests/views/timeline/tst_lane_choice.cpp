// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes have a row: links with something wrong, and all of those that a person asks for.
#include "pause_view.h"
#include "timeline/strip.h"
#include "timeline/words.h"

#include <QAccessible>
#include <QAction>
#include <QLineEdit>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

namespace {

/// Lanes of a trace that is written line by line.
struct Lanes {
    Cast cast;
    TimelineData data{cast.trace};
    TimelineLayout layout;

    Lanes() {
        cast.at(0s, EventKind::NodeStarted, cast.node);
        for (const Cast::Actor* actor : {&cast.a, &cast.b, &cast.c})
            cast.at(0s, EventKind::ClientStarted, actor->client);
        for (const Cast::Actor* actor : {&cast.a, &cast.b, &cast.c})
            cast.ask(500ms, *actor);
        Nanos at = 1s;
        for (const Cast::Actor* actor : {&cast.a, &cast.b, &cast.c})
            cast.exchange(at += 1ms, *actor, "GET");
    }
    void layOut(LaneChoice wanted = {}) {
        data.consume();
        layout.setWanted(std::move(wanted), data);
        layout.update(data, TimelineMetrics());
    }
    int links() const {
        return int(
            std::ranges::count_if(layout.rows(), [](const auto& row) { return row.lane->kind == LaneKind::Link; }));
    }
    QString nodesCaption() const {
        const auto section = std::ranges::find(layout.sections(), LaneKind::Node, &TimelineLayout::Section::kind);
        return section == layout.sections().end() ? QString() : sectionCaption(section->kind, section->away);
    }
};

} // namespace

class TestLaneChoice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLinkHasALaneWhenSomethingIsWrongWithIt() {
        Lanes s;
        s.layOut();
        QCOMPARE(s.links(), 0);
        QVERIFY2(s.nodesCaption().contains(QLatin1String("3 link")), qPrintable(s.nodesCaption()));
        s.cast.at(3s, EventKind::LinkCut, s.cast.b.client, s.cast.b.link, 0, 0, trace::kFault);
        s.layOut();
        QCOMPARE(s.links(), 1);
        QVERIFY(s.layout.rowOf(s.cast.b.link) >= 0);
        QVERIFY2(s.nodesCaption().contains(QLatin1String("2 link")), qPrintable(s.nodesCaption()));
        s.cast.at(4s, EventKind::LinkMended, s.cast.b.client, s.cast.b.link);
        s.layOut();
        QCOMPARE(s.links(), 1); // what it was is still in sight
    }

    /// A fault that strikes several lines at once is told once.
    void linksThatAreStruckAlikeShareARow() {
        Lanes s;
        const auto delay = [&s](Nanos at, const Cast::Actor& actor, Nanos by) {
            s.cast.at(at, EventKind::LinkDelayed, 0, actor.link, by.count(), 0, trace::kFault);
        };
        delay(3s, s.cast.a, 1s);
        delay(3s, s.cast.b, 1s);
        delay(3s, s.cast.c, 2s); // by more
        s.layOut();
        QCOMPARE(s.links(), 2);
        const int row = s.layout.rowOf(s.cast.a.link);
        QVERIFY(row >= 0);
        QCOMPARE(s.layout.rowOf(s.cast.b.link), row);
        const QString node = s.cast.trace->displayName(s.cast.node);
        QCOMPARE(rowTitle(s.data, s.layout.rows()[std::size_t(row)]), QStringLiteral("%1 ↔ 2 others").arg(node));
        QVERIFY(s.layout.rowOf(s.cast.c.link) != row);
        // One that is selected has a row of its own, and so has each where all are asked for.
        LaneChoice wanted;
        wanted.selected = s.cast.b.link;
        s.layOut(wanted);
        QCOMPARE(s.links(), 3);
        QVERIFY(s.layout.rowOf(s.cast.b.link) != s.layout.rowOf(s.cast.a.link));
        wanted = {};
        wanted.allLinks = true;
        s.layOut(wanted);
        QCOMPARE(s.links(), 3);
        // A later fault on one of them parts their rows.
        delay(4s, s.cast.b, 5s);
        s.layOut();
        QCOMPARE(s.links(), 3);
    }

    void aLinkThatLostAMessageHasALane() {
        Lanes s;
        s.cast.at(2s, EventKind::Request, s.cast.c.client, s.cast.node, -1);
        s.layOut();
        QCOMPARE(s.links(), 1);
        QCOMPARE(s.layout.rows().back().lane->client, s.cast.c.client);
    }

    /// That it went down with its server is to be seen on the server's lane.
    void aMessageToADeadServerIsNoFaultOfItsLink() {
        Lanes s;
        s.cast.at(2s, EventKind::NodeKilled, s.cast.node, 0, 0, 0, trace::kFault);
        s.cast.at(3s, EventKind::Request, s.cast.c.client, s.cast.node, -1);
        s.layOut();
        QCOMPARE(s.links(), 0);
        s.cast.at(4s, EventKind::NodeStarted, s.cast.node);
        s.cast.at(5s, EventKind::Request, s.cast.c.client, s.cast.node, -1);
        s.layOut();
        QCOMPARE(s.links(), 1);
    }

    /// Broken links come first: below the story there is room for a lane or two.
    void allLinksAreShownToOneWhoAsks() {
        Lanes s;
        s.cast.at(3s, EventKind::LinkCut, s.cast.b.client, s.cast.b.link, 0, 0, trace::kFault);
        LaneChoice all;
        all.allLinks = true;
        s.layOut(all);
        QCOMPARE(s.links(), 3);
        const int first = s.layout.rowOf(s.cast.b.link);
        QVERIFY(s.layout.rows()[std::size_t(first) - 1].lane->kind == LaneKind::Node);
        QCOMPARE(s.layout.rows().size(), std::size_t(first) + 3);
        QVERIFY(!s.nodesCaption().contains(QLatin1String("not shown")));
    }

    void aKeyShowsAllLinks() {
        PauseView s;
        const auto links = [&s] {
            return std::ranges::count_if(s.view.layoutOfLanes().rows(),
                                         [](const auto& row) { return row.lane->kind == LaneKind::Link; });
        };
        QCOMPARE(links(), 0);
        s.view.setFocusRow(1);
        auto* const all = s.view.findChild<QAction*>(QStringLiteral("timeline.links"));
        QVERIFY(all && !all->shortcut().isEmpty());
        all->trigger();
        QVERIFY(links() > 0);
        QCOMPARE(s.view.focusRow(), 1); // the frame stays on its lane
        all->trigger();
        QCOMPARE(links(), 0);
    }

    void aSelectedLinkHasALane() {
        PauseView s;
        const auto row = [&s] { return s.view.layoutOfLanes().rowOf(s.cast.b.link); };
        QCOMPARE(row(), -1);
        s.context.select(s.cast.b.link); // as a click in the cluster does
        QVERIFY(row() >= 0);
        s.context.select(s.cast.b.thread);
        QCOMPARE(row(), -1);
    }

    void aClickOnACaptionFoldsItsLanes() {
        PauseView s;
        const auto& layout = s.view.layoutOfLanes();
        const auto section = [&layout](LaneKind kind) {
            return *std::ranges::find(layout.sections(), kind, &TimelineLayout::Section::kind);
        };
        const auto clickCaption = [&](LaneKind kind) {
            QTest::mouseClick(s.view.viewport(), Qt::LeftButton, {}, {300, section(kind).y + 8});
        };
        const std::size_t rows = layout.rows().size();
        const int effect = layout.rowOf(s.cast.stock);
        clickCaption(LaneKind::Belief);
        QCOMPARE(layout.rows().size(), rows - 3);
        QCOMPARE(layout.rowOf(s.cast.a.thread), -1);
        QCOMPARE(layout.rowOf(s.cast.stock), effect - 3);
        QCOMPARE(section(LaneKind::Belief).away.folded, 3);
        QVERIFY(sectionCaption(LaneKind::Belief, section(LaneKind::Belief).away).contains(QLatin1String("3 lane")));
        QCOMPARE(s.view.rowRect(layout.rowOf(s.cast.lock)).top(), 2 * s.view.scene().metrics.captionHeight());
        // A reader hears of it, and the next session begins like this, too.
        QAccessibleInterface* const interface = QAccessible::queryAccessibleInterface(&s.view);
        QVERIFY(interface && interface->text(QAccessible::Description).contains(QLatin1String("3 lane")));
        s.session.replace(gcPause().trace);
        QTRY_COMPARE(layout.rows().size(), rows - 3);
        QCOMPARE(section(LaneKind::Belief).away.folded, 3);
        clickCaption(LaneKind::Belief);
        QCOMPARE(layout.rows().size(), rows);
        QVERIFY(!interface->text(QAccessible::Description).contains(QLatin1String("folded")));
    }

    void aKeyFoldsTheSectionOfTheFrame() {
        PauseView s;
        const auto& layout = s.view.layoutOfLanes();
        auto* const fold = s.view.findChild<QAction*>(QStringLiteral("timeline.fold"));
        QVERIFY(fold && !fold->shortcut().isEmpty());
        s.view.setFocusRow(layout.rowOf(s.cast.lock));
        fold->trigger();
        QCOMPARE(layout.rowOf(s.cast.lock), -1);
        QCOMPARE(s.view.focusRow(), -1);
        fold->trigger(); // again: unfolded, and the frame is back
        QVERIFY(layout.rowOf(s.cast.lock) >= 0);
        QCOMPARE(s.view.focusRow(), layout.rowOf(s.cast.lock));
    }

    void onlyLanesWithATextAreShown() {
        PauseView s;
        const auto& layout = s.view.layoutOfLanes();
        const std::size_t rows = layout.rows().size();
        auto* const field = s.view.findChild<QLineEdit*>(QStringLiteral("timeline.filter-field"));
        QVERIFY(field && !field->isVisible());
        s.view.findChild<QAction*>(QStringLiteral("timeline.filter"))->trigger();
        QVERIFY(field->isVisible());
        QTest::keyClicks(field, QStringLiteral("STOCK"));
        QCOMPARE(layout.rows().size(), std::size_t(1));
        QCOMPARE(layout.rows().front().lane->entity, s.cast.stock);
        // Names of what a lane is about count, too: beliefs, the record and the effects are about this lock.
        field->setText(QStringLiteral("orders"));
        QCOMPARE(layout.rows().size(), std::size_t(5));
        field->setText(QStringLiteral("nobody"));
        QVERIFY(layout.rows().empty());
        QVERIFY(!s.picture().isNull());
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!field->isVisible());
        QCOMPARE(layout.rows().size(), rows);
    }

    /// The cross in the field shows all lanes again.
    void theCrossEndsTheFilter() {
        PauseView s;
        const std::size_t rows = s.view.layoutOfLanes().rows().size();
        auto* const field = s.view.findChild<QLineEdit*>(QStringLiteral("timeline.filter-field"));
        s.view.findChild<QAction*>(QStringLiteral("timeline.filter"))->trigger();
        QTest::keyClicks(field, QStringLiteral("stock"));
        QVERIFY(s.view.layoutOfLanes().rows().size() < rows);
        field->findChild<QAction*>(QStringLiteral("timeline.filter-close"))->trigger();
        QVERIFY(!field->isVisible());
        QCOMPARE(s.view.layoutOfLanes().rows().size(), rows);
    }

    /// Lanes that come later are looked through, too.
    void aFilterHoldsForLanesThatCome() {
        Lanes s;
        LaneChoice some;
        some.text = QStringLiteral("invoices");
        s.layOut(some);
        QVERIFY(s.layout.rows().empty());
        const auto lock = s.cast.trace->intern(trace::EntityKind::Lock, "invoices", s.cast.node);
        s.cast.at(2s, EventKind::RecordHeld, s.cast.a.thread, lock, Nanos(5s).count(), 1);
        s.layOut(some);
        QVERIFY(s.layout.rowOf(lock) >= 0);
        QVERIFY(s.layout.rowOf(s.cast.lock) < 0);
    }

    /// Where even low lanes of two locks have too little room, those of resources that nobody has written are a line.
    void twoLocksFitWhereOneLineSaysThatNothingWasWritten() {
        Lanes s;
        const auto other = s.cast.trace->intern(trace::EntityKind::Lock, "invoices", s.cast.node);
        s.cast.trace->intern(trace::EntityKind::Resource, "ledger", other);
        s.cast.at(2s, EventKind::Requested, s.cast.a.thread, other, -1);
        s.data.consume();
        const auto fittedTo = [&s](int room) {
            TimelineMetrics metrics = s.layout.fitted(s.data, TimelineMetrics(), [room](const auto&) { return room; });
            s.layout.update(s.data, metrics);
            return metrics;
        };
        const auto truths = [&s] {
            int height = 0;
            for (const auto& row : s.layout.rows())
                if (row.lane->kind != LaneKind::Node) height = std::max(height, row.y + row.height);
            return height;
        };
        constexpr int kEnough = 420, kScarce = 245;
        QVERIFY(fittedTo(kEnough).density < TimelineMetrics::Density::Least);
        const int enough = truths();
        const TimelineMetrics scarce = fittedTo(kScarce);
        QCOMPARE(scarce.density, TimelineMetrics::Density::Least);
        QVERIFY2(truths() <= kScarce && truths() < enough, qPrintable(QString::number(truths())));
        // A write is a reason to see it: its lane is as high as ever.
        const auto unwritten = s.layout.rows()[std::size_t(s.layout.rowOf(s.cast.stock))].height;
        s.cast.at(3s, EventKind::WriteAccepted, s.cast.a.thread, s.cast.stock);
        s.data.consume();
        s.layout.update(s.data, scarce);
        QVERIFY(s.layout.rows()[std::size_t(s.layout.rowOf(s.cast.stock))].height > unwritten);
    }

    /// In a crowd each link loses a message sooner or later: only a fault is a reason for a lane.
    void amongManyClientsLossIsNoReason() {
        Lanes s;
        for (int i = 0; i < 40; ++i) {
            const auto client = s.cast.trace->intern(trace::EntityKind::Client, "w" + QByteArray::number(i));
            const auto thread = s.cast.trace->intern(trace::EntityKind::Thread, "1", client);
            s.cast.at(2s, EventKind::Requested, thread, s.cast.lock, -1);
            s.cast.at(2s, EventKind::Request, client, s.cast.node, -1);
        }
        s.layOut();
        QCOMPARE(s.links(), 0);
        s.cast.at(3s, EventKind::LinkCut, s.cast.b.client, s.cast.b.link, 0, 0, trace::kFault);
        s.layOut();
        QCOMPARE(s.links(), 1);
    }

    /// Lanes of clients are lower for it.
    void aCutIsInSightBelowTheStory() {
        PauseView s;
        s.cast.at(10s, EventKind::LinkCut, s.cast.a.client, s.cast.a.link, 0, 0, trace::kFault);
        s.cast.trace->reach(11s);
        s.session.grew();
        QTRY_VERIFY(s.view.layoutOfLanes().rowOf(s.cast.a.link) >= 0);
        for (int height = 480; height <= 900; height += 20) {
            s.view.resize(1000, height);
            settle();
            const QRect cut = s.view.rowRect(s.view.layoutOfLanes().rowOf(s.cast.a.link));
            QVERIFY2(s.view.viewport()->rect().contains(cut), qPrintable(QStringLiteral("%1: %2 to %3 of %4")
                                                                             .arg(height)
                                                                             .arg(cut.top())
                                                                             .arg(cut.bottom())
                                                                             .arg(s.view.viewport()->height())));
            QVERIFY(s.view.scene().metrics.wordsOnBeliefs());
        }
    }

    /// Clients' lanes get lower before a server's is cut or scrolled out of sight, and no lower than words need.
    void clientsGiveWayToServers() {
        PauseView s;
        int low = 0;
        for (int height = 400; height <= 900; height += 20) {
            s.view.resize(1000, height);
            settle();
            const TimelineMetrics metrics = s.view.scene().metrics;
            const int row = s.view.layoutOfLanes().rowOf(s.cast.node);
            QVERIFY(row >= 0);
            const bool inSight = s.view.viewport()->rect().contains(s.view.rowRect(row));
            QVERIFY2(inSight || height < 500,
                     qPrintable(QStringLiteral("%1: lanes of %2").arg(height).arg(metrics.belief)));
            low += inSight && metrics.lowBeliefs();
            QVERIFY(!inSight || metrics.wordsOnBeliefs());
        }
        QVERIFY(low > 0);
    }

    /// Where copies and servers would have to be scrolled to, they are lines: the whole picture is in sight.
    void theRestBecomesLinesBeforeAnythingIsScrolledTo() {
        Lanes s;
        std::vector<trace::EntityId> copies;
        for (const char* name : {"redis-2", "redis-3"}) {
            const auto node = s.cast.trace->intern(trace::EntityKind::Node, name);
            s.cast.at(1s, EventKind::NodeStarted, node);
            copies.push_back(s.cast.trace->intern(trace::EntityKind::Lock, "orders", node, s.cast.lock));
            s.cast.at(2s, EventKind::RecordHeld, s.cast.a.thread, copies.back(), Nanos(12s).count(), 1);
        }
        s.layOut();
        const auto fittedTo = [&s](int room) {
            const TimelineMetrics metrics =
                s.layout.fitted(s.data, TimelineMetrics(), [room](const auto&) { return room; });
            s.layout.update(s.data, metrics);
            return metrics;
        };
        constexpr int kMost = 600, kLeast = 200;
        int least = kMost; // in which all lanes are in sight
        while (least > kLeast && fittedTo(least - 5).belief > 0 && s.layout.height() <= least - 5)
            least -= 5;
        const TimelineMetrics metrics = fittedTo(least);
        QCOMPARE(metrics.density, TimelineMetrics::Density::Least);
        QVERIFY(metrics.wordsOnBeliefs());
        for (const trace::EntityId lane : {copies[0], copies[1], s.cast.node}) {
            const int row = s.layout.rowOf(lane);
            QVERIFY(row >= 0 && isStrip(metrics, s.layout.rows()[std::size_t(row)].height));
        }
        QVERIFY2(least > kLeast && least < 400, qPrintable(QString::number(least)));
        QVERIFY(fittedTo(kMost).density < TimelineMetrics::Density::Least);
        // Where a line or two more would be needed, these alone are scrolled to.
        QCOMPARE(fittedTo(least - 20).density, TimelineMetrics::Density::Least);
        QVERIFY(s.layout.height() > least - 20);
    }
};

QTEST_MAIN(TestLaneChoice)
#include "tst_lane_choice.moc"
