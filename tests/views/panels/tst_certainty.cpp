// SPDX-License-Identifier: GPL-3.0-or-later
// How sure it is that a key is a lock: in the table, its filter and its counts, in the detail, and before a release by
// force. A guess is never counted, and never alarms, like a hold that is certain.
#include "cluster/looks.h"
#include "fake_session.h"
#include "locks/force_release_dialog.h"
#include "locks/lock_detail_panel.h"
#include "locks/locks_delegate.h"
#include "locks/locks_panel.h"
#include "models/event_words.h"
#include "models/lock_filter.h"
#include "theme/palette.h"
#include "trace/deadline.h"

#include <QLabel>
#include <QPainter>
#include <QTest>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::views;
using trace::Certainty;
using trace::EventKind;
using views::testing::FakeSession;

namespace {

/// A server of somebody else's with a lock of each certainty, all held by one client.
struct Watched {
    FakeSession session;
    ViewContext context;
    trace::EntityId node, holder, orders, cleanup, cart;

    Watched() {
        trace::Trace& t = session.writable();
        t.setOriginWallMs(1'700'000'000'000);
        node = t.intern(trace::EntityKind::Node, "127.0.0.1:6379");
        const auto client = t.intern(trace::EntityKind::Client, "a1b2c3d4");
        holder = t.intern(trace::EntityKind::Thread, "1", client);
        orders = add("orders", "redisson", Certainty::Certain, Nanos(60s).count());
        cleanup = add("lock:cleanup", "redis-py", Certainty::Likely, Nanos(60s).count());
        cart = add("cart:1", "redisson", Certainty::Guess, trace::kNeverEnds);
        session.can.live = true;
        context.setSession(&session);
        context.setPlayhead(5s);
    }
    trace::EntityId add(const char* name, const char* format, Certainty certainty, std::int64_t deadline) {
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, name, node, t.text(format));
        if (certainty != Certainty::Certain) become(lock, certainty, 1s);
        t.append({Nanos(1s).count(), deadline, holder, lock, 1, EventKind::RecordHeld});
        return lock;
    }
    void become(trace::EntityId lock, Certainty certainty, Nanos at) {
        session.writable().append(
            {at.count(), std::int64_t(certainty), trace::kNoEntity, lock, 0, EventKind::RecordCertainty});
    }
    LockFacts facts(trace::EntityId lock) const { return lockFacts(lock, context); }
};

QString cell(const LocksModel& model, trace::EntityId lock, int column, int role = Qt::DisplayRole) {
    return model.indexOf(lock).siblingAtColumn(column).data(role).toString();
}

QString wordsOn(const QWidget& widget) {
    QStringList all;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        all += label->text();
    return all.join(u'\n');
}

} // namespace

class TestCertainty : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void aGuessIsSaidInWordsAndDoesNotAlarm() {
        Watched server;
        const LocksModel model(&server.context);
        QCOMPARE(cell(model, server.cart, LocksModel::StateColumn), QStringLiteral("perhaps held"));
        QCOMPARE(cell(model, server.cart, LocksModel::FormatColumn), QStringLiteral("redisson"));
        for (const int column : {int(LocksModel::FormatColumn), int(LocksModel::StateColumn)}) {
            const QString tip = cell(model, server.cart, column, Qt::ToolTipRole);
            QVERIFY2(tip.contains(QLatin1String("guess")), qPrintable(tip));
        }
        QCOMPARE(cell(model, server.cart, LocksModel::FormatColumn, Qt::AccessibleTextRole),
                 QStringLiteral("redisson, a guess"));
        // It has no end, which would be grave of a lock.
        QCOMPARE(cell(model, server.cart, LocksModel::TtlColumn), QStringLiteral("never expires"));
        const auto tone = [&](trace::EntityId lock, int column) {
            return model.indexOf(lock).siblingAtColumn(column).data(LocksModel::ToneRole);
        };
        QVERIFY(!tone(server.cart, LocksModel::TtlColumn).isValid());
        QCOMPARE(tone(server.cart, LocksModel::StateColumn).toInt(), int(Pill::Tone::Neutral));
        QVERIFY(!server.facts(server.cart).gauge().known);

