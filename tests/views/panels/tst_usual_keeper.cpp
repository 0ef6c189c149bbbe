// SPDX-License-Identifier: GPL-3.0-or-later
// Usual lengths of holds over days: counted from a watched session, kept in a file, known to the next session.
#include "fake_session.h"
#include "models/locks_model.h"
#include "trace/connection.h"
#include "window/usual_keeper.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using namespace lockscope::views::testing;
using app::UsualKeeper;
using trace::EventKind;

namespace {

/// A session that watches one server with one lock.
struct Watched {
    FakeSession session;
    trace::EntityId lock = trace::kNoEntity, owner = trace::kNoEntity;
    Nanos now{};

    Watched() {
        session.can = {};
        session.can.live = true;
        trace::Trace& t = session.writable();
        t.setOriginWallMs(QDateTime::currentMSecsSinceEpoch());
        const auto shop = trace::internConnection(t, "shop", "redis://ann@somehost:6379");
        lock = t.intern(trace::EntityKind::Lock, "orders", t.intern(trace::EntityKind::Node, "somehost:6379", shop));
        owner = t.intern(trace::EntityKind::Client, "A");
    }
    void row(EventKind kind, Nanos after) {
        now += after;
        session.writable().append({now.count(), trace::kNeverEnds, owner, lock, 1, kind});
        session.writable().reach(now);
        Q_EMIT session.advanced();
    }
    void hold(Nanos time) {
        row(EventKind::RecordHeld, 1s);
        row(EventKind::RecordFreed, time);
    }
};

bool isAbout(Nanos a, Nanos b) {
    return std::abs(double(a.count()) / double(b.count()) - 1) <= 0.11;
}

bool saved(UsualKeeper& keeper) {
    bool done = false;
    keeper.save([&done] { done = true; });
    return QTest::qWaitFor([&done] { return done; });
}

} // namespace

class TestUsualKeeper : public QObject {
    Q_OBJECT

    static QByteArray contentOf(const QTemporaryDir& folder) {
        QByteArray all;
        for (const QFileInfo& each : QDir(folder.path()).entryInfoList(QDir::Files)) {
            QFile file(each.filePath());
            if (file.open(QIODevice::ReadOnly)) all += each.fileName().toUtf8() + '\n' + file.readAll() + '\n';
        }
        return all;
    }

private Q_SLOTS:
    void theNextSessionKnowsIt() {
        const QTemporaryDir folder;
        {
            Watched it;
            UsualKeeper keeper(folder.path());
            keeper.follow(&it.session);
            for (int i = 0; i < 6; ++i)
                it.hold(2s);
            QVERIFY(isAbout(keeper.usualOf(it.lock), 2s)); // at once
            // Alerts are told, by the lock's name.
            const auto shop = trace::connectionOf(*it.session.trace(), it.lock);
            QSignalSpy learned(&keeper, &UsualKeeper::learned);
            QVERIFY(saved(keeper));
            QVERIFY(!learned.empty());
            QCOMPARE(learned.back().front().value<trace::EntityId>(), shop);
            const auto byLock = keeper.usualOn(shop);
            QCOMPARE(byLock.size(), 1u);
            QVERIFY(isAbout(byLock.at("orders"), 2s));
            QVERIFY(saved(keeper));
            QVERIFY(isAbout(keeper.usualOf(it.lock), 2s)); // counted once
            it.hold(2s);
            keeper.follow(nullptr); // writes the rest
        }
        const QByteArray kept = contentOf(folder);
        QVERIFY2(kept.startsWith("usual-") && kept.contains("orders") && kept.contains(":7}"), kept.constData());
        QVERIFY2(!kept.contains("somehost") && !kept.contains("ann"), kept.constData());
        QCOMPARE(QDir(folder.path()).entryInfoList(QDir::Files).front().permissions() & QFile::ReadOther, 0);

        Watched again;
        UsualKeeper keeper(folder.path());
        keeper.follow(&again.session);
        again.row(EventKind::RecordHeld, 1s);
        QTRY_VERIFY(isAbout(keeper.usualOf(again.lock), 2s));

        ViewContext context;
        context.setSession(&again.session);
        LocksModel model(&context);
        const auto cell = [&model](int role) {
            return model.index(0, LocksModel::HeldForColumn).data(role).toString();
        };
        context.setPlayhead(11s);
        QTRY_VERIFY(model.facts(model.index(0, 0))->held());
        QVERIFY2(!cell(Qt::DisplayRole).contains(u'×'),
                 qPrintable(cell(Qt::DisplayRole))); // this session has not seen any end
        model.setUsualOverDays([&keeper](trace::EntityId lock) { return keeper.usualOf(lock); });
        QVERIFY2(cell(Qt::DisplayRole).contains(u"· 5×"_qs) || cell(Qt::DisplayRole).contains(u"· 4×"_qs),
                 qPrintable(cell(Qt::DisplayRole)));
        QVERIFY2(cell(Qt::ToolTipRole).contains(u"(14 days)"_qs), qPrintable(cell(Qt::ToolTipRole)));
    }

