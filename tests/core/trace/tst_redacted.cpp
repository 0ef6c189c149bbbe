// SPDX-License-Identifier: Apache-2.0
// A trace that may be shown to others: nobody's name is left in it, and it tells of the same events.
#include "trace/connection.h"
#include "trace/recorder.h"
#include "trace/redacted.h"

#include <QTest>

using namespace lockscope;
using trace::EntityKind;
using trace::EventKind;

class TestRedacted : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesGoAndEventsStay() {
        const auto trace = std::make_shared<trace::Trace>();
        Nanos now{};
        trace::Recorder recorder(trace, [&now] { return now; });
        const auto connection = trace->text("secret-shop");
        const auto node = trace->intern(EntityKind::Node, "secret-host:6379", connection);
        const auto format = trace->text("redisson");
        const auto lock = trace->intern(EntityKind::Lock, "secret-orders", node, format);
        const auto other = trace->intern(EntityKind::Lock, "secret-stock", node, format);
        const auto a = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "secret-alice"));
        recorder.emit(EventKind::NodeRole, node, trace::kNoEntity, 0, trace->text("master"));
        recorder.emit(EventKind::RecordHeld, a, lock, 30'000, 1);
        recorder.emit(EventKind::RecordContent, trace::kNoEntity, other, 0, trace->text("secret-content"));
        recorder.emit(EventKind::Lost, a, lock, 0, trace->text("secret-reason"));
        const auto lease = trace->text("lease=3s");
        for (const trace::EntityId text :
             {lease, trace->text("engine=secret-redis"), trace->text("manager refused file=/home/secret/locks.json")})
            recorder.emit(EventKind::SettingChanged, trace::kNoEntity, trace::kNoEntity, 0, text);
        now = 1s;
        trace->reach(now);

        const auto shown = trace::redacted(*trace);
        QCOMPARE(shown->size(), trace->size());
        QCOMPARE(shown->reached(), trace->reached());
        for (std::size_t i = 0; i < trace->size(); ++i)
            QCOMPARE(shown->at(i), trace->at(i)); // ids mean the same
        for (trace::EntityId id = 0; id < shown->entityCount(); ++id)
            QVERIFY2(!shown->entity(id).name.contains("secret"), shown->entity(id).name.constData());
        QCOMPARE(shown->entity(lock).name, QByteArray("lock-1"));
        QCOMPARE(shown->entity(other).name, QByteArray("lock-2"));
        QCOMPARE(shown->displayName(a), QStringLiteral("client-1 · 1"));
        QCOMPARE(shown->entity(format).name, QByteArray("redisson"));
        QCOMPARE(shown->entity(lease).name, QByteArray("lease=3s"));
        QCOMPARE(shown->entity(shown->at(0).aux).name, QByteArray("master"));
    }

    void addressesKeepTheirScheme() {
        trace::Trace trace;
        const auto shop = trace::internConnection(trace, "secret-shop", "redis://secret-host:6379");
        const auto named = trace.intern(EntityKind::Thread, "secret-thread", trace.intern(EntityKind::Client, "x"));
        const auto shown = trace::redacted(trace);
        QVERIFY(trace::isConnection(*shown, shop));
        QCOMPARE(shown->displayName(shop), QStringLiteral("connection-1"));
        QCOMPARE(trace::urlOfConnection(*shown, shop), QByteArray("redis://…"));
        QCOMPARE(shown->displayName(named), QStringLiteral("client-1 · thread-1"));
    }

    void aGroupIsNoServer() {
        trace::Trace trace;
        const auto shop = trace::internConnection(trace, "secret-shop", "redlock://secret:1,secret:2");
        const auto group = trace.intern(EntityKind::Node, "secret:1 +1", shop);
        const auto one = trace.intern(EntityKind::Node, "secret:1", shop, group);
        const auto two = trace.intern(EntityKind::Node, "secret:2", shop, group);
        const auto alone = trace.intern(EntityKind::Node, "secret:9");
        const std::vector<trace::EntityId> all{group, one, two, alone}, servers{one, two, alone};
        QCOMPARE(trace::serversAmong(trace, all), servers);
        QCOMPARE(trace::serversAmong(*trace::redacted(trace), all), servers);
    }

    /// In pieces of any size it becomes what it is as a whole, and at no time does a row speak of a name that is not
    /// there.
    void aCopyFollowsATraceThatGrows() {
        const auto trace = std::make_shared<trace::Trace>();
        Nanos now{};
        trace::Recorder recorder(trace, [&now] { return now; });
        trace::RedactedCopy copy(*trace);
        for (int i = 0; i < 40; ++i) {
            now += 1s;
            const QByteArray number = QByteArray::number(i / 2);
            const auto node = trace->intern(EntityKind::Node, "secret-host-" + number);
            const auto lock = trace->intern(EntityKind::Lock, "secret-lock-" + number, node, trace->text("redisson"));
            const auto thread =
                trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "secret-" + number));
            recorder.emit(EventKind::NodeRole, node, trace::kNoEntity, 0, trace->text(i % 2 ? "master" : "replica"));
            recorder.emit(EventKind::RecordHeld, thread, lock, 30'000, 1);
            trace->reach(now);
            for (bool all = false; !all;) {
                all = copy.advance(std::size_t(i % 3 + 1));
                const std::shared_ptr<const trace::Trace> sofar = copy.trace();
                for (std::size_t row = 0; row < sofar->size(); ++row)
                    QVERIFY(sofar->at(row).actor < sofar->entityCount() &&
                            sofar->at(row).subject < sofar->entityCount());
            }
        }
        QCOMPARE(copy.trace()->reached(), trace->reached());
        copy.finish();
        QCOMPARE(copy.trace()->digest(), trace::redacted(*trace)->digest());
        QCOMPARE(copy.aliasOf(EntityKind::Lock, "secret-lock-1"), QByteArray("lock-2"));
        QCOMPARE(copy.aliasOf(EntityKind::Lock, "secret-lock-99"), QByteArray());
        for (trace::EntityId id = 0; id < copy.trace()->entityCount(); ++id)
            QVERIFY(!copy.trace()->entity(id).name.contains("secret"));
    }
};

QTEST_GUILESS_MAIN(TestRedacted)
#include "tst_redacted.moc"
