// SPDX-License-Identifier: Apache-2.0
// Elections as coroutines: candidates of one program beside each other, and beside one that blocks.
#include "every_recipe/grounds.h"

#include <lockscope/leader_election.h>
#include <lockscope/lockscope.h>

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// Long enough for a busy machine to renew it in time.
LockOptions patient(const char* recipe = "") {
    LockOptions options = qt::LeaderElection::defaults();
    options.recipe = recipe;
    options.lease = 20s;
    options.watchdog = 2s;
    return options;
}

/// A candidate, and what it was told.
struct Candidate {
    explicit Candidate(qt::Connection& connection, int& leaders, const char* name = "leader")
        : election(connection, QLatin1String(name), patient()) {
        election.onElected([this, &leaders](std::int64_t term) {
            ++elected;
            terms.push_back(term);
            most = std::max(most, ++leaders);
        });
        election.onDeposed([this, &leaders](const QString& reason) {
            ++deposed;
            reasons.push_back(reason);
            tokenStopped = tokenStopped && leadership.stop_requested();
            --leaders;
        });
    }
    qt::LeaderElection election;
    std::stop_token leadership;
    int elected = 0, deposed = 0, most = 0;
    bool tokenStopped = true;
    std::vector<std::int64_t> terms;
    std::vector<QString> reasons;
};
} // namespace

class TestQtElections : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    Grounds m_grounds{m_runtime};

    std::unique_ptr<qt::Connection> opened(const QByteArray& ground) {
        auto connection = qt::Connection::make(m_grounds.urlOf(ground));
        if (!connection || !run((*connection)->open())) return nullptr;
        return *std::move(connection);
    }

private Q_SLOTS:
    void cleanupTestCase() { m_grounds.endAll(); }

    void oneLeadsAndAnotherFollows_data() {
        QTest::addColumn<QByteArray>("ground");
        for (const char* ground : {"redis", "zookeeper", "etcd"})
            QTest::newRow(ground) << QByteArray(ground);
    }
    void oneLeadsAndAnotherFollows() {
        QFETCH(QByteArray, ground);
        const auto here = opened(ground), there = opened(ground);
        QVERIFY(here && there);
        int leaders = 0;
        Candidate first(*here, leaders), second(*there, leaders), third(*here, leaders);
        QVERIFY(!run(first.election.leader()).value());
        QVERIFY(first.election.campaign());
        QVERIFY(first.election.campaign()); // it does already
        QVERIFY(run(first.election.waitUntilLeader(20s)).value());
        first.leadership = first.election.leadership();
        QVERIFY(first.election.isLeader() && first.election.term() == first.terms.front());
        QVERIFY(second.election.campaign());
        QVERIFY(third.election.campaign());
        QVERIFY(!run(second.election.waitUntilLeader(100ms)).value());
        const auto known = run(second.election.leader());
        QVERIFY(known && *known);
        if (ground != "etcd") QCOMPARE(QString::fromStdString((*known)->client), here->identity());

        QVERIFY(run(first.election.resign()));
        QVERIFY(first.leadership.stop_requested() && first.tokenStopped);
        QVERIFY(!first.election.isLeader() && first.election.term() == 0);
        QCOMPARE(first.reasons, std::vector{QString()});
        QTRY_COMPARE_WITH_TIMEOUT(second.elected + third.elected, 1, 20'000);
        QVERIFY(first.election.campaign()); // once more
        Candidate& leads = second.elected ? second : third;
        Candidate& waits = second.elected ? third : second;
        leads.leadership = leads.election.leadership();
        QVERIFY(run(leads.election.resign()));
        QTRY_COMPARE_WITH_TIMEOUT(waits.elected + first.elected, 2, 20'000);
        for (const Candidate* const one : {&first, &second, &third})
            QVERIFY2(one->most <= 1, "two led at once");
        QVERIFY(std::max(waits.terms.empty() ? 0 : waits.terms.back(), first.terms.back()) > leads.terms.back());
    }

    void aLossIsToldAndTheCandidateTriesAgain() {
        const auto here = opened("redis"), there = opened("redis");
        QVERIFY(here && there);
        int leaders = 0;
        Candidate first(*here, leaders, "lost-leader");
        QVERIFY(first.election.campaign());
        QVERIFY(run(first.election.waitUntilLeader(20s)).value());
        first.leadership = first.election.leadership();
        qt::Mutex seat(*there, QStringLiteral("lost-leader"));
        QVERIFY(run(seat.forceUnlock()).value());
        QTRY_COMPARE_WITH_TIMEOUT(first.elected, 2, 20'000);
        QCOMPARE(first.deposed, 1);
        QVERIFY(first.tokenStopped && !first.reasons.front().isEmpty());
        QVERIFY(first.terms[1] > first.terms[0]);
        QVERIFY(first.election.isLeader());
    }

    void aDestroyedCandidateGivesTheLeadershipBackAndSaysNothing() {
        const auto there = opened("redis");
        auto here = opened("redis");
        QVERIFY(here && there);
        int leaders = 0;
        auto first = std::make_unique<qt::LeaderElection>(*here, QStringLiteral("gone-leader"), patient());
        int told = 0;
        first->onDeposed([&](const QString&) { ++told; });
        QVERIFY(first->campaign());
        QVERIFY(run(first->waitUntilLeader(20s)).value());
        const std::stop_token term = first->leadership();
        Candidate second(*there, leaders, "gone-leader");
        QVERIFY(second.election.campaign());
        first.reset();
        here.reset(); // the candidate has kept it
        QVERIFY(term.stop_requested());
        QTRY_COMPARE_WITH_TIMEOUT(second.elected, 1, 15'000); // its lease would last longer
        QCOMPARE(told, 0);
    }

    void itMeetsCandidatesThatBlock() {
        const auto here = opened("redis");
        QVERIFY(here);
        blocking::Client client(m_grounds.urlOf("redis").toStdString());
        blocking::LeaderElection other(client, "met-leader", patient());
        other.campaign();
        QVERIFY(other.waitUntilLeader(20s));
        int leaders = 0;
        Candidate mine(*here, leaders, "met-leader");
        QVERIFY(mine.election.campaign());
        QVERIFY(!run(mine.election.waitUntilLeader(100ms)).value());
        other.resign();
        QVERIFY(run(mine.election.waitUntilLeader(20s)).value());
        std::stop_source stop;
        QVERIFY(run(mine.election.resign()));
        QTimer::singleShot(50, [&] { stop.request_stop(); });
        const auto stopped = run(mine.election.waitUntilLeader(20s, stop.get_token()));
        QVERIFY(!stopped && stopped.error().kind == ErrorKind::Interrupted);
    }

    void whatCannotElectIsRefused() {
        const auto here = opened("redis");
        QVERIFY(here);
        LockOptions unwatched = patient();
        unwatched.watchdog = 0s;
        const auto refused = qt::LeaderElection(*here, QStringLiteral("no"), unwatched).campaign();
        QVERIFY(!refused && refused.error().kind == ErrorKind::Refused);
        const auto unknown = qt::LeaderElection(*here, QStringLiteral("no"), patient("redis-no-such")).campaign();
        QVERIFY(!unknown && unknown.error().kind == ErrorKind::NotSupported);
        const auto file = opened("sqlite");
        QVERIFY(file);
        LockOptions row = patient("sql-row");
        row.allowNaive = true;
        const auto unended = qt::LeaderElection(*file, QStringLiteral("no"), row).campaign();
        QVERIFY(!unended && unended.error().kind == ErrorKind::NotSupported);
    }
};

QTEST_GUILESS_MAIN(TestQtElections)
#include "tst_qt_elections.moc"