    void twoWindowsAddToOneFile() {
        const QTemporaryDir folder;
        Watched one, other;
        UsualKeeper first(folder.path()), second(folder.path());
        first.follow(&one.session);
        second.follow(&other.session);
        for (int i = 0; i < 3; ++i) {
            one.hold(1min);
            other.hold(1min);
        }
        QVERIFY(saved(first) && saved(second));
        QCOMPARE(first.usualOf(one.lock), Nanos(0)); // three are too few, and it has not looked again
        QVERIFY(isAbout(second.usualOf(other.lock), 1min));
        QVERIFY2(contentOf(folder).contains(":6}"), contentOf(folder).constData());
    }

    void aTraceThatIsFollowedAgainCountsOnce() {
        const QTemporaryDir folder;
        Watched it;
        UsualKeeper keeper(folder.path());
        keeper.follow(&it.session);
        for (int i = 0; i < 3; ++i)
            it.hold(1s);
        keeper.follow(nullptr); // switched off
        it.hold(1s);
        keeper.follow(&it.session); // and on
        it.hold(1s);
        QVERIFY(saved(keeper));
        QVERIFY2(contentOf(folder).contains(":4}"), contentOf(folder).constData());
        QCOMPARE(keeper.usualOf(it.lock), Nanos(0)); // four are too few
    }

    void filesOfServersThatAreWatchedNoMoreGo() {
        const QTemporaryDir folder;
        const auto make = [&folder](const QString& name, int daysAgo) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::WriteOnly) && file.write("{}") == 2 && file.flush() &&
                   file.setFileTime(QDateTime::currentDateTime().addDays(-daysAgo), QFileDevice::FileModificationTime);
        };
        QVERIFY(make(QStringLiteral("usual-old.json"), 16));
        QVERIFY(make(QStringLiteral("usual-new.json"), 13));
        QVERIFY(make(QStringLiteral("other.json"), 16));
        UsualKeeper keeper(folder.path());
        QVERIFY(saved(keeper));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files),
                 QStringList({QStringLiteral("other.json"), QStringLiteral("usual-new.json")}));
    }

    void aDamagedFileIsWrittenAnew() {
        const QTemporaryDir folder;
        Watched it;
        UsualKeeper keeper(folder.path());
        keeper.follow(&it.session);
        it.hold(1s);
        QVERIFY(saved(keeper));
        const QString path = QDir(folder.path()).entryInfoList(QDir::Files).front().filePath();
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"locks\": ") > 0);
        file.close();
        for (int i = 0; i < 5; ++i)
            it.hold(1s);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("usual-.*json: ")));
        QVERIFY(saved(keeper));
        QVERIFY(contentOf(folder).contains(":5}"));
    }
};

QTEST_MAIN(TestUsualKeeper)
#include "tst_usual_keeper.moc"
