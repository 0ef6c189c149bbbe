// SPDX-License-Identifier: Apache-2.0
// The simulated database against real ones, MariaDB and PostgreSQL: the same random verbs of several clients over the
// port of each get the same answers, the same clients wait, and the rows are the same in the end. SEED=n begins with
// another seed, OPERATIONS=n runs that many verbs; for more than a few minutes, QTEST_FUNCTION_TIMEOUT=milliseconds as
// well.
#include "drivers/dial.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/postgres_server.h"
#include "sql_group.h"
#include "sql_sides.h"
#include "support/live.h"

#include <QElapsedTimer>
#include <deque>

using namespace lockscope;
using namespace lockscope::differential;
using tests::Dialect;
using tests::SqlGroup;
using Do = SqlOp::Do;

namespace {

constexpr int kOperations = 900, kClients = 4, kInRound = 60;
constexpr std::size_t kHistory = 40;
/// The model has answered by then whatever it does not make wait.
constexpr Nanos kModelSettles = 40ms;
/// An answer that the real server owes must come by then; one that it does not owe must not come so soon.
constexpr auto kPatience = 20s;
constexpr auto kQuiet = 25ms;
/// After a short lease.
constexpr auto kLeaseOver = 250ms;

class Pair {
public:
    Pair(const QString& realUrl, Dialect dialect, std::uint64_t seed, EventLoopRuntime& runtime)
        : m_group(dialect, seed), m_postgreSql(dialect == Dialect::PostgreSql), m_random(seed), m_runtime(runtime) {
        const auto url =
            parseConnectionUrl(realUrl + (realUrl.contains(u'?') ? u'&' : u'?') + QStringLiteral("timeout=60s"));
        const auto simulatedUrl = parseConnectionUrl(m_group.service->url() + QStringLiteral("?timeout=60s"));
        for (int i = 0; i <= kClients; ++i) { // the last one only looks
            auto& process = m_group.client(QByteArray(1, char('A' + i)));
            m_simulated.push_back(std::make_unique<SqlUser>(SqlUser{
                *process.runtime, m_group.service->diallers(process.end).sql(*process.runtime, *simulatedUrl)}));
            m_real.push_back(std::make_unique<SqlUser>(SqlUser{runtime, realDiallers().sql(runtime, *url)}));
        }
        m_clients.resize(kClients);
    }
    ~Pair() { endRound(); }

    QString prepare() {
        const auto done = test::run(m_real.front()->port->prepare());
        return done ? QString() : done.error().message;
    }
    /// Some verbs on names of their own. False at the first difference.
    bool round() {
        ++m_round;
        for (int i = 0; i < kInRound && !m_difference; ++i)
            step();
        endRound();
        return !m_difference;
    }
    int operations() const { return m_operations; }
    int waits() const { return m_waits; }
    const std::map<QByteArray, int>& words() const { return m_words; }
    QByteArray history() const { return QByteArrayList(m_history.begin(), m_history.end()).join("\n  "); }

private:
    /// A client after the verbs so far.
    struct Client {
        std::optional<SqlOp> pending{};
        bool inTransaction = false, mustRollBack = false, holdsNamed = false, ended = false;
        QByteArray highest{}; ///< of the rows that its transaction may have locked
        std::set<QByteArray> named{};
    };
    struct Seen {
        bool there = false, leased = false;
        QByteArray recipe, owner;
        std::int64_t version = 0;
    };

    std::uint64_t below(std::uint64_t bound) { return m_random() % bound; }
    bool chance(std::uint64_t of) { return below(of) == 0; }
    QByteArray name() { return "r" + QByteArray::number(m_round) + char('a' + below(3)); }
    int waitingFor(const QByteArray& name) const {
        return int(std::ranges::count_if(m_clients, [&](const Client& client) {
            return client.pending && (client.pending->name == name || client.pending->second == name);
        }));
    }
    /// More on a row, and the order among them would be a matter of luck on both sides.
    bool isCrowded(const QByteArray& name) const { return waitingFor(name) >= (m_postgreSql ? 2 : 3); }

