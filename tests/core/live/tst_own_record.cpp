// SPDX-License-Identifier: Apache-2.0
#include "live/own_record.h"
#include "trace/state.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::live;
using namespace lockscope::trace;

namespace {

/// A server of which only our own clients tell.
struct World {
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    Nanos now = 1s;
    Recorder recorder{trace, [this] { return now; }};
    inspect::TraceFeed feed{recorder, kNoEntity, [this](const inspect::Party& party) { return thread(party.client); }};
    EntityId lock = feed.lockEntity("orders");
    OwnRecord own{recorder, feed, [this](EntityId id) {
                      inspect::Party party;
                      party.client = trace->entity(trace->entity(id).parent).name;
                      party.thread = "1";
                      return std::optional(party);
                  }};

    EntityId thread(const QByteArray& client) {
        return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
    }
    void granted(const QByteArray& client, HoldMode mode = HoldMode::Exclusive, std::uint32_t holds = 1) {
        if (mode != HoldMode::Exclusive)
            recorder.emit(EventKind::GrantedAs, thread(client), lock, std::int64_t(mode), 1);
        recorder.emit(holds > 1 ? EventKind::Reentered : EventKind::Granted, thread(client), lock, 0, holds);
    }
    void released(const QByteArray& client) {
        recorder.emit(EventKind::ReleaseSent, thread(client), lock, 0, 1);
        recorder.emit(EventKind::Released, thread(client), lock);
    }
    /// "A", "A shared", "free": what the record says by now.
    QByteArray record() const {
        State state;
        for (std::size_t i = 0; i < trace->size(); ++i)
            state.apply(trace->at(i), *trace);
        const Record record = state.records[lock];
        if (record.owner == kNoEntity) return "free";
        QByteArray text = trace->entity(trace->entity(record.owner).parent).name;
        if (record.mode == HoldMode::Shared) text += " shared";
        return record.holds > 1 ? text + " " + QByteArray::number(record.holds) : text;
    }
    int changesOfHands() const {
        int count = 0;
        for (std::size_t i = 0; i < trace->size(); ++i)
            count += trace->kindAt(i) == EventKind::RecordHeld;
        return count;
    }
};

} // namespace

class OwnRecordTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aHoldIsOnRecordUntilItsRelease() {
        World world;
        world.granted("A");
        QCOMPARE(world.record(), QByteArray("A"));
        world.granted("A", HoldMode::Exclusive, 2);
        world.recorder.emit(EventKind::Renewed, world.thread("A"), world.lock);
        QCOMPARE(world.record(), QByteArray("A 2"));
        world.released("A");
        QCOMPARE(world.record(), QByteArray("free"));
    }

    void readersStandOnRecordOneAfterTheOther() {
        World world;
        world.granted("A", HoldMode::Shared);
        world.granted("B", HoldMode::Shared);
        world.granted("C", HoldMode::Shared);
        QCOMPARE(world.record(), QByteArray("A shared"));
        QCOMPARE(world.changesOfHands(), 1);
        world.released("B");
        QCOMPARE(world.record(), QByteArray("A shared"));
        world.released("A");
        QCOMPARE(world.record(), QByteArray("C shared"));
        world.released("C");
        QCOMPARE(world.record(), QByteArray("free"));
        world.granted("B");
        QCOMPARE(world.record(), QByteArray("B"));
    }

    void aWriterThatReadsHoldsItAlone() {
        World world;
        world.granted("A");
        world.granted("A", HoldMode::Shared, 2);
        QCOMPARE(world.record(), QByteArray("A 2"));
    }

    void aLookThatFindsItFreeEndsAllReading() {
        World world;
        world.granted("A", HoldMode::Shared);
        world.granted("B", HoldMode::Shared);
        world.own.seen("orders", kNoEntity);
        world.feed.update("orders", std::nullopt, {.freedBy = FreedBy::Expiry});
        world.granted("C", HoldMode::Shared);
        world.released("C");
        QCOMPARE(world.record(), QByteArray("free"));
    }
};

QTEST_APPLESS_MAIN(OwnRecordTest)
#include "tst_own_record.moc"
