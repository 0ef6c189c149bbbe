// SPDX-License-Identifier: GPL-3.0-or-later
// The holder of a lock of a real server: the window says what CLIENT LIST and pg_stat_activity answer, live and in a
// recording.
#include "live/live_session.h"
#include "locks/lock_detail_panel.h"
#include "models/locks_model.h"
#include "models/party_roles.h"
#include "models/queue_model.h"
#include "own_redis.h"
#include "session/recording_session.h"
#include "someone.h"

#include <QSignalSpy>
#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::test;
using views::LockDetailPanel;
using views::LocksModel;

namespace {

constexpr const char* kHolder = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c";
constexpr const char* kWaiter = "5b1d7c44-9f3e-4f0a-8b6a-2d0c9e8f7a61";

/// The panel and the table of a session, at the end of its trace.
struct Shown {
    views::ViewContext context;
    LockDetailPanel panel{&context};
    LocksModel locks{&context};
    explicit Shown(session::Session& session) { context.setSession(&session); }

    bool select(const char* name) {
        context.setPlayhead(context.trace()->reached());
        for (const trace::EntityId id : context.entities(trace::EntityKind::Lock))
            if (context.trace()->entity(id).name == name) context.select(id);
        QCoreApplication::processEvents(); // the panel follows the selection at the next turn
        return context.selection() != trace::kNoEntity;
    }
    QString client(const char* lock) { return select(lock) ? panel.fact(LockDetailPanel::HolderClient) : QString(); }
    QString tip(const char* lock, int column) {
        select(lock);
        for (int row = 0; row < locks.rowCount(); ++row)
            if (locks.index(row, LocksModel::LockColumn).data().toString() == QLatin1String(lock))
                return locks.index(row, column).data(Qt::ToolTipRole).toString();
        return {};
    }
    QString waiterTip(const char* lock) {
        select(lock);
        return panel.queue()->index(0).data(Qt::ToolTipRole).toString();
    }
};

} // namespace

class TestLiveHolder : public QObject {
    Q_OBJECT

    OwnRedis m_redis;
    QTemporaryDir m_folder;

    std::unique_ptr<redis::RedisDriver> named(const char* name) {
        redis::DriverOptions options;
        options.clientName = name;
        auto driver = std::make_unique<redis::RedisDriver>(m_redis.runtime(), m_redis.url(), options);
        (void)call(*driver, {"PING"});
        return driver;
    }
    /// The address of the connection of that name, in CLIENT LIST's own words.
    QString listed(const QByteArray& name) {
        const redis::Reply answer = m_redis.ask({"CLIENT", "LIST"});
        for (const QByteArray& line : answer.text.split('\n')) {
            if (!line.contains(" name=" + name + ' ')) continue;
            for (const QByteArray& field : line.split(' '))
                if (field.startsWith("addr=")) return QString::fromUtf8(field.sliced(5));
        }
        return {};
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_redis.startAnew()); }
    void cleanupTestCase() { m_redis.end(); }

    void theWindowSaysWhatTheServerSays() {
        const auto holder = named(kHolder), waiter = named(kWaiter);
        m_redis.ask({"HSET", "orders", QByteArray(kHolder) + ":57", "1"});
        m_redis.ask({"PEXPIRE", "orders", "600000"});
        m_redis.ask({"RPUSH", "redisson_lock_queue:{orders}", QByteArray(kWaiter) + ":3"});
        m_redis.ask({"ZADD", "redisson_lock_timeout:{orders}", "99999999999999", QByteArray(kWaiter) + ":3"});
        m_redis.ask({"HSET", "nameless", "9a8b7c6d-2f2b-4f8e-9a53-1c7b7f0a1b2c:1", "1"});
        m_redis.ask({"PEXPIRE", "nameless", "600000"});
        live::LiveSession session(m_redis.url(), false, scenario::Scenario());
        Shown live(session);
        const QString address = listed(kHolder), waits = listed(kWaiter);
        QVERIFY(!address.isEmpty() && !waits.isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(live.client("orders"), address, 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(live.client("nameless"), QStringLiteral("not known"), 10'000);
        QVERIFY2(live.tip("orders", LocksModel::HolderColumn).endsWith(address), "the holder's tooltip");
        QVERIFY2(live.tip("nameless", LocksModel::HolderColumn).endsWith(u"not known"_qs),
                 "the nameless one's tooltip");
        QVERIFY2(live.tip("orders", LocksModel::WaitersColumn).contains(waits), "the queue's tooltip");
        QVERIFY2(live.waiterTip("orders").endsWith(waits), "the waiter's tooltip");

        const QString path = m_folder.filePath(QStringLiteral("who.lockscope"));
        QVERIFY(trace::saveRecording(path, session.trace(), session.recordingMeta()).has_value());
        session::RecordingSession recording(path);
        QSignalSpy loaded(&recording, &session::RecordingSession::loaded);
        QVERIFY(loaded.wait(10'000));
        Shown past(recording);
        QTRY_COMPARE(past.client("orders"), address);
        QTRY_COMPARE(past.client("nameless"), QStringLiteral("not known"));
        QVERIFY2(past.tip("orders", LocksModel::HolderColumn).endsWith(address), "the recording's tooltip");
        QVERIFY2(past.waiterTip("orders").endsWith(waits), "the recording's waiter");
    }

    void aDatabaseSaysWhereItsSessionIs() {
        Databases databases(m_redis.runtime());
        VERIFY_EMPTY(databases.start());
        const QString url = databases.url("postgresql");
        Someone holder(m_redis.runtime(), url);
        VERIFY_OK(holder.ask("SELECT pg_advisory_lock(77)"));
        const sql::Result address =
            holder.ask("SELECT host(client_addr) FROM pg_stat_activity WHERE pid = pg_backend_pid()");
        VERIFY_OK(address);
        const QString there = QString::fromUtf8(address->text());
        QVERIFY(!there.isEmpty());
        live::LiveSession session(urlOf(url), false, scenario::Scenario());
        Shown live(session);
        QTRY_VERIFY_WITH_TIMEOUT(live.client("77").contains(there), 15'000);
        QVERIFY2(!live.client("77").contains(u"SELECT"_qs), qPrintable(live.client("77"))); // it may hold a password
        QCOMPARE(live.panel.fact(LockDetailPanel::RecordSays), QString::fromUtf8(holder.name));
    }
};

QTEST_MAIN(TestLiveHolder)
#include "tst_live_holder.moc"
