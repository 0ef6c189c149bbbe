// SPDX-License-Identifier: Apache-2.0
// The simulated database against real ones, MariaDB, PostgreSQL and SQLite: the same random verbs of several clients
// over the port of each get the same answers, the same clients wait, and the rows are the same. Many pairs go at once
// on one real server, since what takes time is to see that an answer does not come. SEED=n begins with another seed,
// OPERATIONS=n runs that many verbs.
#include "campaign.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/postgres_server.h"
#include "sql_pair.h"

#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::differential;
using sql::Dialect;

namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr qint64 kOperations = 3000; // a sanitizer makes the models slow, and there are many
#else
constexpr qint64 kOperations = 20'000;
#endif
constexpr int kPairs = 16, kInRound = 60, kRounds = 22;
/// In each so many steps there is one that waits until leases are over.
constexpr int kStepsPerShortLease = 20;
/// An answer that the real server owes must come by then; one that it does not owe must not come so soon.
constexpr auto kPatience = 20s;
constexpr auto kQuiet = 15ms;
/// After a short lease.
constexpr auto kLeaseOver = 250ms;

/// So many differences may be chance: see comesAgain().
constexpr int kChances = 5;

void wait(std::chrono::milliseconds time) {
    test::comesTrue([] { return false; }, time);
}

/// Pairs that take each step together.
class Crowd {
public:
    /// `urlOf`: the real database of a seed's pair.
    template <typename UrlOf>
    Crowd(UrlOf urlOf, Dialect dialect, std::uint64_t firstSeed, EventLoopRuntime& runtime, int pairs = kPairs)
        : m_firstSeed(firstSeed) {
        for (std::uint64_t i = 0; i < std::uint64_t(pairs); ++i)
            m_pairs.push_back(std::make_unique<SqlPair>(urlOf(firstSeed + i), dialect, firstSeed + i, runtime));
    }
    ~Crowd() { endRound(); }

    QString prepare() {
        for (const auto& pair : m_pairs) {
            const auto done = test::run(pair->real().prepare());
            if (!done) return done.error().message;
        }
        for (const auto& pair : m_pairs)
            for (const auto& look : pair->warmUp())
                if (!test::ends(look, kPatience)) return QStringLiteral("a client does not reach the real server");
        return {};
    }
    /// False at the first difference.
    bool round() {
        for (int i = 0; i < kInRound; ++i)
            if (!step(i % kStepsPerShortLease == 0 ? SqlPair::Pace::ShortLeases : SqlPair::Pace::Usual)) return false;
        endRound();
        return true;
    }
    /// All clients end their connections, with what they have on the servers.
    void endRound() {
        for (const auto& pair : m_pairs)
            pair->letGo();
        test::comesTrue([this] { return !any(&SqlPair::isBusy); }, kPatience);
        for (const auto& pair : m_pairs)
            pair->nextRound();
        wait(20ms); // real connections end by themselves
    }
    const std::vector<std::unique_ptr<SqlPair>>& pairs() const { return m_pairs; }
    qint64 operations() const {
        qint64 all = 0;
        for (const auto& pair : m_pairs)
            all += pair->operations();
        return all;
    }
    /// The pair that the first difference was seen in, and its seed.
    std::pair<std::uint64_t, const SqlPair*> different() const {
        return {m_firstSeed + m_different, m_pairs[m_different].get()};
    }

private:
    template <typename F>
    bool each(F f) {
        for (m_different = 0; m_different < m_pairs.size(); ++m_different)
            if (!f(*m_pairs[m_different])) return false;
        return true;
    }
    bool any(bool (SqlPair::*is)() const) const {
        return std::ranges::any_of(m_pairs, [is](const auto& pair) { return (*pair.*is)(); });
    }
    bool step(SqlPair::Pace pace) {
        QElapsedTimer took;
        took.start();
        for (const auto& pair : m_pairs)
            pair->begin(pace);
        // Waits have limits of time, which one side may reach first.
        do {
            test::comesTrue([this] { return !any(&SqlPair::owes); }, kPatience);
            if (any(&SqlPair::waits)) wait(kQuiet);
            for (const auto& pair : m_pairs) {
                pair->catchUp(std::chrono::milliseconds(took.elapsed()));
                pair->reachReal();
            }
        } while (any(&SqlPair::owes) && std::chrono::milliseconds(took.elapsed()) < kPatience);
        if (!each([](SqlPair& pair) { return pair.compareAnswers(); })) return false;
        if (pace == SqlPair::Pace::ShortLeases) wait(kLeaseOver);
        for (const auto& pair : m_pairs) {
            pair->catchUp(std::chrono::milliseconds(took.elapsed()));
            pair->beginLooks();
        }
        test::comesTrue([this] { return !any(&SqlPair::isLooking); }, kPatience);
        if (!each([](SqlPair& pair) { return pair.compareRows(); })) return false;
        for (const auto& pair : m_pairs)
            pair->catchUp(std::chrono::milliseconds(took.elapsed()));
        return true;
    }