        QCOMPARE(cell(model, server.cleanup, LocksModel::StateColumn), QStringLiteral("held"));
        QCOMPARE(cell(model, server.cleanup, LocksModel::FormatColumn, Qt::AccessibleTextRole),
                 QStringLiteral("redis-py, likely"));
        QVERIFY(cell(model, server.cleanup, LocksModel::FormatColumn, Qt::ToolTipRole).contains(u"Likely a lock"_qs));

        QCOMPARE(cell(model, server.orders, LocksModel::FormatColumn, Qt::AccessibleTextRole),
                 QStringLiteral("redisson"));
        QCOMPARE(cell(model, server.orders, LocksModel::FormatColumn, Qt::ToolTipRole), QStringLiteral("redisson"));
    }

    /// One value on several servers is hardly chance: each of them has a lock's copy, and counts it.
    void aCopyIsAsCertainAsItsLock() {
        Watched server;
        trace::Trace& t = server.session.writable();
        const auto node = t.intern(trace::EntityKind::Node, "127.0.0.1:6380");
        const auto copy = t.intern(trace::EntityKind::Lock, "lock:cleanup", node, server.cleanup);
        const auto alone = t.intern(trace::EntityKind::Lock, "cart:1", node, server.cart);
        for (const trace::EntityId one : {copy, alone}) {
            server.become(one, Certainty::Guess, 6s);
            t.append({Nanos(6s).count(), Nanos(60s).count(), server.holder, one, 1, EventKind::RecordHeld});
        }
        server.context.setPlayhead(7s);
        QCOMPARE(Looks(server.context).heldOn(node), 1);
    }

    void whatTurnsOutToBeALockIsOne() {
        Watched server;
        server.become(server.cart, Certainty::Certain, 10s); // somebody waits for it, on a lock's channel
        server.context.setPlayhead(9s);
        QCOMPARE(server.facts(server.cart).condition, LockCondition::PerhapsHeld);
        server.context.setPlayhead(11s);
        QCOMPARE(server.facts(server.cart).condition, LockCondition::NeverExpires);
        QVERIFY(server.facts(server.cart).gauge().known);
        QVERIFY(server.facts(server.cart).owner == server.holder);
        const trace::Event told{0, std::int64_t(Certainty::Guess), 0, server.cart, 0, EventKind::RecordCertainty};
        QVERIFY(!eventWord(told.kind).isEmpty());
        QVERIFY(eventDetail(told, *server.session.trace()).contains(QLatin1String("guess")));
    }

    void whatAClientOfOursHoldsIsNoGuess() {
        Watched server;
        server.session.writable().append({Nanos(2s).count(), 0, server.holder, server.cart, 1, EventKind::Granted});
        server.context.setPlayhead(3s);
        QVERIFY(server.facts(server.cart).condition != LockCondition::PerhapsHeld);
    }

    void theFilterFindsIt_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("locks");
        QTest::newRow("held") << u"state:held"_qs << QStringList{u"orders"_qs, u"lock:cleanup"_qs};
        QTest::newRow("perhaps held") << u"state:perhaps"_qs << QStringList{u"cart:1"_qs};
        QTest::newRow("a guess") << u"certainty:guess"_qs << QStringList{u"cart:1"_qs};
        QTest::newRow("likely") << u"certainty:likely"_qs << QStringList{u"lock:cleanup"_qs};
        QTest::newRow("certain") << u"certainty:certain"_qs << QStringList{u"orders"_qs};
        QTest::newRow("no guesses") << u"-certainty:guess"_qs << QStringList{u"orders"_qs, u"lock:cleanup"_qs};
        QTest::newRow("the word alone") << u"guess"_qs << QStringList{u"cart:1"_qs};
        QTest::newRow("without the word") << u"-guess"_qs << QStringList{u"orders"_qs, u"lock:cleanup"_qs};
    }
    void theFilterFindsIt() {
        QFETCH(QString, text);
        QFETCH(QStringList, locks);
        Watched server;
        LocksModel model(&server.context);
        LocksProxy proxy(&model);
        auto filter = LockFilter::parse(text);
        QVERIFY2(filter, qPrintable(filter ? QString() : filter.error()));
        proxy.setFilter(*filter);
        QStringList shown;
        for (int row = 0; row < proxy.rowCount(); ++row)
            shown += proxy.index(row, LocksModel::LockColumn).data().toString();
        QCOMPARE(shown, locks);
    }

    void aGuessIsCountedByItself() {
        Watched server;
        const LocksPanel panel(&server.context);
        const auto chip = [&panel] {
            for (const Pill* pill : panel.findChildren<Pill*>())
                if (!pill->isHidden() && pill->accessibleName().startsWith(u"perhaps")) return pill->accessibleName();
            return QString();
        };
        QTRY_COMPARE(chip(), u"perhaps 1"_qs);
        QVERIFY2(!wordsOn(panel).contains(u"perhaps"_qs), qPrintable(wordsOn(panel))); // said once
        server.become(server.cart, Certainty::Certain, 6s);
        server.context.setPlayhead(7s);
        QTRY_COMPARE(chip(), QString());
    }

    void guessesStandBehindAllOthers() {
        Watched server;
        server.add("later", "redisson", Certainty::Certain, Nanos(60s).count());
        LocksModel model(&server.context);
        LocksProxy proxy(&model);
        const auto last = [&proxy] {
            return proxy.index(proxy.rowCount() - 1, LocksModel::LockColumn).data().toString();
        };
        QCOMPARE(last(), u"later"_qs);
        proxy.putGuessesLast(true);
        QCOMPARE(last(), u"cart:1"_qs);
        proxy.sort(LocksModel::LockColumn, Qt::DescendingOrder); // the person's own order
        QCOMPARE(proxy.index(0, LocksModel::LockColumn).data().toString(), u"orders"_qs);
        proxy.putGuessesLast(false);
        proxy.sort(-1);
        QCOMPARE(last(), u"later"_qs);
    }

    void aMarkStandsBesideItsFormat() {
        Watched server;
        LocksModel model(&server.context);
        const LocksDelegate delegate;
        const auto paint = [&](trace::EntityId lock) {
            QImage picture(160, 30, QImage::Format_RGB32);
            picture.fill(color(Role::Surface));
            QPainter painter(&picture);
            QStyleOptionViewItem option;
            option.rect = picture.rect();
            delegate.paint(&painter, option, model.indexOf(lock).siblingAtColumn(LocksModel::FormatColumn));
            return picture;
        };
        // The formats are equal: only the mark differs.
        QVERIFY(paint(server.orders) != paint(server.cart));
        const auto width = [&](trace::EntityId lock) {
            return delegate.sizeHint({}, model.indexOf(lock).siblingAtColumn(LocksModel::FormatColumn)).width();
        };
        QVERIFY(width(server.cart) > width(server.orders));
        server.become(server.cart, Certainty::Certain, 6s);
        server.context.setPlayhead(7s);
        QTRY_VERIFY(paint(server.orders) == paint(server.cart));
        QVERIFY(certaintyMark(Certainty::Likely) != certaintyMark(Certainty::Guess));
    }

    void theDetailSaysIt() {
        Watched server;
        LockDetailPanel panel(&server.context);
        server.context.select(server.cart);
        const auto pill = [&panel] {
            for (const Pill* each : panel.findChildren<Pill*>())
                if (each->text().startsWith(QLatin1String("redisson"))) return each;
            return static_cast<const Pill*>(nullptr);
        };
        QTRY_VERIFY(pill() && pill()->text() == QLatin1String("redisson ?"));
        QCOMPARE(pill()->accessibleName(), QStringLiteral("redisson, a guess"));
        QVERIFY(pill()->toolTip().contains(QLatin1String("guess")));
        server.context.select(server.orders);
        QTRY_VERIFY(pill() && pill()->text() == QLatin1String("redisson"));
        QVERIFY(pill()->toolTip().isEmpty());
    }

    void aReleaseByForceSaysWhatItMayDelete() {
        const ForceReleaseDialog guess(QStringLiteral("cart:1"), QStringLiteral("A"), Certainty::Guess);
        const auto* doubt = guess.findChild<QLabel*>(QStringLiteral("doubt"));
        QVERIFY(doubt && doubt->text().contains(QLatin1String("guess")));
        const ForceReleaseDialog certain(QStringLiteral("orders"), QStringLiteral("A"), Certainty::Certain);
        QVERIFY(!certain.findChild<QLabel*>(QStringLiteral("doubt")));
    }
};

QTEST_MAIN(TestCertainty)
#include "tst_certainty.moc"
