// SPDX-License-Identifier: Apache-2.0
// A trace that may be shown to others: nobody's name is left in it, and it tells of the same events.
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
};

QTEST_GUILESS_MAIN(TestRedacted)
#include "tst_redacted.moc"
