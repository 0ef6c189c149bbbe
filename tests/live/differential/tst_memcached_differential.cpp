// SPDX-License-Identifier: Apache-2.0
// The simulated memcached against a real one: the same random commands of two clients, between the same ticks of the
// servers' clocks, get the same answers, numbers of items included. SEED=n begins with another seed, OPERATIONS=n runs
// that many commands.
#include "campaign.h"
#include "memcached_group.h"
#include "memcached_sides.h"
#include "sandbox/memcached_server.h"
#include "support/live.h"

using namespace lockscope;
using namespace lockscope::differential;
using sim::MemcachedCommand;
using tests::MemcachedGroup;
using Kind = MemcachedCommand::Kind;

namespace {

constexpr int kOperations = 24'000, kInSeed = 12'000, kClients = 2, kMostInPacket = 8, kPacketsInRound = 700;
constexpr std::size_t kHistory = 30;
constexpr std::int64_t kFlushesApart = 4; ///< seconds
/// So long after a tick both servers are still in its second.
constexpr qint64 kRealRound = 700; ///< ms
constexpr Nanos kSimulatedRound = 700ms;

class Pair {
public:
    Pair(std::uint16_t port, std::uint64_t seed) : m_group(1, {}, seed), m_random(seed) {
        for (int i = 0; i < kClients; ++i) {
            m_real.push_back(std::make_unique<RealMemcached>(port));
            m_simulated.push_back(&m_group.client(QByteArray(1, char('A' + i))));
        }
        begin();
    }
    /// Both clocks tick, as often; then commands until the second may be over. False at the first difference.
    bool round() {
        const int ticks = m_random.chance(4) ? 2 : 1;
        const std::int64_t before = look();
        while (look() < before + ticks) {
        }
        m_second = look();
        if (m_second != before + ticks) return begin(); // this process was not on a processor
        m_group.tick(ticks);
        QElapsedTimer inReal;
        inReal.start();
        const Nanos inSimulated = m_group.scheduler.now();
        for (int packets = 0; packets < kPacketsInRound; ++packets) {
            if (inReal.elapsed() > kRealRound || m_group.scheduler.now() - inSimulated > kSimulatedRound) break;
            if (!packet()) return false;
            if (m_lost) return begin();
        }
        ++m_rounds;
        return true;
    }
    int operations() const { return m_operations; }
    int rounds() const { return m_rounds; }
    const std::map<QByteArray, int>& words() const { return m_words; }
    QByteArray history() const { return m_history.text(); }

private:
    std::int64_t look() {
        m_real[0]->tell({});
        return m_real[0]->uptime();
    }
    /// Both have nothing, and the numbers that they count on from are known.
    bool begin() {
        m_lost = false;
        const std::vector<MemcachedCommand> mark{{.kind = Kind::Flush},
                                                 {.kind = Kind::Set, .key = "mark", .value = "m"},
                                                 {.kind = Kind::Get, .key = "mark"},
                                                 {.kind = Kind::Flush}};
        const auto numberIn = [](const QByteArrayList& lines) { return lines[2].split(' ').last().toLongLong(); };
        m_ahead = numberIn(m_real[0]->tell(mark)) - numberIn(m_group.tell(*m_simulated[0], mark));
        return true;
    }
    /// The answer with the real server's number of an item.
    QByteArray withRealNumber(const QByteArray& line) const {
        if (!line.startsWith("VALUE ")) return line;
        const qsizetype space = line.lastIndexOf(' ');
        return line.first(space + 1) + QByteArray::number(line.sliced(space + 1).toLongLong() + m_ahead);
    }
    bool packet() {
        const auto client = std::size_t(m_random.below(kClients));
        std::vector<MemcachedCommand> real, simulated;
        for (std::uint64_t size = 1 + m_random.below(kMostInPacket); size > 0; --size) {
            RandomItems::Drawn drawn = m_random.next();
            // An announced flush brings back what another one has hidden, if nobody has asked for it yet: see
            // SIMPLIFICATIONS.md.
            if (drawn.command.kind == Kind::Flush && drawn.command.expiry > 0) {
                if (m_second < m_noFlushUntil) drawn.command.expiry = 0;
                m_noFlushUntil = std::max(m_noFlushUntil, m_second + kFlushesApart);
            }
            real.push_back(drawn.command);
            simulated.push_back(drawn.command);
            if (drawn.date) {
                real.back().expiry = m_real[0]->date() + *drawn.date;
                simulated.back().expiry = m_group.at().date() + *drawn.date;
            }
            if (drawn.command.kind == Kind::CompareAndSet)
                simulated.back().unique = std::uint64_t(std::int64_t(drawn.command.unique) - m_ahead);
            if (drawn.command.kind == Kind::Flush) break; // so that what it has hidden is asked for
        }
        if (real.back().kind == Kind::Flush) {
            for (const QByteArray& key : RandomItems::keys()) {
                real.push_back({.kind = Kind::Get, .key = key});
                simulated.push_back({.kind = Kind::Get, .key = key});
            }
        }
        const QByteArrayList a = m_real[client]->tell(real), b = m_group.tell(*m_simulated[client], simulated);
        m_lost = m_real[client]->uptime() != m_second; // the clock has ticked: who knows between which commands
        if (m_lost) return true;
        for (qsizetype i = 0; i < a.size(); ++i) {
            ++m_operations;
            ++m_words[a[i].split(' ').first()];
            const QByteArray expected = withRealNumber(b.value(i));
            m_history.note(QByteArray(1, char('A' + client)) + ' ' + real[std::size_t(i)].text() + ": " + a[i]);
            if (a[i].startsWith("VALUE ")) m_random.seen(a[i].split(' ').last().toULongLong());
            if (a[i] == expected) continue;
            m_history.note("     simulated " + expected);
            return false;
        }
        return true;
    }

