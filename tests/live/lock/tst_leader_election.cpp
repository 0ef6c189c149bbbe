// SPDX-License-Identifier: Apache-2.0
// Elections with real contention: threads of one program, and processes that are killed and frozen.
#include "every_recipe/grounds.h"

#include <QProcess>
#include <atomic>
#include <lockscope/blocking.h>
#include <mutex>
#include <thread>

#include <signal.h>

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// Long enough for a busy machine to renew it in time.
LockOptions options(const char* recipe = "") {
    LockOptions options = blocking::LeaderElection::defaults();
    options.recipe = recipe;
    options.lease = 20s;
    options.watchdog = 2s;
    return options;
}

/// odd_program as a candidate: says on its standard output when it is elected and deposed.
class Candidate {
public:
    Candidate(const QString& url, const QString& name) {
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(QStringLiteral(LOCKSCOPE_ODD_PROGRAM), {QStringLiteral("candidate"), url, name});
    }
    ~Candidate() {
        if (m_process.state() == QProcess::NotRunning) return;
        signal(SIGCONT);
        m_process.kill();
        m_process.waitForFinished();
    }
    Candidate(const Candidate&) = delete;
    Candidate& operator=(const Candidate&) = delete;
    /// As far as it has said.
    bool leads() {
        m_said += m_process.readAll();
        return m_said.count("elected") > m_said.count("deposed");
    }
    bool wasDeposed() {
        leads();
        return m_said.contains("deposed");
    }
    /// Its latest term; 0: none.
    std::int64_t term() {
        leads();
        const qsizetype at = m_said.lastIndexOf("elected ");
        return at < 0 ? 0 : m_said.mid(at + 8).split('\n').front().toLongLong();
    }
    void signal(int which) const { ::kill(pid_t(m_process.processId()), which); }
    const QByteArray& said() const { return m_said; }

private:
    QProcess m_process;
    QByteArray m_said;
};
} // namespace

class TestLeaderElection : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    Grounds m_grounds{m_runtime};

    QString urlOf(const QByteArray& kind) { return m_grounds.urlOf(kind); }
    static void onBoth() {
        QTest::addColumn<QByteArray>("ground");
        for (const char* ground : {"redis", "zookeeper", "etcd"})
            QTest::newRow(ground) << QByteArray(ground);
    }

