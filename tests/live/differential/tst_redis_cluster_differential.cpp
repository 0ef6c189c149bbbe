// SPDX-License-Identifier: Apache-2.0
// A simulated Redis Cluster against a real one: the same random commands of several clients at any node, slots that
// move from one master to another, masters that die or stop and are replaced. Compares each answer, redirections
// included, and the map that every node tells; not when it does. SEED=n begins with another seed, OPERATIONS=n goes on
// until so many commands are compared.
#include "campaign.h"
#include "cluster_sides.h"
#include "ports/redis/cluster_keys.h"
#include "two_sides.h"

using namespace lockscope;
using namespace lockscope::differential;
using redis::Args;
using redis::Reply;

namespace {

/// Between two changes of the cluster.
constexpr int kCommands = 1700;
constexpr int kClients = 2; ///< at each node
constexpr std::size_t kHistory = 30;
constexpr std::chrono::seconds kPatience{40};
constexpr std::array kTags{"{a}", "{b}", "{c}", "{d}", "{e}", "{f}"};
constexpr int kKeysOfTag = 3;

const QByteArray kCompareAndDelete =
    "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0";
const QByteArray kWriteTwo = "redis.call('SET',KEYS[1],ARGV[1]); return redis.call('EXISTS',KEYS[1],KEYS[2])";

class Pair {
public:
    Pair(RealCluster& real, SimulatedCluster& simulated, std::uint64_t seed)
        : m_real(real), m_simulated(simulated), m_random(seed) {
        for (int node = 0; node < kNodes; ++node) {
            m_alive.insert(node);
            connect(node);
        }
    }
    /// The whole story; false at the first difference.
    bool play() {
        if (!settle("all have met")) return false;
        for (int round = 0; round < 2; ++round) {
            if (!commands() || !moveSlot()) return false;
            const int master = anyMaster();
            // A dead master comes back without data, a stopped one with data that it may not serve any more.
            const bool dies = (round == 0) == m_random.chance(2);
            if (!lose(master, dies) || !commands() || !comeBack(master, dies) || !commands()) return false;
        }
        return moveSlot() && commands();
    }
    int operations() const { return m_operations; }
    const std::map<QByteArray, int>& words() const { return m_words; }
    QByteArray history() const { return m_history.text(); }

private:
    struct Session {
        int real = 0, simulated = 0;
    };
    void connect(int node) {
        m_sessions[node].clear();
        for (int i = 0; i <= kClients; ++i) // the last one reads at replicas
            m_sessions[node].push_back({m_real.connect(node), m_simulated.connect(node)});
    }
    QByteArray anyKey() {
        return QByteArray(kTags[m_random.below(kTags.size())]) + QByteArray::number(int(m_random.below(kKeysOfTag)));
    }
    /// Mostly of the same slot as another key.
    QByteArray keyBeside(const QByteArray& key) {
        return m_random.chance(6) ? anyKey() : key.first(3) + QByteArray::number(int(m_random.below(kKeysOfTag)));
    }
    Args anyCommand(const QByteArray& key) {
        const QByteArray value(1, char('x' + m_random.below(3)));
        switch (m_random.below(16)) {
        case 0:
        case 1:
            return {"SET", key, value, "NX", "PX", "600000"};
        case 2:
            return {"SET", key, value};
        case 3:
        case 4:
            return {"GET", key};
        case 5:
            return {"EVAL", kCompareAndDelete, "1", key, value};
        case 6:
            return {"EVAL", kWriteTwo, "2", key, keyBeside(key), value};
        case 7:
            return {"EVAL", "return 7", "0"};
        case 8:
            return {"DEL", key, keyBeside(key)};
        case 9:
            return {"EXISTS", key, keyBeside(key)};
        case 10:
            return {"HINCRBY", key, "f", "1"};
        case 11:
            return {"PEXPIRE", key, "700000"};
        case 12:
            return {"DEL", key};
        case 13:
            return {"MGET", key, keyBeside(key)};
        case 14:
            return {"CLUSTER", "KEYSLOT", key};
        default:
            return {"PING"};
        }
    }
    int anyAlive() {
        const auto at = std::next(m_alive.begin(), std::ptrdiff_t(m_random.below(m_alive.size())));
        return *at;
    }
    bool isMaster(int node) { return m_simulated.role(node) == "master"; }
    int anyMaster() {
        for (;;)
            if (const int node = anyAlive(); isMaster(node)) return node;
    }

