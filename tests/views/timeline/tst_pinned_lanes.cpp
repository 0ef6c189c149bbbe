// SPDX-License-Identifier: GPL-3.0-or-later
// Record and effect stay in sight while the other lanes scroll.
#include "pause_view.h"

#include <QAccessible>
#include <QScrollBar>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// The story of the pause beside so many servers that not all lanes are in sight.
struct Stage : PauseView {
    std::vector<trace::EntityId> servers;

    Stage() {
        for (int i = 0; i < 40; ++i) {
            servers.push_back(cast.trace->intern(trace::EntityKind::Node, "spare-" + QByteArray::number(i)));
            cast.at(10s, trace::EventKind::NodeStarted, servers.back());
        }
        session.grew();
        view.resize(1000, 520);
        settle();
    }
    int row(trace::EntityId entity) const { return view.layoutOfLanes().rowOf(entity); }
    QRect place(trace::EntityId entity) const { return view.rowRect(row(entity)); }
    bool isWhole(trace::EntityId entity) const {
        return view.isInSight(row(entity)) && view.viewport()->rect().contains(place(entity));
    }
    QScrollBar* bar() const { return view.verticalScrollBar(); }
};

} // namespace

class TestPinnedLanes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void recordAndEffectStayInSight() {
        Stage s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        for (int at = 0; at <= s.bar()->maximum(); at += 10) {
            s.bar()->setValue(at);
            QVERIFY2(s.isWhole(s.cast.lock) && s.isWhole(s.cast.stock), qPrintable(QString::number(at)));
        }
        s.bar()->setValue(s.bar()->maximum());
        QVERIFY(s.isWhole(s.servers.back()));
        QVERIFY(!s.view.isInSight(s.row(s.cast.a.thread)));
    }

    void everyLaneCanBeReached() {
        Stage s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        const int rows = int(s.view.layoutOfLanes().rows().size());
        const auto whole = [&s](int row) {
            return s.view.isInSight(row) && s.view.viewport()->rect().contains(s.view.rowRect(row));
        };
        for (int row = 0; row < rows; ++row) {
            s.view.setFocusRow(row);
            QVERIFY2(whole(row), qPrintable(QString::number(row)));
        }
        for (int row = rows; row-- > 0;) {
            s.view.setFocusRow(row);
            QVERIFY2(whole(row), qPrintable(QString::number(row)));
        }
    }

    void theMouseAndAReaderMeetWhatIsSeen() {
        Stage s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        s.bar()->setValue(s.bar()->maximum());
        QTest::mouseClick(s.view.viewport(), Qt::LeftButton, {}, s.onBar(s.cast.lock, 2s));
        QCOMPARE(s.context.selection(), s.cast.lock);
        const QPoint server(20, s.place(s.servers.back()).center().y());
        QTest::mouseClick(s.view.viewport(), Qt::LeftButton, {}, server);
        QCOMPARE(s.context.selection(), s.servers.back());
        QAccessibleInterface* const interface = QAccessible::queryAccessibleInterface(&s.view);
        QVERIFY(interface);
        const QPoint global = s.view.viewport()->mapToGlobal(s.onBar(s.cast.lock, 2s));
        QAccessibleInterface* const lane = interface->childAt(global.x(), global.y());
        QVERIFY(lane);
        QCOMPARE(interface->indexOfChild(lane), s.row(s.cast.lock));
        QVERIFY(!lane->state().offscreen);
        QVERIFY(interface->child(s.row(s.cast.a.thread))->state().offscreen);
    }

    void aPinnedLaneIsPaintedAsEver() {
        Stage s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        const auto writes = [&s] { return countPixels(s.picture(), color(Role::Accepted), s.place(s.cast.stock), 8); };
        const int before = writes();
        QVERIFY2(before > 50, qPrintable(QString::number(before)));
        s.bar()->setValue(s.bar()->maximum());
        QCOMPARE(writes(), before);
    }

    void nothingIsPinnedWhereAllHasRoom() {
        PauseView s;
        s.view.resize(1000, 1200);
        settle();
        QCOMPARE(s.view.scene().pinned.height(), 0);
    }
};

QTEST_MAIN(TestPinnedLanes)
#include "tst_pinned_lanes.moc"
