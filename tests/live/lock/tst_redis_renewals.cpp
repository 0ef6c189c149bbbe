// SPDX-License-Identifier: Apache-2.0
// Renewals that meet with something: a server that has forgotten its scripts, and an answer that gets lost. The hold
// goes on, and is counted as before.
#include "lock/recipe_choice.h"
#include "lock_fleet.h"
#include "redis_relay.h"

using namespace lockscope;
using namespace lockscope::test;
using recipes::Mode;

namespace {
const QByteArray kName = "orders";

/// A holder, and what its lock has told it.
struct Holder {
    using Event = DistributedLock::Event;
    Holder(const QString& url, const QByteArray& recipe)
        : user(url, recipe, recipe == "redis-multi" ? kName + ",others" : kName, options()) {
        user.lock->listen([this](Event event, const QByteArray&, const QString&) { events.push_back(event); });
    }
    static LockOptions options() {
        LockOptions all;
        all.lease = 10s;
        all.watchdog = 100ms;
        all.token = true;
        return all;
    }
    int heard(Event event) const { return int(std::ranges::count(events, event)); }
    /// Two more renewals, counted from the answer of the next one.
    bool renews() const {
        const int before = heard(Event::Renewed);
        return comesTrue([&] { return heard(Event::Renewed) >= before + 2; });
    }
    LockUser user;
    std::vector<Event> events;
};
} // namespace

class TestRedisRenewals : public QObject {
    Q_OBJECT
    using Event = DistributedLock::Event;

    redis::Reply ask(redis::Args args) {
        const redis::Result reply = call(*m_operator, std::move(args));
        return reply ? *reply : redis::Reply();
    }
    /// All that stands there, without the times that a renewal moves.
    std::map<QByteArray, QByteArrayList> content() {
        std::map<QByteArray, QByteArrayList> all;
        for (const redis::Reply& key : ask({"KEYS", "*"}).items) {
            const QByteArray type = ask({"TYPE", key.text}).text;
            QByteArrayList& its = all[key.text];
            if (type == "string") its += ask({"GET", key.text}).text;
            for (const redis::Reply& part : type == "hash"   ? ask({"HGETALL", key.text}).items
                                            : type == "zset" ? ask({"ZRANGE", key.text, "0", "-1"}).items
                                                             : std::vector<redis::Reply>())
                its += part.text;
            std::ranges::sort(its);
        }
        return all;
    }
    /// How often the server was sent a script's source.
    std::int64_t sourcesSent() {
        const QByteArray stats = ask({"INFO", "commandstats"}).text;
        const qsizetype at = stats.indexOf("cmdstat_eval:calls=");
        return at < 0 ? 0 : stats.mid(at + 19).split(',').front().toLongLong();
    }
    static void rows() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<Mode>("mode");
        for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
            if (info.backend != "redis" || !info.watchdog || info.id == "redis-redlock") continue;
            for (const Mode mode : {Mode::Exclusive, Mode::Shared, Mode::Permit})
                if (offers(info, mode)) QTest::addRow("%s %d", info.id.constData(), int(mode)) << info.id << mode;
        }
    }
    /// Twice, where that is counted.
    static int take(Holder& holder, Mode mode) {
        const int times = holder.user.lock->recipe().reentrant ? 2 : 1;
        for (int i = 0; i < times; ++i) {
            LockRequest request;
            request.mode = mode;
            request.wait = Nanos(0);
            if (!run(holder.user.lock->take(request)).value_or(false)) return 0;
        }
        return times;
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        m_operator = std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_server));
    }
    void init() { QVERIFY(call(*m_operator, {"FLUSHALL"})); }
    void cleanupTestCase() { m_operator.reset(); }

    void aServerThatForgetsItsScriptsIsSentThemAgain_data() { rows(); }
    void aServerThatForgetsItsScriptsIsSentThemAgain() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        Holder holder(m_server.url(), id);
        VERIFY_OPEN(holder.user);
        const int times = take(holder, mode);
        QVERIFY(times > 0);
        QVERIFY(holder.renews()); // from now on it is known there
        const auto before = content();
        const std::int64_t sent = sourcesSent();
        QVERIFY(call(*m_operator, {"SCRIPT", "FLUSH"}));
        QVERIFY(holder.renews());
        QVERIFY(sourcesSent() > sent);
        QCOMPARE(holder.heard(Event::Lost), 0);
        QCOMPARE(holder.heard(Event::Suspended), 0);
        QVERIFY(holder.user.lock->stillMine("1", mode));
        QCOMPARE(holder.user.lock->holdCount("1", mode), times);
        QCOMPARE(content(), before);
        for (int left = times - 1; left >= 0; --left) {
            QVERIFY(call(*m_operator, {"SCRIPT", "FLUSH"}));
            QCOMPARE(run(holder.user.lock->unlock("1", mode)).value_or(-1), left);
        }
        QCOMPARE(run(holder.user.lock->isLocked()).value_or(true), false);
    }

    void onlyTheAnswerToARenewalIsLost_data() { rows(); }
    void onlyTheAnswerToARenewalIsLost() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        RedisRelay relay(m_runtime, m_server.port());
        Holder holder(relay.url(), id);
        VERIFY_OPEN(holder.user);
        const int times = take(holder, mode);
        QVERIFY(times > 0);
        QVERIFY(holder.renews());
        const auto before = content();
        const int connections = relay.connections;
        int lost = 0;
        relay.loses = [&lost](const QByteArray& asked, const QByteArray&) {
            return asked.contains(kName) && lost++ == 0;
        };
        QVERIFY(comesTrue([&] { return lost > 0; }));
        QVERIFY(holder.renews());
        QVERIFY(relay.connections > connections);
        QCOMPARE(holder.heard(Event::Suspended), 1); // it may be lost, for all that is known meanwhile
        QCOMPARE(holder.heard(Event::Lost), 0);
        QVERIFY(holder.user.lock->stillMine("1", mode));
        QCOMPARE(holder.user.lock->holdCount("1", mode), times);
        QCOMPARE(content(), before);
        for (int left = times - 1; left >= 0; --left)
            QCOMPARE(run(holder.user.lock->unlock("1", mode)).value_or(-1), left);
        QCOMPARE(run(holder.user.lock->isLocked()).value_or(true), false);
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<redis::RedisDriver> m_operator;
};

QTEST_GUILESS_MAIN(TestRedisRenewals)
#include "tst_redis_renewals.moc"
