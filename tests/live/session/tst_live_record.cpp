// SPDX-License-Identifier: GPL-3.0-or-later
// The whole record of a real Redis: all holders, the queue by name, and what lies there, as the panel shows it beside
// what the server itself answers.
#include "live/live_session.h"
#include "locks/lock_detail_panel.h"
#include "models/locks_model.h"
#include "own_redis.h"
#include "recipe_bench.h"
#include "scenario/scenario_file.h"
#include "theme/format.h"

using namespace lockscope;
using namespace lockscope::test;
using views::LockDetailPanel;
using views::LocksModel;

namespace {

using Taken = std::expected<std::optional<Grant>, LockError>;

bool taken(const Taken& grant) {
    return grant.has_value() && grant->has_value();
}

Request shared() {
    Request request;
    request.wait = 5s;
    request.lease = 30s;
    request.mode = Mode::Shared;
    return request;
}

} // namespace

class TestLiveRecord : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        VERIFY_STARTED(*m_server);
        m_asks = std::make_unique<redis::RedisDriver>(m_runtime, urlOf(*m_server));
        m_a = std::make_unique<Process>(m_runtime, *m_server);
        m_b = std::make_unique<Process>(m_runtime, *m_server);
        m_c = std::make_unique<Process>(m_runtime, *m_server);
        m_session = std::make_unique<live::LiveSession>(urlOf(*m_server), false, scenario::Scenario());
        m_context = std::make_unique<views::ViewContext>();
        m_context->setSession(m_session.get());
        m_panel = std::make_unique<LockDetailPanel>(m_context.get());
        m_model = std::make_unique<LocksModel>(m_context.get());
    }
    void cleanup() {
        m_model.reset();
        m_panel.reset();
        m_context.reset();
        m_session.reset();
        m_a.reset();
        m_b.reset();
        m_c.reset();
        m_asks.reset();
        m_server.reset();
    }

    void everyReaderIsNamedWithItsCount() {
        const auto a = m_a->recipe("redis-rw", "catalogue"), b = m_b->recipe("redis-rw", "catalogue");
        const Taken first = run(a->acquire(shared(), {})), again = run(a->acquire(shared(), {}));
        const Taken second = run(b->acquire(shared(), {}));
        QVERIFY(taken(first) && taken(again) && taken(second));
        QTRY_COMPARE_WITH_TIMEOUT(look("catalogue").holders.size(), std::size_t(2), 10'000);
        const trace::Record record = look("catalogue");
        QCOMPARE(record.mode, trace::HoldMode::Shared);
        QTRY_COMPARE_WITH_TIMEOUT(holdsOf("catalogue", m_a->uuid), 2u, 10'000);
        QCOMPARE(holdsOf("catalogue", m_b->uuid), 1u);
        for (const trace::Holder& holder : record.holders) {
            const Nanos left = Nanos(holder.deadline) - m_context->trace()->reached();
            QVERIFY2(left > 10s && left < 31s, qPrintable(QString::number(left.count() / 1e9)));
        }
        QTRY_VERIFY_WITH_TIMEOUT(cell("catalogue", LocksModel::HolderColumn).startsWith(u"2 reader"_qs), 10'000);
        QCOMPARE(m_panel->holders()->rowCount(), 2);
        QTRY_VERIFY_WITH_TIMEOUT(showsFields("catalogue"), 10'000);

        // The reader that was the record's owner goes: the other one reads on, and the lock was never free.
        QVERIFY(run(a->release(**again, {})).has_value());
        QVERIFY(run(a->release(**first, {})).has_value());
        QTRY_COMPARE_WITH_TIMEOUT(look("catalogue").holders.size(), std::size_t(1), 10'000);
        QCOMPARE(clientOf(look("catalogue").owner), m_b->uuid);
        QCOMPARE(count(trace::EventKind::RecordFreed), 0);
        QCOMPARE(cell("catalogue", LocksModel::HolderColumn).left(8), u"1 reader"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(showsFields("catalogue"), 10'000);
    }

    void permitsAreCountedAndFreeOnesToo() {
        const auto a = m_a->recipe("redis-semaphore", "pool", 5), b = m_b->recipe("redis-semaphore", "pool", 5);
        QVERIFY(taken(run(a->acquire(requestFor(*a, 5s), {}))));
        const Taken second = run(b->acquire(requestFor(*b, 5s), {}));
        QVERIFY(taken(second));
        QTRY_COMPARE_WITH_TIMEOUT(look("pool").permitsFree, 3, 10'000);
        QCOMPARE(look("pool").permitsInAll, 5u);
        QTRY_COMPARE_WITH_TIMEOUT(look("pool").holders.size(), std::size_t(2), 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(cell("pool", LocksModel::HolderColumn), u"2 of 5 permits"_qs, 10'000);
        QCOMPARE(m_panel->fact(LockDetailPanel::RecordSays), u"2 of 5 permits"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->serverLines().contains(u"  “3”"_qs), 10'000); // what GET pool answers
        QCOMPARE(call(*m_asks, {"GET", "pool"}).value().text, QByteArray("3"));
        QVERIFY(run(b->release(**second, {})).has_value());
        QTRY_COMPARE_WITH_TIMEOUT(cell("pool", LocksModel::HolderColumn), u"1 of 5 permits"_qs, 10'000);
    }

    void theQueueOfAFairLockStandsThereByName() {
        const auto a = m_a->recipe("redis-fair", "fair"), b = m_b->recipe("redis-fair", "fair"),
                   c = m_c->recipe("redis-fair", "fair");
        const Taken held = run(a->acquire(requestFor(*a, 5s), {}));
        QVERIFY(taken(held));
        const auto second = beside(b->acquire(requestFor(*b, 60s), {}));
        QVERIFY(comesTrue([&] { return queue("fair").size() == 1; }));
        const auto third = beside(c->acquire(requestFor(*c, 60s), {}));
        QVERIFY(comesTrue([&] { return queue("fair").size() == 2; }));
        QTRY_COMPARE_WITH_TIMEOUT(queueOnScreen(), (QByteArrayList{m_b->uuid, m_c->uuid}), 10'000);
        const QByteArrayList told = queue("fair");
        QTRY_VERIFY_WITH_TIMEOUT(
            m_panel->serverLines().contains(QStringLiteral("  1 “%1”").arg(QString::fromUtf8(told.at(0)))) &&
                m_panel->serverLines().contains(QStringLiteral("  2 “%1”").arg(QString::fromUtf8(told.at(1)))),
            10'000);
        QVERIFY2(!m_panel->queueNote().contains(u"does not say"_qs), qPrintable(m_panel->queueNote()));

        VERIFY_OK(run(a->release(**held, {})));
        QVERIFY(ends(second, 10s));
        QTRY_COMPARE_WITH_TIMEOUT(queueOnScreen(), (QByteArrayList{m_c->uuid}), 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(clientOf(look("fair").owner), m_b->uuid, 10'000);
        VERIFY_OK(run(b->release(***second->result, {})));
        QVERIFY(ends(third, 10s));
        VERIFY_OK(run(c->release(***third->result, {})));
    }

    void waitersWhoseNamesTheServerDoesNotKeepAreCounted() {
        const auto a = m_a->recipe("redis-reentrant", "plain"), b = m_b->recipe("redis-reentrant", "plain");
        const Taken held = run(a->acquire(requestFor(*a, 5s), {}));
        QVERIFY(taken(held));
        const auto second = beside(b->acquire(requestFor(*b, 60s), {}));
        QTRY_COMPARE_WITH_TIMEOUT(look("plain").waiters, 1, 10'000);
        QVERIFY(look("plain").queue.empty());
        QTRY_COMPARE_WITH_TIMEOUT(m_panel->queueNote(), u"1 waiter(s); the server does not say who."_qs, 10'000);
        QVERIFY(showsFields("plain"));
        VERIFY_OK(run(a->release(**held, {})));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(run(b->release(***second->result, {})));
    }

    void whatIsSeenHasTheTimeOfTheLook() {
        call(*m_asks, {"HSET", "orders", m_a->uuid + ":1", "1"});
        call(*m_asks, {"PEXPIRE", "orders", "30000"});
        QTRY_VERIFY_WITH_TIMEOUT(showsFields("orders"), 10'000);
        const Nanos seen(look("orders").contentAt);
        QVERIFY2(m_panel->serverHint().contains(views::instant(*m_context->trace(), seen)),
                 qPrintable(m_panel->serverHint()));
        // The TTL as it was at that instant: with its age, what the server says now, within what a look takes.
        const Nanos before = m_context->trace()->reached();
        const qint64 now = call(*m_asks, {"PTTL", "orders"}).value().integer;
        const QString line = m_panel->serverLines().front();
        const qint64 shown = line.section(QLatin1Char(' '), -1).toLongLong();
        const qint64 age = (before - seen).count() / 1'000'000;
        QVERIFY2(std::abs(shown - age - now) < 500,
                 qPrintable(QStringLiteral("%1; PTTL %2, %3 ms later").arg(line).arg(now).arg(age)));
        call(*m_asks, {"DEL", "orders"});
        QTRY_COMPARE_WITH_TIMEOUT(linesNow("orders"), QStringList{u"no key “orders”"_qs}, 10'000);
    }

private:
    /// The record of a lock at the newest look; the views show the same instant.
    trace::Record look(const char* name) {
        const auto trace = m_context->trace();
        m_context->setPlayhead(trace->reached());
        for (const auto& [lock, record] : m_context->state().records) {
            if (trace->entity(lock).name != name) continue;
            m_context->select(lock);
            return record;
        }
        return {};
    }
    QByteArray clientOf(trace::EntityId thread) const {
        const auto trace = m_context->trace();
        return trace->entity(trace->clientOf(thread)).name;
    }
    std::uint32_t holdsOf(const char* lock, const QByteArray& client) {
        for (const trace::Holder& holder : look(lock).holders)
            if (clientOf(holder.thread) == client) return holder.holds;
        return 0;
    }
    QString cell(const char* name, int column) {
        look(name);
        m_model->data({});
        QCoreApplication::processEvents();
        for (int row = 0; row < m_model->rowCount(); ++row)
            if (m_model->index(row, LocksModel::LockColumn).data().toString() == QLatin1String(name))
                return m_model->index(row, column).data().toString();
        return {};
    }
    QStringList linesNow(const char* name) {
        look(name);
        QCoreApplication::processEvents();
        return m_panel->serverLines();
    }
    QByteArrayList queueOnScreen() {
        look("fair");
        QCoreApplication::processEvents();
        QByteArrayList names;
        for (int row = 0; row < m_panel->queue()->rowCount(); ++row)
            names << clientOf(m_panel->queue()->index(row).data(views::party::EntityRole).toUInt());
        return names;
    }
    /// The queue as the server tells it to another client.
    QByteArrayList queue(const QByteArray& name) {
        QByteArrayList all;
        const redis::Result told = call(*m_asks, {"LRANGE", "redisson_lock_queue:{" + name + "}", "0", "-1"});
        for (const redis::Reply& item : told->items)
            all << item.text;
        return all;
    }
    /// Whether the panel shows each field and value that HGETALL tells, and no other field.
    bool showsFields(const char* name) {
        look(name);
        QCoreApplication::processEvents();
        const redis::Result all = call(*m_asks, {"HGETALL", name});
        if (!all || all->items.empty()) return false;
        const QStringList lines = m_panel->serverLines();
        for (std::size_t i = 0; i + 1 < all->items.size(); i += 2)
            if (!lines.contains(
                    QStringLiteral("  “%1” → “%2”")
                        .arg(QString::fromUtf8(all->items[i].text), QString::fromUtf8(all->items[i + 1].text))))
                return false;
        const auto fields =
            std::ranges::count_if(lines, [](const QString& line) { return line.contains(u"” → “"_qs); });
        return fields == std::ptrdiff_t(all->items.size() / 2);
    }
    int count(trace::EventKind kind) const { return test::count(*m_context->trace(), kind); }

    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    std::unique_ptr<redis::RedisDriver> m_asks;
    std::unique_ptr<Process> m_a, m_b, m_c;
    std::unique_ptr<live::LiveSession> m_session;
    std::unique_ptr<views::ViewContext> m_context;
    std::unique_ptr<LockDetailPanel> m_panel;
    std::unique_ptr<LocksModel> m_model;
};

QTEST_MAIN(TestLiveRecord)
#include "tst_live_record.moc"
