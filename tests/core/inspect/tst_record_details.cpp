// SPDX-License-Identifier: Apache-2.0
// The rows that a feed writes besides the owner's: several holders, the queue, permits, content, format, copies.
#include "inspect/seen_content.h"
#include "inspect/trace_feed.h"
#include "trace/recorder.h"
#include "trace/state.h"

#include <QJsonArray>
#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::trace;

namespace {

Party reader(const char* client, int holds = 1, std::optional<std::int64_t> ttlMs = {}) {
    Party party{client, "1", holds, {}, "shared"};
    party.ttlMs = ttlMs;
    return party;
}

LockRow readBy(std::vector<Party> holders) {
    LockRow row;
    row.name = "orders";
    row.format = "redisson-rw";
    row.mode = "shared";
    row.state = LockRow::State::Held;
    row.ttlMs = 30'000;
    row.holders = std::move(holders);
    return row;
}

LockRow queuedBy(std::initializer_list<const char*> clients) {
    LockRow row;
    row.name = "orders";
    row.format = "redisson-fair";
    row.state = LockRow::State::Queued;
    row.waiters.emplace();
    for (const char* client : clients)
        row.waiters->push_back({client, "1", {}, int(row.waiters->size()), "exclusive"});
    row.waiterCount = std::int64_t(row.waiters->size());
    return row;
}

RawKey key(const char* name, const QString& value, std::optional<std::int64_t> ttlMs = {}) {
    return {name, "string", ttlMs, value, 0};
}

struct World {
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    Nanos now{};
    Recorder recorder{trace, [this] { return now; }};
    EntityId node = trace->intern(EntityKind::Node, "redis-1");
    TraceFeed feed{recorder, node, [this](const Party& party) { return thread(party.client); }};

    EntityId thread(const QByteArray& client) {
        return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
    }
    void update(const std::optional<LockRow>& row, const Sight& sight = {}) { feed.update("orders", row, sight); }
    State state() const {
        State state;
        for (std::size_t i = 0; i < trace->size(); ++i)
            state.apply(trace->at(i), *trace);
        return state;
    }
    Record record() { return state().records[feed.lockEntity("orders")]; }
    QByteArrayList kinds(std::size_t from = 0) const {
        QByteArrayList all;
        for (std::size_t i = from; i < trace->size(); ++i)
            all << kindName(trace->kindAt(i));
        return all;
    }
    QByteArray nameOf(EntityId thread) const { return trace->entity(trace->entity(thread).parent).name; }
    /// "A B": holders, or those in the queue.
    template <typename List>
    QByteArray names(const List& list) const {
        QByteArrayList all;
        for (const auto& each : list)
            all << nameOf(each.thread);
        return all.join(' ');
    }
    int count(EventKind kind) const {
        int n = 0;
        for (std::size_t i = 0; i < trace->size(); ++i)
            n += trace->kindAt(i) == kind;
        return n;
    }
};

} // namespace