    std::optional<SqlOp> draw(int index) {
        const Client& client = m_clients[std::size_t(index)];
        SqlOp op;
        if (client.pending) {
            if (client.pending->what == Do::ExtendTwo || !chance(12)) return std::nullopt;
            op.what = Do::Stop;
            return op;
        }
        if (client.ended) {
            op.what = Do::Close;
            return op;
        }
        if (client.mustRollBack) {
            op.what = Do::Rollback;
            return op;
        }
        op.name = name();
        op.owner = "o" + QByteArray::number(below(3));
        const auto seen = m_last.find(op.name);
        if (seen != m_last.end() && !seen->second.owner.isEmpty() && !chance(3)) op.owner = seen->second.owner;
        const std::uint64_t what = below(100);
        op.what = what < 8    ? Do::Insert
                  : what < 14 ? Do::MakeFree
                  : what < 22 ? Do::Take
                  : what < 24 ? Do::TakeShort
                  : what < 28 ? Do::Extend
                  : what < 32 ? Do::ExtendTwo
                  : what < 36 ? Do::Free
                  : what < 38 ? Do::TakeBack
                  : what < 40 ? Do::FreeByForce
                  : what < 45 ? Do::Erase
                  : what < 47 ? Do::EraseOwned
                  : what < 52 ? Do::CompareAndSet
                  : what < 56 ? Do::Raise
                  : what < 58 ? Do::RowLock
                  : what < 72 ? Do::Lock
                  : what < 76 ? Do::LockNow
                  : what < 84 ? (chance(3) ? Do::Rollback : Do::Commit)
                  : what < 90 ? Do::TakeNamed
                  : what < 92 ? Do::TryNamed
                  : what < 97 ? Do::ReleaseNamed
                  : what < 98 ? Do::EndNamedHolders
                              : Do::Close;
        // Any of several inserters that wait may be the one that inserts.
        const auto inserts = [&](const Client& one) {
            return one.pending && one.pending->what == Do::Insert && one.pending->name == op.name;
        };
        if (op.what == Do::Insert && std::ranges::any_of(m_clients, inserts)) return std::nullopt;
        if (op.what == Do::CompareAndSet) op.behind = chance(4) ? 1 : 0;
        if (op.what == Do::ExtendTwo) {
            op.second = name();
            if (op.second == op.name || isCrowded(op.second)) return std::nullopt;
        }
        const bool locks = op.what == Do::Lock || op.what == Do::LockNow;
        const bool onName = op.what == Do::TakeNamed || op.what == Do::TryNamed;
        // A circle of both kinds is found by PostgreSQL alone, and after a second.
        if ((locks && client.holdsNamed) || (onName && client.inTransaction)) return std::nullopt;
        if (onName) op.name = "n" + op.name;
        if (onName && m_postgreSql && !client.named.empty() && op.name <= *client.named.rbegin()) return std::nullopt;
        if (op.what == Do::ReleaseNamed || op.what == Do::EndNamedHolders) op.name = "n" + op.name;
        if (locks && m_postgreSql && client.inTransaction && op.name <= client.highest) return std::nullopt;
        // InnoDB locks the whole gap around a missing row, the model that row's place alone: see SIMPLIFICATIONS.md.
        const auto meets = [&](Do verb) {
            return std::ranges::any_of(m_clients, [&](const Client& one) {
                return one.pending && one.pending->what == verb && one.pending->name == op.name;
            });
        };
        const bool erases = op.what == Do::Erase || op.what == Do::EraseOwned;
        const bool mayMissIt = !m_last[op.name].there || meets(Do::Erase) || meets(Do::EraseOwned);
        if (!m_postgreSql && ((locks && mayMissIt) || (erases && meets(Do::Lock)))) return std::nullopt;
        if (isCrowded(op.name)) return std::nullopt;
        return op;
    }