    std::uint64_t m_firstSeed;
    std::vector<std::unique_ptr<SqlPair>> m_pairs;
    std::size_t m_different = 0;
};

/// Whether a pair differs each time that it has the real server for itself. The order in which two requests reach a
/// busy server is chance, and the model knows one: such a difference does not come again and again, one of rules does.
template <typename UrlOf>
bool comesAgain(UrlOf urlOf, Dialect dialect, std::uint64_t seed, qint64 operations, EventLoopRuntime& runtime) {
    constexpr int kTimes = 3; // on a machine that is busy with something else, chance may strike twice
    for (int time = 0; time < kTimes; ++time) {
        const auto fresh = [&](std::uint64_t of) { return urlOf(of, time); }; // an empty table each time
        Crowd alone(fresh, dialect, seed, runtime, 1);
        if (!alone.prepare().isEmpty()) return true;
        bool equal = true;
        while (equal && alone.operations() < operations)
            equal = alone.round();
        if (equal) return false;
    }
    return true;
}

} // namespace

class TestSqlDifferential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomVerbsGetTheSameAnswers_data() {
        QTest::addColumn<Dialect>("dialect");
        QTest::addColumn<QByteArray>("kind");
        QTest::addRow("mariadb") << Dialect::MySql << QByteArray("mariadb");
        QTest::addRow("postgresql") << Dialect::PostgreSql << QByteArray("postgresql");
        QTest::addRow("sqlite") << Dialect::Sqlite << QByteArray("sqlite");
    }
    void randomVerbsGetTheSameAnswers() {
        QFETCH(Dialect, dialect);
        QFETCH(QByteArray, kind);
        sandbox::SqlServerOptions options; // with room for the connections of all pairs
        std::unique_ptr<sandbox::SqlServer> server;
        if (dialect == Dialect::PostgreSql) {
            options.extraArguments = {QStringLiteral("-c"), QStringLiteral("max_connections=200")};
            server = std::make_unique<sandbox::PostgresServer>(m_runtime, options);
        } else if (dialect == Dialect::MySql) {
            options.extraArguments = {QStringLiteral("--max-connections=300")};
            server = std::make_unique<sandbox::MariaDbServer>(m_runtime, options);
        }
        if (server) VERIFY_STARTED(*server);
        const auto placeOf = [&](const QString& name) -> QString {
            if (!server) return QStringLiteral("sqlite://%1/%2.db").arg(m_files.path(), name);
            // A table each: InnoDB's locks on gaps between rows would let one pair wait for its neighbour, which takes
            // its next step only with all others.
            const QString url = server->url();
            return url + (url.contains(u'?') ? u'&' : u'?') + QStringLiteral("table=") + name;
        };
        const auto urlOf = [&](std::uint64_t seed) { return placeOf(QStringLiteral("pair_%1").arg(seed)); };
        const auto aloneUrlOf = [&](std::uint64_t seed, int time) {
            return placeOf(QStringLiteral("alone_%1_%2").arg(seed).arg(time));
        };
        Campaign campaign(kind.constData(), kOperations);
        std::map<QByteArray, int> words;
        int waits = 0, chances = 0;
        for (std::uint64_t seed = campaign.firstSeed(); !campaign.isOver(); seed += kPairs) {
            Crowd crowd(urlOf, dialect, seed, m_runtime);
            VERIFY_EMPTY(crowd.prepare());
            for (int round = 0; round < kRounds && !campaign.isOver(); ++round) {
                const qint64 before = crowd.operations();
                const bool equal = crowd.round();
                if (!equal) {
                    const auto [which, pair] = crowd.different();
                    const QString told = campaign.difference(which, pair->operations(), pair->history());
                    crowd.endRound(); // a named lock that it has would be in the way: names are the whole server's
                    const bool isChance =
                        ++chances <= kChances && !comesAgain(aloneUrlOf, dialect, which, pair->operations(), m_runtime);
                    QVERIFY2(isChance, qPrintable(told));
                    qInfo("a difference that does not come again: %s", qPrintable(told));
                }
                campaign.did(crowd.operations() - before, seed);
                if (!equal) break;
            }
            for (const auto& pair : crowd.pairs()) {
                for (const auto& [word, count] : pair->words())
                    words[word] += count;
                waits += pair->waitsSeen();
            }
        }
        qInfo("%lld verbs, %d with somebody waiting, in %lld ms", static_cast<long long>(campaign.done()), waits,
              static_cast<long long>(campaign.elapsed()));
        if (!campaign.isRepresentative()) return;
        // Each kind of answer must have occurred.
        std::vector<const char*> kinds{"yes", "no", "done", "extended"};
        const bool isServer = server != nullptr;
        if (isServer) kinds.insert(kinds.end(), {"row", "wait-exceeded", "stopped", "closed", "locked"});
        for (const char* word : kinds)
            QVERIFY2(words[word] > 0, word);
        if (isServer) QVERIFY(waits > campaign.done() / 10);
    }

private:
    QTemporaryDir m_files; ///< SQLite's, which their threads close a moment after their last user is gone
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestSqlDifferential)
#include "tst_sql_differential.moc"
