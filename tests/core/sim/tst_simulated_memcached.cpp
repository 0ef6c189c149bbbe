// SPDX-License-Identifier: Apache-2.0
// Behaviours of memcached, by their numbers, on simulated servers.
#include "memcached_group.h"
#include "ports/memcached/key_ring.h"

using namespace lockscope;
using tests::MemcachedGroup;
using Kind = MemcachedGroup::Kind;
using Command = MemcachedGroup::Command;

class TestSimulatedMemcached : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void M1_theClockTicksOnceASecond() {
        MemcachedGroup g;
        auto& a = g.client("A");
        g.tick();
        g.run(500ms);
        std::vector<Nanos> setAt;
        for (int i = 0; i < 10; ++i) {
            setAt.push_back(g.scheduler.now());
            QCOMPARE(g.set(a, "k" + QByteArray::number(i), "v", 2), QByteArray("STORED"));
            g.scheduler.runUntil(setAt.back() + 90ms);
        }
        std::set<Nanos> ends;
        for (int i = 0; i < 10; ++i) {
            const auto key = "k" + QByteArray::number(i);
            const Nanos left = g.until([&] { return !g.at().find(key); });
            QVERIFY(left != kNever);
            const Nanos lived = g.scheduler.now() - setAt[std::size_t(i)];
            QVERIFY2(lived > 1s && lived <= 2s, QByteArray::number(double(lived.count()) / 1e9));
            ends.insert(g.scheduler.now());
        }
        QCOMPARE(ends.size(), 2); // five end at a tick, the others at the next one
    }
    void M1_ticksHaveAPhaseOfTheirOwn() {
        std::set<Nanos> phases;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            MemcachedGroup g(1, {}, seed);
            phases.insert(g.at().beginningOf(g.at().clock() + 1) % 1s);
        }
        QVERIFY(phases.size() > 3);
    }

    void M2_expiries() {
        MemcachedGroup g;
        auto& a = g.client("A");
        const std::int64_t now = g.at().clockUs() / 1'000'000;
        QCOMPARE(g.set(a, "ever", "v", 0), QByteArray("STORED"));
        QCOMPARE(g.add(a, "gone", "v", -1), QByteArray("STORED"));
        QCOMPARE(g.get(a, "gone"), QByteArray("END"));
        QCOMPARE(g.add(a, "gone", "w", 5), QByteArray("STORED"));
        QCOMPARE(g.set(a, "long", "v", 2'592'000), QByteArray("STORED"));
        QVERIFY(g.at().find("long"));
        QCOMPARE(g.set(a, "date", "v", 2'592'001), QByteArray("STORED"));
        QVERIFY(!g.at().find("date"));
        QCOMPARE(g.set(a, "soon", "v", now + 2), QByteArray("STORED"));
        QVERIFY(g.at().find("soon"));
        g.run(3s);
        QVERIFY(!g.at().find("soon"));
        g.run(std::chrono::hours(1000));
        QVERIFY(g.at().find("ever"));
        QVERIFY(!g.at().find("long"));
    }

    void M3_answers() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QCOMPARE(g.add(a, "k", "1", 100), QByteArray("STORED"));
        const std::uint64_t number = g.number("k");
        const auto ends = g.at().find("k")->ends;
        QCOMPARE(g.add(a, "k", "2", 5), QByteArray("NOT_STORED"));
        QCOMPARE(g.number("k"), number);
        QCOMPARE(g.at().find("k")->ends, ends);
        QCOMPARE(g.cas(a, "k", "3", number + 1), QByteArray("EXISTS"));
        QCOMPARE(g.cas(a, "none", "3", number), QByteArray("NOT_FOUND"));
        QCOMPARE(g.tell(a, Command{Kind::Touch, "k", {}, 50}), QByteArray("TOUCHED"));
        QCOMPARE(g.number("k"), number); // a touch changes no number
        QCOMPARE(g.at().find("k")->ends, g.at().clock() + 50);
        QCOMPARE(g.tell(a, Command{Kind::GetAndTouch, "k", {}, 60}), "VALUE 1 " + QByteArray::number(quint64(number)));
        QCOMPARE(g.number("k"), number);
        QCOMPARE(g.cas(a, "k", "3", number), QByteArray("STORED"));
        QCOMPARE(g.tell(a, Command{Kind::Replace, "k", "4", 1}), QByteArray("STORED"));
        const std::uint64_t last = g.number("k");
        g.run(1s); // over
        QCOMPARE(g.cas(a, "k", "5", last), QByteArray("NOT_FOUND"));
        QCOMPARE(g.tell(a, Command{Kind::Touch, "k", {}, 5}), QByteArray("NOT_FOUND"));
        QCOMPARE(g.tell(a, Command{Kind::Remove, "k"}), QByteArray("NOT_FOUND"));
        QCOMPARE(g.tell(a, Command{Kind::Replace, "k", "5"}), QByteArray("NOT_STORED"));
        QCOMPARE(g.add(a, "k", "6"), QByteArray("STORED"));
        QCOMPARE(g.tell(a, Command{Kind::Remove, "k"}), QByteArray("DELETED"));
    }

    void M4_numbersBeginAnewWithARestart() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QCOMPARE(g.set(a, "x", "1"), QByteArray("STORED"));
        QCOMPARE(g.number("x"), 1);
        QCOMPARE(g.set(a, "y", "1"), QByteArray("STORED"));
        QCOMPARE(g.number("y"), 2); // one counter for all keys
        g.at().kill();
        g.run(10ms);
        g.at().start();
        auto& b = g.client("B");
        QCOMPARE(g.add(b, "x", "stranger"), QByteArray("STORED"));
        QCOMPARE(g.number("x"), 1);
        QCOMPARE(g.cas(b, "x", "owner", 1), QByteArray("STORED")); // the old number fits another's item
    }
    /// The port does not send a number over another connection than the one that reported it.
    void M4_aNumberIsNotSentToAnotherRun() {
        MemcachedGroup g;
        auto& a = g.client("A");
        const auto added = g.ask(a, [](memcached::Client& c) { return c.add("x", "owner", 0, true); });
        QVERIFY(added && added->item && added->item->mark.unique == 1);
        const std::int64_t began = added->item->mark.runBegan;
        QCOMPARE(began, g.at().clockUs() / 1'000'000);
        g.run(2s);
        g.at().kill();
        g.run(10ms);
        g.at().start();
        auto& b = g.client("B");
        const auto other = g.ask(b, [](memcached::Client& c) { return c.add("x", "stranger", 0, true); });
        QCOMPARE(other->item->mark.unique, 1);
        QVERIFY(other->item->mark.runBegan > began);
        const memcached::Mark old = added->item->mark;
        const auto tried =
            g.ask(a, [old](memcached::Client& c) { return c.compareAndSet("x", "again", 0, old, true); });
        QVERIFY(tried && tried->outcome == memcached::Change::Outcome::Taken);
        QCOMPARE(g.at().find("x")->value, QByteArray("stranger"));
    }

    void M5_aReleaseIsACompareAndSetThatEndsAtOnce() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QCOMPARE(g.add(a, "lock", "a", 30), QByteArray("STORED"));
        QCOMPARE(g.cas(a, "lock", "a", g.number("lock"), -1), QByteArray("STORED"));
        QCOMPARE(g.get(a, "lock"), QByteArray("END"));
        QCOMPARE(g.add(a, "lock", "b", 30), QByteArray("STORED"));
    }

    void M6_eviction() {
        MemcachedGroup g(1, {.itemsPerClass = 50});
        auto& a = g.client("A");
        QCOMPARE(g.add(a, "read", "lock-of-20-bytes----", 1000), QByteArray("STORED"));
        QCOMPARE(g.add(a, "idle", "lock-of-20-bytes----", 1000), QByteArray("STORED"));
        for (int i = 0; i < 200; ++i) // items of another size do not matter
            g.set(a, "large" + QByteArray::number(i), QByteArray(1000, 'x'));
        QVERIFY(g.at().find("idle"));
        for (int i = 0; i < 200; ++i) {
            g.set(a, "l" + QByteArray::number(i), "lock-of-20-bytes----");
            if (i % 20 == 0) g.get(a, "read");
        }
        QVERIFY(g.at().find("read"));
        QVERIFY(!g.at().find("idle"));
    }
    void M6_oneFetchDoesNotSaveAnItem() {
        MemcachedGroup g(1, {.itemsPerClass = 50});
        auto& a = g.client("A");
        QCOMPARE(g.add(a, "once", "v", 1000), QByteArray("STORED"));
        g.get(a, "once");
        for (int i = 0; i < 60; ++i)
            g.set(a, "l" + QByteArray::number(i), "v");
        QVERIFY(!g.at().find("once"));
    }

    void M7_withoutEvictionNothingNewIsStored() {
        MemcachedGroup g(1, {.itemsPerClass = 3, .evicts = false});
        auto& a = g.client("A");
        for (int i = 0; i < 3; ++i)
            QCOMPARE(g.add(a, "k" + QByteArray::number(i), "v"), QByteArray("STORED"));
        QVERIFY(g.add(a, "new", "v").contains("out of memory storing object"));
        QVERIFY(!g.at().find("new"));
        QVERIFY(g.at().find("k0")); // held ones are safe
        const auto refused = g.ask(a, [](memcached::Client& c) { return c.add("new", "v", 5, true); });
        QVERIFY(!refused && refused.error().kind == memcached::Error::Kind::Refused);
    }

    void M8_flush() {
        MemcachedGroup g;
        auto& a = g.client("A");
        g.tick();
        g.set(a, "old", "v");
        QCOMPARE(g.tell(a, Command{Kind::Flush}), QByteArray("OK"));
        QCOMPARE(g.get(a, "old"), QByteArray("END"));
        QCOMPARE(g.add(a, "old", "w"), QByteArray("STORED")); // in the same second, and it stays
        g.tick(3);
        QVERIFY(g.at().find("old"));
        QCOMPARE(g.tell(a, Command{Kind::Flush, {}, {}, 2}), QByteArray("OK"));
        g.run(500ms);
        QVERIFY(g.at().find("old")); // until the tick
        g.tick();
        QVERIFY(!g.at().find("old"));
        QCOMPARE(g.set(a, "late", "v"), QByteArray("STORED")); // in the second of the flush: lost
        QCOMPARE(g.get(a, "late"), QByteArray("END"));
        g.tick();
        QCOMPARE(g.set(a, "late", "v"), QByteArray("STORED"));
        QVERIFY(g.at().find("late"));
    }

    void M9_aRestartForgetsEverything() {
        MemcachedGroup g;
        auto& a = g.client("A");
        auto& b = g.client("B");
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.add("lock", "a", 30, false); }).has_value());
        bool told = false;
        const auto wish = a.wire->onReconnect("lock", [&told] { told = true; });
        g.at().kill();
        g.run(100ms);
        QVERIFY(!told);
        const auto away = g.ask(b, [](memcached::Client& c) { return c.get("lock"); });
        QVERIFY(!away && away.error().kind == memcached::Error::Kind::Unreachable);
        g.at().start();
        const auto added = g.ask(b, [](memcached::Client& c) { return c.add("lock", "b", 30, false); });
        QVERIFY(added && added->outcome == memcached::Change::Outcome::Stored);
        g.run(500ms);
        QVERIFY(told); // a broken connection is the only news
    }
    void M9_aCommandInFlightIsOfUnknownOutcome() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.version(); }).has_value());
        auto& link = g.network.between(a.entity, g.at().entity());
        g.network.setCut(link, g.at().entity(), sim::Network::Ways::FromFirst, true); // the reply waits in the machine
        const auto answer = g.start(a, [](memcached::Client& c) { return c.add("lock", "a", 30, false); });
        QVERIFY(g.until([&] { return g.at().find("lock") != nullptr; }, 1s) != kNever);
        g.at().crash();
        g.network.healAll();
        g.run(4s);
        QVERIFY(*answer && !**answer && (**answer).error().outcomeUnknown());
    }

    void M10_aPauseDoesNotProlongLeases() {
        int early = 0, late = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            MemcachedGroup g(1, {}, seed);
            auto& a = g.client("A");
            auto& b = g.client("B");
            QVERIFY(g.ask(b, [](memcached::Client& c) { return c.version(); }).has_value());
            QCOMPARE(g.add(a, "lock", "a", 3), QByteArray("STORED"));
            g.at().pause();
            g.run(2s);
            const auto waiting = g.start(b, [](memcached::Client& c) { return c.add("lock", "b", 30, false); });
            g.run(2s);
            QVERIFY(!*waiting);
            g.at().resume();
            g.run(10ms);
            QVERIFY(*waiting && **waiting);
            // The clock's tick and the requests that lay there race.
            const bool stored = (**waiting)->outcome == memcached::Change::Outcome::Stored;
            ++(stored ? late : early);
            const auto* const item = g.at().find("lock");
            QCOMPARE(item != nullptr, stored);
        }
        QVERIFY2(early > 5 && late > 5, QByteArray::number(early));
    }
    void M10_anAnswerThatComesTooLateIsOfUnknownOutcome() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.version(); }).has_value());
        g.at().pause();
        const auto answer = g.ask(a, [](memcached::Client& c) { return c.add("lock", "a", 30, true); });
        QVERIFY(!answer && answer.error().kind == memcached::Error::Kind::CommandTimeout);
        QVERIFY(answer.error().outcomeUnknown());
        g.at().resume();
        QVERIFY(g.at().find("lock")); // it ran after all
        g.at().pause();
        auto& b = g.client("B"); // a stopped server's machine accepts, and nobody speaks
        const auto silent = g.ask(b, [](memcached::Client& c) { return c.get("lock"); });
        QVERIFY(!silent && silent.error().kind == memcached::Error::Kind::ConnectTimeout);
    }

    void M11_largestValue() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QCOMPARE(g.set(a, "key", QByteArray(1'048'476, 'x')), QByteArray("STORED"));
        QVERIFY(g.add(a, "key", QByteArray(1'048'576, 'x')).contains("too large"));
        QVERIFY(g.at().find("key")); // an add leaves the older value
        QVERIFY(g.set(a, "key", QByteArray(1'048'576, 'x')).contains("too large"));
        QVERIFY(!g.at().find("key"));
    }

    void M12_serversShareNothing() {
        MemcachedGroup four(4);
        std::vector<Endpoint> all;
        for (std::size_t i = 0; i < 4; ++i)
            all.push_back({QString::fromUtf8(four.at(i).id()), sim::MemcachedServer::kPort});
        std::vector<Endpoint> three(all.begin(), all.end() - 1);
        const memcached::KeyRing before(all), after(three);
        int ofLost = 0, moved = 0;
        for (int i = 0; i < 10'000; ++i) {
            const QByteArray key = "lock" + QByteArray::number(i);
            const std::size_t home = before.serverOf(key);
            QCOMPARE(four.service->serverOf(key).id(), four.at(home).id());
            ofLost += home == 3 ? 1 : 0;
            moved += after.serverOf(key) != home ? 1 : 0;
        }
        QCOMPARE(moved, ofLost); // exactly the lost server's keys move
        QVERIFY2(moved > 1500 && moved < 3500, QByteArray::number(moved));
    }

    void M13_commandsOfOneConnectionRunInOrder() {
        MemcachedGroup g;
        auto& a = g.client("A");
        g.set(a, "k", "old");
        const QByteArrayList lines = g.tell(a, std::vector<Command>{{.kind = Kind::Remove, .key = "k"},
                                                                    {.kind = Kind::Add, .key = "k", .value = "new"},
                                                                    {.kind = Kind::Get, .key = "k"}});
        QCOMPARE(lines, (QByteArrayList{"DELETED", "STORED", "VALUE new 2"}));
    }
    /// The look after an add is a command of its own: another connection's may run in between.
    void M13_anotherConnectionMayComeBetweenTwoCommands() {
        int between = 0;
        for (int later = -150; later <= 150 && between == 0; ++later) {
            MemcachedGroup g;
            auto& a = g.client("A");
            auto& b = g.client("B");
            for (auto* process : {&a, &b})
                QVERIFY(g.ask(*process, [](memcached::Client& c) { return c.version(); }).has_value());
            const Nanos apart = std::chrono::microseconds(later); // between what the two send
            const auto remove = [](memcached::Client& c) { return c.remove("k"); };
            auto removed = std::make_shared<std::optional<std::expected<bool, memcached::Error>>>();
            if (apart < Nanos(0)) {
                removed = g.start(b, remove);
                g.run(-apart);
            }
            const auto added = g.start(a, [](memcached::Client& c) { return c.add("k", "a", 5, true); });
            if (apart >= Nanos(0)) {
                g.run(apart);
                removed = g.start(b, remove);
            }
            g.run(10ms);
            const bool stored = (**added)->outcome == memcached::Change::Outcome::Stored;
            between += stored && !(**added)->item && **removed == true ? 1 : 0;
        }
        QVERIFY(between > 0);
    }

    void aCutLinkIsSilence() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.version(); }).has_value());
        g.network.setCut(g.network.between(a.entity, g.at().entity()), a.entity, sim::Network::Ways::Both, true);
        const Nanos begun = g.scheduler.now();
        const auto answer = g.ask(a, [](memcached::Client& c) { return c.get("k"); });
        QVERIFY(!answer && answer.error().kind == memcached::Error::Kind::CommandTimeout);
        QCOMPARE(g.scheduler.now() - begun, 3s);
        const auto next = g.ask(a, [](memcached::Client& c) { return c.get("k"); });
        QVERIFY(!next && next.error().kind == memcached::Error::Kind::ConnectTimeout);
        g.network.healAll();
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.get("k"); }).has_value());
    }
    void aLostReplyBreaksTheConnection() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.version(); }).has_value());
        g.network.between(a.entity, g.at().entity()).loseNextReply = true;
        const auto answer = g.ask(a, [](memcached::Client& c) { return c.add("lock", "a", 30, true); });
        QVERIFY(!answer && answer.error().kind == memcached::Error::Kind::Disconnected);
        QVERIFY(g.at().find("lock"));
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.get("lock"); }).has_value());
    }
    void aPausedClientReadsWhatCameWhenItGoesOn() {
        MemcachedGroup g;
        auto& a = g.client("A");
        QVERIFY(g.ask(a, [](memcached::Client& c) { return c.version(); }).has_value());
        const auto answer = g.start(a, [](memcached::Client& c) { return c.add("lock", "a", 30, true); });
        a.runtime->pause();
        g.run(10s);
        QVERIFY(!*answer);
        QVERIFY(g.at().find("lock"));
        a.runtime->resume();
        g.run(1ms);
        QVERIFY(*answer && **answer && (**answer)->item);
    }
};

QTEST_GUILESS_MAIN(TestSimulatedMemcached)
#include "tst_simulated_memcached.moc"