    void step() {
        int index = 0;
        std::optional<SqlOp> op;
        for (int tries = 0; !op && tries < 50; ++tries) {
            index = int(below(kClients));
            op = draw(index);
        }
        if (!op) return;
        Client& client = m_clients[std::size_t(index)];
        SqlUser &model = *m_simulated[std::size_t(index)], &real = *m_real[std::size_t(index)];
        QElapsedTimer took;
        took.start();
        const Nanos begun = m_group.scheduler.now();
        ++m_operations;
        note(QByteArray(1, char('A' + index)) + ' ' + op->text());
        if (op->what == Do::Stop) {
            model.stop.request_stop();
            real.stop.request_stop();
        } else {
            client.pending = op;
            if (op->what == Do::Lock || op->what == Do::LockNow) {
                client.highest = client.inTransaction ? std::max(client.highest, op->name) : op->name;
                client.inTransaction = true;
            }
            model.begin(*op, m_last[op->name].version);
            real.begin(*op, m_lastReal[op->name].version);
        }
        m_group.run(kModelSettles);
        if (!compareAnswers()) return;
        if (op->what == Do::TakeShort) {
            wait(kLeaseOver);
            m_group.run(kLeaseOver);
        }
        for (const QByteArray& row : {op->name, op->second})
            if (!row.isEmpty() && !compareRow(row)) return;
        // Waits and leases are as old on both sides.
        const Nanos inReal = std::chrono::milliseconds(took.elapsed());
        const Nanos inModel = m_group.scheduler.now() - begun;
        if (inReal > inModel) m_group.run(inReal - inModel);
    }
    static void wait(std::chrono::milliseconds time) {
        test::comesTrue([] { return false; }, time);
    }
    /// A verb that is done in the model must be done in reality, and no other.
    bool compareAnswers() {
        std::vector<int> done;
        bool pending = false;
        for (int i = 0; i < kClients; ++i) {
            if (!m_clients[std::size_t(i)].pending) continue;
            if (m_simulated[std::size_t(i)]->busy)
                pending = true;
            else
                done.push_back(i);
        }
        const auto owes = [&] {
            return std::ranges::any_of(done, [&](int i) { return m_real[std::size_t(i)]->busy; });
        };
        test::comesTrue([&] { return !owes(); }, kPatience);
        if (pending) wait(kQuiet);
        for (int i = 0; i < kClients; ++i) {
            Client& client = m_clients[std::size_t(i)];
            if (!client.pending) continue;
            const SqlUser &model = *m_simulated[std::size_t(i)], &real = *m_real[std::size_t(i)];
            const QByteArray who(1, char('A' + i));
            if (model.busy != real.busy)
                return differ(who + (real.busy ? " waits, and should not: " + model.word
                                               : " does not wait, and should: " + real.word));
            if (model.busy) continue;
            const SqlOp op = *std::exchange(client.pending, std::nullopt);
            note("    " + who + ": " + real.word);
            ++m_words[real.word.split(' ').first()];
            follow(client, op, real.word);
            if (model.word != real.word) return differ(who + ": the model says " + model.word);
        }
        m_waits += pending;
        return true;
    }
    void follow(Client& client, const SqlOp& op, const QByteArray& word) {
        if ((op.what == Do::Erase || op.what == Do::EraseOwned) && word == "yes") m_erased.insert(op.name);
        const bool failed = word == "deadlock" || word == "stopped" || word == "wait-exceeded" || word == "interrupted";
        switch (op.what) {
        case Do::Lock:
        case Do::LockNow:
            client.mustRollBack = failed;
            if (word == "disconnected") client.ended = true;
            break;
        case Do::Commit:
        case Do::Rollback:
        case Do::Close:
            client.inTransaction = client.mustRollBack = false;
            client.highest.clear();
            if (op.what == Do::Close) client = Client();
            if (word == "disconnected") client.ended = true;
            break;
        case Do::TakeNamed:
        case Do::TryNamed:
            if (word == "yes") client.named.insert(op.name);
            client.holdsNamed = !client.named.empty();
            if (word != "yes" && word != "no") client.ended = true; // as the port asks for
            break;
        case Do::ReleaseNamed:
            if (word == "disconnected") client.ended = true;
            break;
        case Do::EndNamedHolders:
            for (Client& other : m_clients)
                if (other.named.contains(op.name)) other.ended = true;
            break;
        default:
            break;
        }
    }
    static std::optional<Seen> seenIn(const std::expected<sql::Row, sql::Error>& row) {
        if (!row) return std::nullopt;
        return Seen{row->there, row->left > Nanos(0), row->recipe, row->owner, row->version};
    }
    bool compareRow(const QByteArray& row) {
        const auto real = seenIn(test::run(m_real.back()->port->look(row)));
        std::optional<Seen> model;
        m_simulated.back()->runtime.spawn([&]() -> QCoro::Task<> {
            const auto seen = co_await m_simulated.back()->port->look(row);
            model = seenIn(seen);
        });
        m_group.run(10ms);
        if (!real || !model) return differ("a look failed");
        const Seen before = m_last[row], realBefore = m_lastReal[row];
        m_last[row] = *model;
        m_lastReal[row] = *real;
        if (real->there != model->there || real->recipe != model->recipe || real->leased != model->leased)
            return differ("the row " + row + " is another one");
        if (real->owner != model->owner)
            return differ("the row " + row + " is " + real->owner + "'s, the model's " + model->owner + "'s");
        if (!before.there || !realBefore.there || !real->there) return true;
        // A row that was deleted and made again begins at the clock, which is another one on each side.
        const std::int64_t inReal = real->version - realBefore.version, inModel = model->version - before.version;
        if (inReal != inModel && m_erased.erase(row) == 0) return differ("the row " + row + " has another version");
        return true;
    }
    bool differ(const QByteArray& how) {
        note("  " + how);
        m_difference = true;
        return false;
    }
    void note(const QByteArray& line) {
        m_history.push_back(line);
        if (m_history.size() > kHistory) m_history.pop_front();
    }
    /// Lets go of everything, on both sides.
    void endRound() {
        for (int i = 0; i < kClients; ++i) {
            for (SqlUser* const user : {m_simulated[std::size_t(i)].get(), m_real[std::size_t(i)].get()}) {
                if (user->busy) user->stop.request_stop();
                if (!user->busy) user->session.reset();
            }
        }
        const auto busy = [](const auto& user) { return user->busy; };
        test::comesTrue([&] { return std::ranges::none_of(m_real, busy); }, kPatience);
        m_group.run(5s);
        for (int i = 0; i < kClients; ++i) {
            m_simulated[std::size_t(i)]->session.reset();
            m_real[std::size_t(i)]->session.reset();
            m_clients[std::size_t(i)] = Client();
        }
        m_group.run(1s);
        wait(20ms); // real connections end by themselves
    }