    MemcachedGroup m_group;
    RandomItems m_random;
    std::vector<std::unique_ptr<RealMemcached>> m_real;
    std::vector<MemcachedGroup::Process*> m_simulated;
    std::int64_t m_second = 0; ///< the real clock's
    std::int64_t m_noFlushUntil = 0;
    std::int64_t m_ahead = 0; ///< by so much the real server's numbers are above the simulated one's
    bool m_lost = false;
    int m_operations = 0, m_rounds = 0;
    std::map<QByteArray, int> m_words;
    History m_history{kHistory};
};

} // namespace

class TestMemcachedDifferential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomCommandsGetTheSameAnswers() {
        Campaign campaign("memcached", kOperations);
        int rounds = 0;
        std::map<QByteArray, int> words;
        for (std::uint64_t seed = campaign.firstSeed(); !campaign.isOver(); ++seed) { // each has a fresh server
            sandbox::MemcachedServer server(m_runtime);
            const auto started = test::run(server.start());
            QVERIFY2(started.has_value(), qPrintable(started ? QString() : started.error()));
            Pair pair(server.port(), seed);
            while (pair.operations() < kInSeed) {
                if (!pair.round()) QFAIL(qPrintable(campaign.difference(seed, pair.operations(), pair.history())));
            }
            campaign.did(pair.operations(), seed);
            rounds += pair.rounds();
            for (const auto& [word, count] : pair.words())
                words[word] += count;
        }
        const qint64 done = campaign.done();
        qInfo("%lld commands in %d seconds of the servers' clocks, in %lld ms", static_cast<long long>(done), rounds,
              static_cast<long long>(campaign.elapsed()));
        if (!campaign.isRepresentative()) return;
        for (const char* word : {"STORED", "NOT_STORED", "EXISTS", "NOT_FOUND", "DELETED", "TOUCHED", "OK", "VALUE"})
            QVERIFY2(words[word] > done / 1000, word); // enough of each kind must have occurred
        QVERIFY(rounds > 5);
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestMemcachedDifferential)
#include "tst_memcached_differential.moc"