    /// Asks both; nullopt: they differ.
    std::optional<QByteArray> ask(int node, int client, const Args& args) {
        const Session session = m_sessions[node][std::size_t(client)];
        const QByteArray real = m_real.plain(m_real.ask(session.real, args));
        const QByteArray simulated = m_simulated.plain(m_simulated.ask(session.simulated, args));
        ++m_operations;
        ++m_words[real.split(' ').first()];
        m_history.note("node " + QByteArray::number(node) + ", client " + QByteArray::number(client) + ": " +
                       shown(args) + ": " + real);
        if (real == simulated) return real;
        m_history.note("     simulated " + simulated);
        return std::nullopt;
    }
    bool differ(const QByteArray& how) {
        m_history.note(how);
        return false;
    }
    /// As a client does that is sent elsewhere.
    bool askAndFollow(int node, int client, const Args& args) {
        const auto answer = ask(node, client, args);
        if (!answer) return false;
        const int sentTo = answer->split(' ').last().toInt();
        if (!m_alive.contains(sentTo)) return true;
        if (answer->startsWith("-MOVED ") && m_random.chance(2)) return ask(sentTo, client, args).has_value();
        if (answer->startsWith("-ASK ") && !m_random.chance(4))
            return ask(sentTo, client, {"ASKING"}) && ask(sentTo, client, args);
        return true;
    }
    bool command() {
        const int node = anyAlive(), client = int(m_random.below(kClients));
        const QByteArray key = anyKey();
        if (m_random.chance(20)) {
            if (!ask(node, client, {"MULTI"})) return false;
            for (std::uint64_t queued = m_random.below(3); queued > 0; --queued)
                if (!ask(node, client, anyCommand(key.first(3) + '0')))
                    return false; // of one slot: see SIMPLIFICATIONS.md
            return ask(node, client, {m_random.chance(4) ? "DISCARD" : "EXEC"}).has_value();
        }
        if (m_random.chance(30)) return readAtReplica();
        if (m_random.chance(40)) return ask(node, client, {"ASKING"}).has_value();
        return askAndFollow(node, client, anyCommand(key));
    }
    /// Reads at a replica that certainly has what its master has.
    bool readAtReplica() {
        const QByteArray key = anyKey();
        for (const int node : m_alive) {
            if (isMaster(node)) continue;
            const QByteArray map = m_simulated.map(node);
            for (const QByteArray& range : map.split('|')) {
                const QByteArrayList bounds = range.trimmed().split(':');
                const int slot = redis::keySlot(key), first = bounds[0].split('-')[0].toInt(),
                          last = bounds[0].split('-')[1].toInt();
                const QByteArrayList nodes = bounds[1].trimmed().split(' ');
                if (slot < first || slot > last || !nodes.contains(QByteArray::number(node))) continue;
                const int master = nodes.first().toInt();
                return ask(master, 0, {"SET", key.first(3) + "mark", "m"}) && ask(master, 0, {"WAIT", "1", "2000"}) &&
                       ask(node, kClients, {"READONLY"}) && ask(node, kClients, {"GET", key}) &&
                       ask(node, kClients, {"EXISTS", key, keyBeside(key)}) && ask(node, kClients, {"SET", key, "w"}) &&
                       ask(node, kClients, {"EVAL", kCompareAndDelete, "1", key, "none"}) &&
                       ask(node, kClients, {"READWRITE"}) && ask(node, kClients, {"GET", key});
            }
        }
        return true;
    }
    bool commands() {
        for (int i = 0; i < kCommands; ++i)
            if (!command()) return false;
        return sameMaps();
    }
    bool sameMaps() {
        for (const int node : m_alive) {
            const QByteArray real = m_real.map(node), simulated = m_simulated.map(node);
            if (real != simulated)
                return differ("node " + QByteArray::number(node) + " tells " + real + "\n     simulated " + simulated);
        }
        return true;
    }
    bool settle(const QByteArray& after) {
        for (ClusterGroup* const group :
             {static_cast<ClusterGroup*>(&m_real), static_cast<ClusterGroup*>(&m_simulated)})
            if (!group->waitUntil([&] { return group->agree(m_alive); }, kPatience))
                return differ((group == &m_real ? "the real nodes do not agree after " : "simulated nodes: after ") +
                              after + ": " + group->map(*m_alive.begin()));
        m_history.note(after + "; all agree: " + m_real.map(*m_alive.begin()));
        return sameMaps();
    }