    SqlGroup m_group;
    bool m_postgreSql;
    std::mt19937_64 m_random;
    EventLoopRuntime& m_runtime;
    std::vector<std::unique_ptr<SqlUser>> m_simulated, m_real;
    std::vector<Client> m_clients;
    std::map<QByteArray, Seen> m_last, m_lastReal;
    int m_round = 0, m_operations = 0, m_waits = 0;
    std::set<QByteArray> m_erased; ///< rows that were deleted, and not yet seen to be made again
    bool m_difference = false;
    std::map<QByteArray, int> m_words;
    std::deque<QByteArray> m_history;
};

} // namespace

class TestSqlDifferential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomVerbsGetTheSameAnswers_data() {
        QTest::addColumn<bool>("postgreSql");
        QTest::addRow("MariaDB") << false;
        QTest::addRow("PostgreSQL") << true;
    }
    void randomVerbsGetTheSameAnswers() {
        QFETCH(bool, postgreSql);
        std::unique_ptr<sandbox::SqlServer> server;
        if (postgreSql)
            server = std::make_unique<sandbox::PostgresServer>(m_runtime);
        else
            server = std::make_unique<sandbox::MariaDbServer>(m_runtime);
        const auto started = test::run(server->start());
        QVERIFY2(started.has_value(), qPrintable(started ? QString() : started.error()));
        const QByteArray first = qgetenv("SEED"), operations = qgetenv("OPERATIONS");
        const int wanted = operations.isEmpty() ? kOperations : operations.toInt();
        const quint64 seed = first.isEmpty() ? 1 : first.toULongLong();
        QElapsedTimer took;
        took.start();
        Pair pair(server->url(), postgreSql ? Dialect::PostgreSql : Dialect::MySql, seed, m_runtime);
        const QString wrong = pair.prepare();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        while (pair.operations() < wanted) {
            if (!pair.round())
                QFAIL(qPrintable(QStringLiteral("SEED=%1: a difference after %2 verbs; the last ones:\n  %3")
                                     .arg(seed)
                                     .arg(pair.operations())
                                     .arg(QString::fromUtf8(pair.history()))));
        }
        qInfo("%d verbs, %d with somebody waiting, in %lld ms", pair.operations(), pair.waits(),
              static_cast<long long>(took.elapsed()));
        std::map<QByteArray, int> words = pair.words();
        for (const char* word :
             {"yes", "no", "done", "row", "wait-exceeded", "stopped", "closed", "extended", "locked"})
            QVERIFY2(words[word] > 0, word); // each kind must have occurred
        QVERIFY(pair.waits() > wanted / 10);
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestSqlDifferential)
#include "tst_sql_differential.moc"
