// SPDX-License-Identifier: Apache-2.0
// Random faults on a simulated ensemble, and what must hold whatever happens.
#include "zookeeper_group.h"

using namespace lockscope;
using tests::ZooKeeperGroup;
using Kind = zookeeper::Error::Kind;
using Mode = zookeeper::NodeMode;

namespace {

constexpr Nanos kStorm = 20s;

/// Clients that write and read all the time, and what they were told.
struct Storm {
    ZooKeeperGroup g;
    std::mt19937_64 random;
    std::set<QByteArray> acknowledged, unknown;
    int faults = 0, refused = 0, lost = 0;
    QByteArray trouble;

    Storm(int servers, std::uint64_t seed) : g(servers, seed), random(seed) {}
    std::uint64_t below(std::uint64_t bound) { return random() % bound; }

    QCoro::Task<> write(ZooKeeperGroup::Process& process, QByteArray name) {
        for (int i = 0;; ++i) {
            const QByteArray path = '/' + name + QByteArray::number(i);
            const auto made = co_await process.wire->create(path, name, Mode::Persistent);
            if (made) {
                acknowledged.insert(path);
                // A client sees its own writes, on whichever server it is by then.
                const auto seen = co_await process.wire->exists(path);
                if (seen && !*seen) trouble = "does not see its own " + path;
            } else if (made.error().kind == Kind::ConnectionLoss || made.error().kind == Kind::SessionLost) {
                unknown.insert(path);
                ++lost;
            } else {
                ++refused;
            }
            co_await process.runtime->sleep(20ms);
        }
    }
    /// One fault, or the end of one.
    void strike() {
        ++faults;
        const auto party = [&] { return std::size_t(below(g.service->size())); };
        sim::ZkServer& server = g.at(party());
        sim::ZkServer& other = g.at(party());
        switch (below(8)) {
        case 0:
            server.kill();
            break;
        case 1:
            server.crash();
            break;
        case 2:
            server.pause();
            break;
        case 3:
        case 4:
            server.resume();
            server.start();
            break;
        case 5:
            if (&server != &other) g.network.between(server.entity(), other.entity()).setCut(true);
            break;
        case 6:
            g.network.healAll();
            break;
        default:
            if (&server != &other)
                g.network.setCut(g.network.between(server.entity(), other.entity()), server.entity(),
                                 sim::Network::Ways::FromFirst, true);
            break;
        }
    }
    void heal() {
        g.network.healAll();
        for (std::size_t i = 0; i < g.service->size(); ++i) {
            g.at(i).resume();
            g.at(i).start();
        }
    }
};

/// The nodes of one server that no session owns, and their zxids.
QByteArrayList contentOf(const sim::ZkServer& server) {
    QByteArrayList list;
    for (const QByteArray& name : server.state().tree.find("/")->children) {
        const sim::ZkNode& node = *server.state().tree.find('/' + name);
        list += name + ' ' + QByteArray::number(qint64(node.czxid));
    }
    return list;
}

} // namespace

class TestSimulatedZooKeeperStorm : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasAcknowledgedStays_data() {
        QTest::addColumn<int>("servers");
        QTest::addColumn<int>("seeds");
        QTest::addRow("one server") << 1 << 10;
        QTest::addRow("three servers") << 3 << 30;
        QTest::addRow("five servers") << 5 << 15;
    }
    void whatWasAcknowledgedStays() {
        QFETCH(int, servers);
        QFETCH(int, seeds);
        int survived = 0, vanished = 0, elections = 0;
        for (int seed = 1; seed <= seeds; ++seed) {
            Storm storm(servers, std::uint64_t(seed));
            ZooKeeperGroup& g = storm.g;
            for (const char* name : {"a", "b", "c"}) {
                auto& process = g.client(name, 4s);
                process.runtime->spawn([&storm, &process, name] { return storm.write(process, name); });
            }
            while (g.scheduler.now() < kStorm) {
                g.run(Nanos(std::int64_t(storm.below(1'500'000'000))));
                storm.strike();
            }
            storm.heal();
            const auto all = [&] {
                for (std::size_t i = 0; i < g.service->size(); ++i)
                    if (!g.at(i).serves()) return false;
                return true;
            };
            QVERIFY2(g.until(all, 20s) != kNever, QByteArray::number(seed));
            for (const auto& process : g.processes)
                process->runtime->kill();
            g.run(6s);
            QCOMPARE(storm.trouble, QByteArray());
            QVERIFY(storm.faults > 5);
            elections += int(g.service->leader()->epoch()) - 1;
            for (const QByteArray& path : storm.acknowledged)
                QVERIFY2(g.has(0, path), QByteArray::number(seed) + ' ' + path);
            for (const QByteArray& path : storm.unknown)
                (g.has(0, path) ? survived : vanished) += 1;
            for (std::size_t i = 1; i < g.service->size(); ++i)
                QCOMPARE(contentOf(g.at(i)), contentOf(g.at(0)));
        }
        // Both ends of "unknown" were seen, and leaders changed.
        QVERIFY2(survived > 0 && vanished > 0, QByteArray::number(survived) + ' ' + QByteArray::number(vanished));
        QVERIFY(servers == 1 || elections > seeds);
    }
};

QTEST_GUILESS_MAIN(TestSimulatedZooKeeperStorm)
#include "tst_simulated_zookeeper_storm.moc"
