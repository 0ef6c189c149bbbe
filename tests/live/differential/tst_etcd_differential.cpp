// SPDX-License-Identifier: Apache-2.0
// The simulated etcd against a real one: the same random requests of several clients get the same answers, revisions
// included, and a watch of each hears the same changes. SEED=n begins with another seed, OPERATIONS=n sends that many
// requests.
#include "campaign.h"
#include "etcd_group.h"
#include "etcd_sides.h"
#include "sandbox/etcd_server.h"
#include "support/live.h"

using namespace lockscope;
using namespace lockscope::differential;
using tests::EtcdGroup;

namespace {

constexpr int kOperations = 20'400, kInSeed = 6800, kClients = 3, kBetweenLooks = 400;
constexpr std::size_t kHistory = 25;

class Pair {
public:
    Pair(std::uint16_t port, std::uint64_t seed) : m_random(seed), m_watch(port) {
        for (int i = 0; i < kClients; ++i)
            m_real.push_back(std::make_unique<RealEtcd>(port));
        sim::EtcdRequest all = EtcdGroup::watch("a", 0, "z");
        m_watch.watch(all);
        m_watch.next(); // its confirmation
        m_simulatedWatch = m_simulated.begin(m_simulated.at(0), all);
        m_simulated.run(5ms);
    }
    /// One client asks; false at the first difference.
    bool turn() {
        const auto client = std::size_t(m_random.below(kClients));
        const sim::EtcdRequest request = m_random.next();
        const sim::EtcdReply real = m_real[client]->ask(request);
        const auto simulated = m_simulated.tell(m_simulated.at(0), request).reply;
        ++m_operations;
        m_refusals += real.ok() ? 0 : 1;
        m_random.reached(real.revision);
        return same(QByteArray(1, char('A' + client)) + ' ' + request.text(), shown(request, real),
                    simulated ? shown(request, *simulated) : QByteArray("(ended)"));
    }
    /// Compares what the watches have heard.
    bool look() {
        m_real[0]->ask(EtcdGroup::put("mark"));
        m_simulated.tell(m_simulated.at(0), EtcdGroup::put("mark"));
        m_simulated.run(5ms);
        for (bool marked = false; !marked; ++m_heard) {
            const etcd::codec::WatchLine line = m_watch.next();
            if (line.events.empty()) return same("watch", "(ended)", "");
            const etcd::WatchEvent& last = line.events.back();
            marked = last.kind == etcd::WatchEvent::Kind::Put && last.key.key == "mark";
            const auto& news = m_simulatedWatch->news;
            const std::size_t at = std::size_t(m_heard) + 1; // after its confirmation
            const QByteArray simulated =
                at < news.size() ? shown(news[at].revision, news[at].events) : QByteArray("(nothing)");
            if (!same("watch", shown(line.revision, line.events), simulated)) return false;
        }
        return same("watch", QByteArray::number(m_heard), QByteArray::number(m_simulatedWatch->news.size() - 1));
    }
    int operations() const { return m_operations; }
    int refusals() const { return m_refusals; }
    int heard() const { return m_heard; }
    QByteArray history() const { return m_history.text(); }

private:
    bool same(const QByteArray& what, const QByteArray& real, const QByteArray& simulated) {
        m_history.note(what + ": " + real);
        if (real == simulated) return true;
        m_history.note("     simulated " + simulated);
        return false;
    }
    RandomKeys m_random;
    RealEtcd m_watch;
    std::vector<std::unique_ptr<RealEtcd>> m_real;
    EtcdGroup m_simulated;
    std::shared_ptr<EtcdGroup::Exchange> m_simulatedWatch;
    int m_operations = 0, m_refusals = 0, m_heard = 0;
    History m_history{kHistory};
};

} // namespace

class TestEtcdDifferential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomRequestsGetTheSameAnswers() {
        Campaign campaign("etcd", kOperations);
        qint64 refusals = 0, heard = 0;
        for (std::uint64_t seed = campaign.firstSeed(); !campaign.isOver(); ++seed) { // each has a fresh server
            sandbox::EtcdServer server(m_runtime);
            const auto started = test::run(server.start());
            QVERIFY2(started.has_value(), qPrintable(started ? QString() : started.error()));
            Pair pair(server.port(), seed);
            bool same = true;
            while (same && pair.operations() < kInSeed)
                same = pair.turn() && (pair.operations() % kBetweenLooks != 0 || pair.look());
            if (!same) QFAIL(qPrintable(campaign.difference(seed, pair.operations(), pair.history())));
            campaign.did(pair.operations(), seed);
            refusals += pair.refusals();
            heard += pair.heard();
        }
        const qint64 done = campaign.done();
        qInfo("%lld requests, %lld refused, %lld messages of watches in %lld ms", static_cast<long long>(done),
              static_cast<long long>(refusals), static_cast<long long>(heard),
              static_cast<long long>(campaign.elapsed()));
        if (!campaign.isRepresentative()) return;
        // Enough of each kind must have occurred.
        QVERIFY(refusals > done / 30);
        QVERIFY(heard > done / 8);
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestEtcdDifferential)
#include "tst_etcd_differential.moc"