class TestRecordDetails : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyReaderHasRowsOfItsOwn() {
        World world;
        world.update(readBy({reader("A", 2, 10'000)}));
        world.now = 1s;
        world.update(readBy({reader("A", 2, 9'000), reader("B", 1, 30'000)}));
        const Record record = world.record();
        QCOMPARE(world.nameOf(record.owner), QByteArray("A"));
        QCOMPARE(record.mode, HoldMode::Shared);
        QCOMPARE(world.names(record.holders), QByteArray("A B"));
        QCOMPARE(record.holders[0].holds, 2u);
        QCOMPARE(record.holders[0].deadline, Nanos(10s).count());
        QCOMPARE(record.holders[1].deadline, Nanos(31s).count());
        QCOMPARE(record.holders[1].since, Nanos(1s).count());
        QCOMPARE(record.holderCount(), 2);
        QVERIFY(record.namesAllHolders());
        // Nothing changed but the clock.
        const std::size_t before = world.trace->size();
        world.now = 2s;
        LockRow same = readBy({reader("A", 2, 8'000), reader("B", 1, 29'000)});
        same.ttlMs = 29'000;
        world.update(same);
        QCOMPARE(world.kinds(before), QByteArrayList());
    }

    void theOwnersGoingLeavesTheOthers() {
        World world;
        world.update(readBy({reader("A"), reader("B"), reader("C")}));
        const std::uint32_t grants = world.record().grants;
        QCOMPARE(grants, 3u);
        const std::size_t before = world.trace->size();
        world.update(readBy({reader("C"), reader("B")}), {.cause = world.thread("A")});
        QCOMPARE(world.kinds(before), (QByteArrayList{"record-holder-gone", "record-held"}));
        const Event gone = world.trace->at(before);
        QCOMPARE(gone.actor, world.thread("A"));
        QCOMPARE(EntityId(gone.aux), world.thread("A"));
        QCOMPARE(goneMode(gone.flags), HoldMode::Shared);
        QCOMPARE(world.nameOf(world.record().owner), QByteArray("B")); // it came before C
        QCOMPARE(world.names(world.record().holders), QByteArray("B C"));
        QCOMPARE(world.record().grants, grants); // nobody was granted anything
        world.update(std::nullopt);
        QCOMPARE(world.record().owner, kNoEntity);
        QVERIFY(world.record().holders.empty());
        QCOMPARE(world.count(EventKind::RecordFreed), 1);
    }

    void aReaderWhoseLeaseRanOutIsSaidToHaveExpired() {
        World world;
        world.update(readBy({reader("A", 1, 30'000), reader("B", 1, 5'000)}));
        world.now = 6s;
        world.update(readBy({reader("A", 1, 24'000)}));
        for (std::size_t i = 0; i < world.trace->size(); ++i) {
            const Event e = world.trace->at(i);
            if (e.kind != EventKind::RecordHolderGone) continue;
            QCOMPARE(EntityId(e.aux), world.thread("B"));
            QCOMPARE(e.actor, kNoEntity);
            QCOMPARE(FreedBy(e.flags & kFreedByMask), FreedBy::Expiry);
        }
        QCOMPARE(world.count(EventKind::RecordHolderGone), 1);
    }

    void oneExclusiveHolderWritesWhatItAlwaysWrote() {
        World world;
        LockRow row = readBy({{"A", "1", 1, {}, "exclusive"}});
        row.mode = "exclusive";
        world.update(row);
        world.now = 1s;
        row.holders.front().holds = 2;
        world.update(row);
        world.update(std::nullopt);
        QCOMPARE(world.kinds(), (QByteArrayList{"record-held", "record-renewed", "record-freed"}));
    }

    void readersBecomeOneWriter() {
        World world;
        world.update(readBy({reader("A"), reader("B")}));
        LockRow row = readBy({{"C", "1", 1, {}, "exclusive"}});
        row.mode = "exclusive";
        world.update(row);
        QVERIFY(world.record().holders.empty());
        QCOMPARE(world.nameOf(world.record().owner), QByteArray("C"));
        QCOMPARE(world.record().mode, HoldMode::Exclusive);
        QCOMPARE(world.record().allHolders().size(), std::size_t(1));
    }

    void moreHoldersThanAreNamedAreCounted() {
        World world;
        LockRow row = readBy({reader("A"), reader("B")});
        row.moreHolders = 5;
        world.update(row);
        QCOMPARE(world.record().holderCount(), 7);
        QVERIFY(!world.record().namesAllHolders());
        row.moreHolders = 0;
        world.update(row);
        QCOMPARE(world.record().holderCount(), 2);
        QVERIFY(world.record().namesAllHolders());
    }

    void clientsThatTellOfThemselvesJoinAndLeave() {
        World world;
        world.update(readBy({reader("stranger", 1, 30'000)}));
        const auto own = [](const char* client) { return readBy({reader(client, 1, 30'000)}); };
        world.feed.holderCame("orders", own("A"));
        QCOMPARE(world.names(world.record().holders), QByteArray("stranger A"));
        world.feed.holderWent("orders", reader("stranger"), kNoEntity);
        QCOMPARE(world.names(world.record().holders), QByteArray("A"));
        QCOMPARE(world.nameOf(world.record().owner), QByteArray("A"));
        world.feed.holderWent("orders", reader("A"), world.thread("A"));
        QCOMPARE(world.record().owner, kNoEntity);
    }

    void theQueueIsKnownByNameAndOrder() {
        World world;
        world.update(queuedBy({"A", "B", "C"}));
        QCOMPARE(world.names(world.record().queue), QByteArray("A B C"));
        // The head leaves: one row, the others move up by themselves.
        std::size_t before = world.trace->size();
        world.update(queuedBy({"B", "C"}));
        QCOMPARE(world.kinds(before), (QByteArrayList{"record-waiters", "record-unqueued"}));
        QCOMPARE(world.names(world.record().queue), QByteArray("B C"));
        // One comes in between, two change places.
        world.update(queuedBy({"B", "D", "C"}));
        QCOMPARE(world.names(world.record().queue), QByteArray("B D C"));
        before = world.trace->size();
        world.update(queuedBy({"C", "D", "B"}));
        QCOMPARE(world.names(world.record().queue), QByteArray("C D B"));
        QVERIFY(world.kinds(before).size() <= 3);
        LockRow dead = queuedBy({"C", "D", "B"});
        dead.waiters->at(1).dead = true;
        world.update(dead);
        QVERIFY(world.record().queue[1].dead);
        world.update(std::nullopt);
        QVERIFY(world.record().queue.empty());
    }

    void aQueueIsTheSameHoweverItCameAbout_data() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 20; ++seed)
            QTest::addRow("seed %u", seed) << seed;
    }
    void aQueueIsTheSameHoweverItCameAbout() {
        QFETCH(unsigned, seed);
        World world;
        std::srand(seed);
        std::vector<QByteArray> queue;
        for (int change = 0; change < 200; ++change) {
            const std::size_t at = queue.empty() ? 0 : std::size_t(std::rand()) % queue.size();
            if (queue.size() < 6 && std::rand() % 2)
                queue.insert(queue.begin() + std::ptrdiff_t(at), QByteArray::number(change));
            else if (!queue.empty())
                queue.erase(queue.begin() + std::ptrdiff_t(at));
            if (queue.size() > 1 && std::rand() % 4 == 0) std::swap(queue.front(), queue.back());
            LockRow row = queuedBy({});
            for (const QByteArray& client : queue)
                row.waiters->push_back({client, "1", {}, {}, "exclusive"});
            world.now += 1ms;
            world.update(row);
        }
        QByteArrayList expected;
        for (const QByteArray& client : queue)
            expected << client;
        QCOMPARE(world.names(world.record().queue), expected.join(' '));
    }

    void permitsAreTakenAndFree() {
        World world;
        LockRow row = readBy({{"p1", {}, {}, {}, "permit"}, {"p2", {}, {}, {}, "permit"}});
        row.mode = "permit";
        row.permitsFree = 3;
        row.permitsInAll = 5;
        world.update(row);
        const Record record = world.record();
        QCOMPARE(record.permitsFree, 3);
        QCOMPARE(record.permitsInAll, 5u);
        QCOMPARE(record.holderCount(), 2);
        QCOMPARE(record.holders.front().mode, HoldMode::Permit);
    }

    void whatLiesThereIsWrittenWithItsTime() {
        World world;
        LockRow row = readBy({reader("A")});
        row.raw = {key("orders", QStringLiteral("value of A"), 30'000)};
        world.now = 5s;
        world.update(row);
        Record record = world.record();
        QCOMPARE(record.contentAt, Nanos(5s).count());
        const auto seen = contentFrom(world.trace->entity(record.content).name);
        QVERIFY(seen);
        QCOMPARE(seen->keys, row.raw);
        // A TTL that only ran down is no other content; a renewed one is.
        world.now = 8s;
        row.raw.front().ttlMs = 27'010;
        row.ttlMs = 27'000;
        world.update(row);
        QCOMPARE(world.count(EventKind::RecordContent), 1);
        row.raw.front().ttlMs = 30'000;
        world.update(row);
        QCOMPARE(world.count(EventKind::RecordContent), 2);
        world.update(std::nullopt);
        record = world.record();
        QCOMPARE(contentFrom(world.trace->entity(record.content).name)->keys.size(), std::size_t(0));
    }

    void aServersDeathShowsNobodyWhatLiesThere() {
        World world;
        LockRow row = readBy({reader("A")});
        row.raw = {key("orders", QStringLiteral("value of A"), 30'000)};
        world.update(row);
        world.update(std::nullopt, {.freedBy = FreedBy::NodeLoss});
        QCOMPARE(world.record().content, kNoEntity);
        QCOMPARE(world.count(EventKind::RecordContent), 1);
    }

    void aBusyLocksContentIsWrittenNowAndThen() {
        World world;
        LockRow row = readBy({reader("A")});
        for (int i = 0; i < 10'000; ++i) {
            world.now = i * 1ms;
            row.raw = {key("orders", QString::number(i))};
            world.update(row);
        }
        const int written = world.count(EventKind::RecordContent);
        QVERIFY2(written >= 15 && written <= 30, qPrintable(QString::number(written)));
        // The last one is not lost: the feed says when to look again.
        const Nanos due = world.feed.contentDue();
        QVERIFY(due > world.now && due < world.now + 1s);
        world.now = due;
        world.update(row);
        QCOMPARE(world.count(EventKind::RecordContent), written + 1);
        QCOMPARE(world.feed.contentDue(), kNever);
        QCOMPARE(contentFrom(world.trace->entity(world.record().content).name)->keys.front().value.json().toString(),
                 QStringLiteral("9999"));
    }

    void aHugeContentIsCutAndSaysSo() {
        std::vector<RawKey> keys;
        for (int i = 0; i < 40; ++i)
            keys.push_back(key("key", QString(5000, QLatin1Char('x'))));
        QJsonArray list;
        for (int i = 0; i < 10'000; ++i)
            list.append(QStringLiteral("waiter"));
        keys.push_back({"queue", "list", {}, list, 7});
        const QByteArray text = contentText(keys);
        QVERIFY2(text.size() <= 4096, qPrintable(QString::number(text.size())));
        const auto seen = contentFrom(text);
        QVERIFY(seen && seen->cut);
        QCOMPARE(std::int64_t(seen->keys.size()) + seen->moreKeys, std::int64_t(keys.size()));
        const QByteArray small = contentText({keys.back()});
        const auto alone = contentFrom(small);
        QCOMPARE(alone->keys.front().value.json().toArray().size() + alone->keys.front().more, 10'007);
        QVERIFY(!contentFrom("no json"));
    }

    void bytesAreWrittenAsTheirJson() {
        const std::vector<QByteArray> texts{
            "orders", "", " a b ", "a b", "say \"it\"", "back\\slash", "\x01\xff", "\xc3\xa9", QByteArray(300, 'x')};
        std::vector<RawValue> values{RawValue::ofList(texts),
                                     RawValue::ofList({}),
                                     RawValue::ofList(RawValue::List(40, "waiter")),
                                     RawValue::ofFields({{"b", "2"}, {"a", "1"}}),
                                     RawValue::ofFields({{"quote\"", "2"}, {"a", "1"}}),
                                     RawValue::ofScores({{"b", 2}, {"a", -1.5}, {"c", 0}}),
                                     RawValue::ofScores({{"z", 1'767'225'600'123.0}, {"y", 7}}),
                                     RawValue::ofScores({{"z", -0.0}, {"y", 1e300}, {"x", -3}})};
        for (const QByteArray& text : texts)
            values.push_back(RawValue::ofText(text));
        for (const RawValue& value : values) {
            for (const QByteArray& name : texts) {
                const RawKey bytes{name, "list", 30'000, value, 2}, json{name, "list", 30'000, value.json(), 2};
                QCOMPARE(contentText({bytes}), contentText({json}));
                QCOMPARE(contentText(std::vector(20, bytes)), contentText(std::vector(20, json)));
                QVERIFY(bytes == json && json == bytes);
            }
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            for (std::size_t j = 0; j < values.size(); ++j)
                QCOMPARE(values[i] == values[j], values[i].json() == values[j].json());
    }

    void theServersOwnWordOnSinceWhenIsKept() {
        constexpr std::int64_t kOrigin = 1'700'000'000'000;
        World world;
        world.trace->setOriginWallMs(kOrigin);
        world.now = 10s;
        LockRow row = queuedBy({"B", "C"});
        row.state = LockRow::State::Held;
        row.holders = {{"A", "1", 1, {}, "exclusive"}};
        row.holders[0].sinceWallMs = kOrigin - 90'000; // long before anybody looked
        row.waiters->at(0).sinceWallMs = kOrigin + 4'000;
        world.update(row);
        Record record = world.record();
        QCOMPARE(record.toldSince, -Nanos(90s).count());
        QCOMPARE(record.since, Nanos(10s).count()); // as it was seen
        QCOMPARE(record.allHolders().front().toldSince, record.toldSince);
        QCOMPARE(record.queue[0].toldSince, Nanos(4s).count());
        QCOMPARE(record.queue[1].toldSince, kSinceNotTold);
        // An age in whole seconds wavers by one: nothing new. A waiter that moves up waits for as long as before.
        const std::size_t before = world.trace->size();
        world.now = 11s;
        row.holders[0].sinceWallMs = kOrigin - 89'000;
        world.update(row);
        QCOMPARE(world.kinds(before), QByteArrayList());
        std::ranges::reverse(*row.waiters);
        world.update(row);
        QCOMPARE(world.names(world.record().queue), QByteArray("C B"));
        QCOMPARE(world.record().queue[1].toldSince, Nanos(4s).count());
        // A clock that is ahead of ours does not make a hold begin in the future.
        row.holders = {{"D", "1", 1, {}, "exclusive"}};
        row.holders[0].sinceWallMs = kOrigin + 60'000;
        world.update(row);
        QCOMPARE(world.record().toldSince, Nanos(11s).count());
        world.update(std::nullopt);
        QCOMPARE(world.record().toldSince, kSinceNotTold);
        // The same client again is another hold, of which the server says anew since when.
        world.update(row);
        QCOMPARE(world.record().toldSince, Nanos(11s).count());
    }

    void eachOfSeveralHoldersHasASinceOfItsOwn() {
        World world;
        world.trace->setOriginWallMs(1'000);
        world.now = 10s;
        Party a = reader("A"), b = reader("B");
        a.sinceWallMs = 3'000;
        b.sinceWallMs = 6'000;
        world.update(readBy({a, b}));
        QCOMPARE(world.record().toldSince, Nanos(2s).count());
        QCOMPARE(world.count(EventKind::RecordSince), 2);
        world.update(readBy({b})); // the owner goes, and the other one holds since then as before
        QCOMPARE(world.nameOf(world.record().owner), QByteArray("B"));
        QCOMPARE(world.record().toldSince, Nanos(5s).count());
    }

    void aTraceWithoutAClockOfTheWallHasNone() {
        World world;
        LockRow row = readBy({reader("A")});
        row.holders[0].sinceWallMs = 5;
        world.update(row);
        QCOMPARE(world.count(EventKind::RecordSince), 0);
    }

    void rememberedTextsAreThoseOfTheirContents() {
        ContentTexts texts;
        for (const int number : {1, 2, 1, 3, 4, 5, 6, 1, 6, 2}) { // more than are remembered
            const std::vector<RawKey> keys{key("orders", QString::number(number), 1000 + number)};
            QCOMPARE(texts.of(keys), contentText(keys));
        }
    }

    void anotherFormatIsTold() {
        World world;
        world.feed.lockEntity("orders"); // made before anybody had looked
        world.update(readBy({reader("A")}));
        QCOMPARE(world.trace->entity(world.record().format).name, QByteArray("redisson-rw"));
        world.update(queuedBy({"A"}));
        QCOMPARE(world.trace->entity(world.record().format).name, QByteArray("redisson-fair"));
    }

    void eachServerKeepsACopyOfOneLock() {
        World world;
        const auto threadOf = [&](const Party& party) { return world.thread(party.client); };
        TraceFeed whole(world.recorder, kNoEntity, threadOf);
        const EntityId logical = whole.lockEntity("orders");
        TraceFeed second(world.recorder, world.trace->intern(EntityKind::Node, "redis-2"), threadOf);
        for (TraceFeed* feed : {&world.feed, &second})
            feed->writeCopiesOf(whole);
        world.update(readBy({reader("A")}));
        second.update("orders", readBy({reader("B")}));
        const State state = world.state();
        QCOMPARE(state.records.size(), std::size_t(2));
        for (const auto& [lock, record] : state.records) {
            QCOMPARE(record.copyOf, logical);
            QCOMPARE(world.trace->copyOf(lock), logical);
        }
        QCOMPARE(world.trace->copyOf(logical), kNoEntity);
        QCOMPARE(world.trace->displayName(second.lockEntity("orders")), QStringLiteral("orders @ redis-2"));
    }
};

QTEST_GUILESS_MAIN(TestRecordDetails)
#include "tst_record_details.moc"