    /// Key by key, with commands between.
    bool moveSlot() {
        const QByteArray tag = kTags[m_random.below(kTags.size())];
        const QByteArray slot = QByteArray::number(redis::keySlot(tag));
        const auto owner = ask(*m_alive.begin(), 0, {"GET", tag + '0'});
        if (!owner) return false;
        const int from = owner->startsWith("-MOVED") ? owner->split(' ').last().toInt() : *m_alive.begin();
        int to = from;
        while (to == from)
            to = anyMaster();
        const auto set = [&](int node, const QByteArray& how, int other) {
            const Args real{"CLUSTER", "SETSLOT", slot, how, m_real.id(other)};
            const Args simulated{"CLUSTER", "SETSLOT", slot, how, m_simulated.id(other)};
            const QByteArray a = m_real.plain(m_real.askOnce(node, real));
            const QByteArray b = m_simulated.plain(m_simulated.askOnce(node, simulated));
            m_history.note("node " + QByteArray::number(node) + ": SETSLOT " + slot + ' ' + how + " node " +
                           QByteArray::number(other) + ": " + a);
            return a == b || differ("     simulated " + b);
        };
        if (!set(to, "IMPORTING", from) || !set(from, "MIGRATING", to)) return false;
        for (int key = 0; key < kKeysOfTag; ++key) {
            for (int i = 0; i < 40; ++i) {
                const QByteArray one = tag + QByteArray::number(int(m_random.below(kKeysOfTag)));
                if (!askAndFollow(m_random.chance(3) ? to : from, int(m_random.below(kClients)), anyCommand(one)))
                    return false;
            }
            if (!moveKey(tag + QByteArray::number(key), from, to)) return false;
        }
        // A client may have made keys again that have moved, and marks lie beside.
        for (const char* end : {"0", "1", "2", "mark"})
            if (!moveKey(tag + end, from, to)) return false;
        if (!set(to, "NODE", to) || !set(from, "NODE", to)) return false;
        return settle("slot " + slot + " moved");
    }
    bool moveKey(const QByteArray& key, int from, int to) {
        const auto type = ask(from, 0, {"TYPE", key});
        if (!type) return false;
        if (!type->startsWith('+') || *type == "+none") return true;
        const bool isHash = *type == "+hash";
        const auto value = isHash ? ask(from, 0, {"HGET", key, "f"}) : ask(from, 0, {"GET", key});
        if (!value || value->size() < 2) return value.has_value();
        const QByteArray content = value->sliced(1).chopped(1); // its quotes
        const Args copy = isHash ? Args{"HSET", key, "f", content} : Args{"SET", key, content};
        return ask(to, 0, {"ASKING"}) && ask(to, 0, copy) && ask(from, 0, {"DEL", key});
    }

    bool lose(int master, bool dies) {
        for (ClusterGroup* const group :
             {static_cast<ClusterGroup*>(&m_real), static_cast<ClusterGroup*>(&m_simulated)}) {
            if (dies)
                group->kill(master);
            else
                group->pause(master);
        }
        m_alive.erase(master);
        return settle("node " + QByteArray::number(master) + (dies ? " died" : " stopped"));
    }
    bool comeBack(int node, bool died) {
        for (ClusterGroup* const group :
             {static_cast<ClusterGroup*>(&m_real), static_cast<ClusterGroup*>(&m_simulated)}) {
            if (died)
                group->restart(node);
            else
                group->resume(node);
        }
        m_alive.insert(node);
        if (!settle("node " + QByteArray::number(node) + " is back")) return false;
        connect(node);
        return true;
    }

    RealCluster& m_real;
    SimulatedCluster& m_simulated;
    Dice m_random;
    std::set<int> m_alive;
    std::map<int, std::vector<Session>> m_sessions; ///< by node
    int m_operations = 0;
    std::map<QByteArray, int> m_words;
    History m_history{kHistory};
};

} // namespace

class TestRedisClusterDifferential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clientsAreToldTheSame() {
        Campaign campaign("cluster", 20'000);
        std::map<QByteArray, int> words;
        for (std::uint64_t seed = campaign.firstSeed(); !campaign.isOver(); ++seed) {
            RealCluster real;
            VERIFY_EMPTY(real.start());
            real.notePorts();
            SimulatedCluster simulated(seed);
            Pair pair(real, simulated, seed);
            if (!pair.play()) QFAIL(qPrintable(campaign.difference(seed, pair.operations(), pair.history())));
            for (const auto& [word, count] : pair.words())
                words[word] += count;
            campaign.did(pair.operations(), seed);
        }
        qInfo("%lld commands in %lld ms", static_cast<long long>(campaign.done()),
              static_cast<long long>(campaign.elapsed()));
        if (!campaign.isRepresentative()) return;
        for (const char* word : {"+OK", "nil", ":1", "-MOVED", "-ASK", "-TRYAGAIN", "-CROSSSLOT", "-EXECABORT"})
            QVERIFY2(words[word] > 0, word); // each kind of answer must have occurred
    }
};

QTEST_GUILESS_MAIN(TestRedisClusterDifferential)
#include "tst_redis_cluster_differential.moc"