private Q_SLOTS:
    void cleanupTestCase() { m_grounds.endAll(); }

    void oneLeadsAtATime_data() { onBoth(); }
    /// Candidates that resign as soon as they lead, and campaign again.
    void oneLeadsAtATime() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground).toStdString();
        QVERIFY(!url.empty());
        constexpr int kCandidates = 4, kTerms = 6;
        std::atomic<int> leading = 0, clashes = 0, elected = 0, deposed = 0, back = 0;
        std::atomic<std::int64_t> last = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < kCandidates; ++i) {
                threads.emplace_back([&] {
                    blocking::Client client(url);
                    blocking::LeaderElection election(client, "turns", options());
                    election.onElected([&](std::int64_t term) {
                        if (++leading > 1) ++clashes;
                        if (last.exchange(term) >= term) ++back;
                        ++elected;
                    });
                    election.onDeposed([&](const std::string&) {
                        --leading;
                        ++deposed;
                    });
                    for (int term = 0; term < kTerms; ++term) {
                        election.campaign();
                        if (!election.waitUntilLeader(60s)) return;
                        const auto leader = election.leader();
                        if (!election.isLeader() || !leader || leader->token.value_or(0) != election.term()) ++clashes;
                        election.resign();
                        if (election.isLeader() || election.term() != 0) ++clashes;
                    }
                });
            }
        }
        QCOMPARE(clashes.load(), 0);
        QCOMPARE(back.load(), 0); // terms grow
        QCOMPARE(elected.load(), kCandidates * kTerms);
        QCOMPARE(deposed.load(), kCandidates * kTerms);
    }

    void anotherProcessLeadsWhenTheLeaderDies_data() { onBoth(); }
    void anotherProcessLeadsWhenTheLeaderDies() {
        QFETCH(QByteArray, ground);
        QString url = urlOf(ground);
        QVERIFY(!url.isEmpty());
        if (ground == "zookeeper") url += QStringLiteral("?session=5s"); // 30 s is the usual one
        const QString name = QStringLiteral("deaths");
        std::vector<std::unique_ptr<Candidate>> candidates;
        for (int i = 0; i < 4; ++i)
            candidates.push_back(std::make_unique<Candidate>(url, name));
        std::int64_t before = 0;
        while (candidates.size() > 1) {
            const auto leader = [&] {
                return std::ranges::find_if(candidates, [](auto& one) { return one->leads(); });
            };
            QByteArray said;
            const bool led = soon([&] { return leader() != candidates.end(); });
            for (const auto& one : candidates)
                said += "[" + one->said() + "] ";
            QVERIFY2(led, said);
            QCOMPARE(std::ranges::count_if(candidates, [](auto& one) { return one->leads(); }), 1);
            const auto found = leader();
            QVERIFY2((*found)->term() > before, (*found)->said());
            before = (*found)->term();
            (*found)->signal(SIGKILL);
            candidates.erase(found);
        }
        QVERIFY(soon([&] { return candidates.front()->leads(); }));
        QVERIFY(candidates.front()->term() > before);
    }

    void aFrozenLeaderIsDeposedWhenItWakes() {
        const QString url = urlOf("redis");
        QVERIFY(!url.isEmpty());
        const QString name = QStringLiteral("freezes");
        Candidate first(url, name);
        QVERIFY(soon([&] { return first.leads(); }));
        Candidate second(url, name);
        first.signal(SIGSTOP);
        QVERIFY(soon([&] { return second.leads(); })); // after the first one's lease
        first.signal(SIGCONT);
        QVERIFY2(soon([&] { return first.wasDeposed(); }), first.said());
        QVERIFY(!first.leads() && second.leads());
        QVERIFY(second.term() > first.term());
    }

    void aLossIsToldAndFollowedByAnotherCampaign() {
        const std::string url = urlOf("redis").toStdString();
        QVERIFY(!url.empty());
        blocking::Client client(url), other(url);
        blocking::LeaderElection election(client, "taken", options());
        std::mutex guard;
        std::vector<std::string> reasons;
        election.onDeposed([&](const std::string& reason) {
            const std::lock_guard held(guard);
            reasons.push_back(reason);
        });
        QVERIFY(!election.leadership().stop_possible() && !election.leader());
        election.campaign();
        election.campaign(); // it does already
        QVERIFY(election.waitUntilLeader(20s));
        const std::int64_t term = election.term();
        const std::stop_token leadership = election.leadership();
        QVERIFY(term > 0 && !leadership.stop_requested());
        QCOMPARE(election.leader()->client, client.identity());
        blocking::Mutex same(other, "taken", options());
        QVERIFY(same.forceUnlock());
        QVERIFY(soon([&] { return leadership.stop_requested(); }));
        QVERIFY(soon([&] { return election.term() > term; }));
        election.resign();
        QVERIFY(!same.isLocked());
        const std::lock_guard held(guard);
        QCOMPARE(reasons.size(), std::size_t(2));
        QVERIFY(!reasons[0].empty() && reasons[1].empty());
    }

    void aCandidateMayResignInItsCallback() {
        const std::string url = urlOf("redis").toStdString();
        QVERIFY(!url.empty());
        blocking::Client client(url);
        blocking::LeaderElection election(client, "brief", options());
        std::atomic<int> elected = 0, deposed = 0;
        election.onElected([&](std::int64_t) {
            ++elected;
            election.resign();
        });
        election.onDeposed([&](const std::string&) { ++deposed; });
        election.campaign();
        QVERIFY(soon([&] { return deposed == 1; }));
        election.campaign(); // and may campaign again
        QVERIFY(soon([&] { return deposed == 2; }));
        QCOMPARE(elected.load(), 2);
    }

    void whatCannotElectIsRefused() {
        const std::string url = urlOf("redis").toStdString();
        QVERIFY(!url.empty());
        blocking::Client client(url);
        LockOptions unwatched = options();
        unwatched.watchdog = 0s;
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::LeaderElection(client, "no", unwatched));
        QVERIFY_THROWS_EXCEPTION(NotSupportedException,
                                 blocking::LeaderElection(client, "no", options("redis-semaphore")));
        blocking::LeaderElection election(client, "closed", options());
        QVERIFY(!election.waitUntilLeader(10ms));
        election.campaign();
        QVERIFY(election.waitUntilLeader(20s));
        const std::stop_token leadership = election.leadership();
        client.close();
        QVERIFY(soon([&] { return leadership.stop_requested(); }));
        QVERIFY(!election.isLeader());
        election.resign();
        QVERIFY_THROWS_EXCEPTION(UnreachableException, election.campaign());
    }
};

QTEST_GUILESS_MAIN(TestLeaderElection)
#include "tst_leader_election.moc"
