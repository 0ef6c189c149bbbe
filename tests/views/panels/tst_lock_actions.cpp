// SPDX-License-Identifier: GPL-3.0-or-later
// The row below a lock's detail, and the facts that only some worlds have.
#include "fake_session.h"
#include "locks/lock_actions.h"
#include "locks/lock_detail_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityKind;
using views::testing::FakeSession;

namespace {

struct Scene {
    FakeSession session;
    ViewContext context;
    trace::EntityId lock;

    explicit Scene(bool live) {
        session.can.live = live;
        trace::Trace& t = session.writable();
        const auto node = t.intern(EntityKind::Node, "10.0.0.1:6379");
        lock = t.intern(EntityKind::Lock, "orders", node, t.text("redisson"));
        const auto thread = t.intern(EntityKind::Thread, "57", t.intern(EntityKind::Client, "8743c9c0"));
        t.append({Nanos(1s).count(), Nanos(31s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        t.reach(2s);
        context.setSession(&session);
        context.setPlayhead(2s);
    }
};

QToolButton* button(const LockActions& row, const char* id) {
    for (auto* const each : row.findChildren<QToolButton*>())
        if (each->defaultAction()->objectName() == QLatin1String(id)) return each;
    return nullptr;
}

QLabel* labelOf(const QWidget& panel, const QString& text) {
    for (auto* const label : panel.findChildren<QLabel*>())
        if (label->text() == text && label->isVisible()) return label;
    return nullptr;
}

} // namespace

class TestLockActions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSimulationHasItsBeliefsAndNoRow() {
        Scene scene(false);
        LockDetailPanel panel(&scene.context);
        panel.resize(348, 700);
        panel.show();
        QVERIFY(!panel.actions()->isVisible());
        QVERIFY(labelOf(panel, QStringLiteral("Believers")));
    }

    void ofSomebodysServerNobodyBelievesAnything() {
        Scene scene(true);
        LockDetailPanel panel(&scene.context);
        panel.resize(348, 700);
        panel.show();
        QVERIFY(labelOf(panel, QStringLiteral("Record says")));
        QVERIFY(!labelOf(panel, QStringLiteral("Believers")));
    }

    void anActionThatCannotBeDoneSaysWhy() {
        Scene scene(true);
        LockDetailPanel panel(&scene.context);
        panel.resize(320, 700); // as in a window of 1280 pixels
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const LockActions& row = *panel.actions();
        QVERIFY(row.isVisible());
        for (const char* id : {"lock.force", "lock.allow", "lock.show", "lock.copy"}) {
            QToolButton* const each = button(row, id);
            QVERIFY2(each && each->isVisible(), id);
            QVERIFY2(!each->accessibleName().isEmpty() && !each->accessibleName().contains(u'&'), id);
            QVERIFY2(!each->defaultAction()->shortcut().isEmpty(), id);
            QVERIFY2(each->focusPolicy() == Qt::TabFocus, id);
            // In sight as a whole, however narrow the panel is.
            const QRect there(each->mapTo(&panel, QPoint()), each->size());
            QTRY_VERIFY2(each->width() >= each->sizeHint().width() && panel.rect().contains(there),
                         qPrintable(QStringLiteral("%1: %2 + %3 of %4")
                                        .arg(QLatin1String(id))
                                        .arg(there.left())
                                        .arg(there.width())
                                        .arg(each->sizeHint().width())));
        }
        QVERIFY(!button(row, "lock.force")->isEnabled());
        QVERIFY2(button(row, "lock.force")->toolTip().contains(QLatin1String("read-only")),
                 qPrintable(button(row, "lock.force")->toolTip()));
    }

    void theLockIsShownAndCopied() {
        Scene scene(true);
        LockDetailPanel panel(&scene.context);
        panel.resize(348, 700);
        panel.show();
        QSignalSpy revealed(&scene.context, &ViewContext::revealRequested);
        QTest::mouseClick(button(*panel.actions(), "lock.show"), Qt::LeftButton);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(revealed.front().at(1).toUInt(), scene.lock);
        QTest::mouseClick(button(*panel.actions(), "lock.copy"), Qt::LeftButton);
        const QString text = QGuiApplication::clipboard()->text();
        QVERIFY2(text.startsWith(u"orders · redisson · held, at "_qs), qPrintable(text));
        QVERIFY2(text.contains(QString::fromUtf8("\nRecord says: 8743c9c0 · 57\n")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("\nOn the server:")), qPrintable(text));
        QVERIFY2(!text.contains(QLatin1String("Believers")), qPrintable(text));
    }
};

QTEST_MAIN(TestLockActions)
#include "tst_lock_actions.moc"
