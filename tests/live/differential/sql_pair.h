// SPDX-License-Identifier: Apache-2.0
// Clients of a simulated database and of a real one begin the same random verbs. The caller waits for the real server,
// since many pairs can wait at once.
#pragma once
#include "drivers/dial.h"
#include "sql_group.h"
#include "sql_sides.h"
#include "support/live.h"
#include "two_sides.h"

namespace lockscope::differential {

/// Some clients of one database, real and simulated. Its rows and named locks have names of their own: the pairs on one
/// real server do not meet.
class SqlPair {
public:
    static constexpr int kClients = 4;
    /// Short leases are over before the next verb: everybody waits for that.
    enum class Pace : std::uint8_t { Usual, ShortLeases };
    using Look = test::Ending<std::expected<sql::Row, sql::Error>>;

    SqlPair(const QString& realUrl, sql::Dialect dialect, std::uint64_t seed, EventLoopRuntime& runtime)
        : m_group(dialect, seed),
          m_dialect(dialect),
          m_prefix('r' + QByteArray::number(quint64(seed)) + '_'),
          m_random(seed) {
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

    /// The looker's port to the real database.
    sql::Client& real() { return *m_real.back()->port; }
    /// One client begins a verb on both sides. The model has answered it, or makes it wait.
    void begin(Pace pace) {
        m_stepBegan = m_group.scheduler.now();
        m_op.reset();
        if (nearsALimit()) return;
        int index = 0;
        for (int tries = 0; !m_op && tries < 50; ++tries) {
            index = int(m_random.below(kClients));
            m_op = draw(index, pace);
        }
        if (!m_op) return;
        Client& client = m_clients[std::size_t(index)];
        SqlUser &model = *m_simulated[std::size_t(index)], &real = *m_real[std::size_t(index)];
        ++m_operations;
        m_history.note(QByteArray(1, char('A' + index)) + ' ' + m_op->text());
        if (m_op->what == Do::Stop) {
            model.stop.request_stop();
            real.stop.request_stop();
        } else {
            client.pending = m_op;
            client.since = m_stepBegan;
            if (m_op->what == Do::Lock || m_op->what == Do::LockNow) {
                client.highest = client.inTransaction ? std::max(client.highest, m_op->name) : m_op->name;
                client.inTransaction = true;
            }
            model.begin(*m_op, m_last[m_op->name].version);
            real.begin(*m_op, m_lastReal[m_op->name].version);
        }
        m_group.run(kModelSettles);
    }
    /// Opens the real connections, as a verb that has to open one first comes later than another.
    std::vector<std::shared_ptr<Look>> warmUp() {
        std::vector<std::shared_ptr<Look>> looks;
        for (const auto& user : m_real)
            looks.push_back(test::beside(user->port->look("nothing")));
        return looks;
    }
    /// Whether the real server has not yet answered a verb that the model has answered, or not yet heard of one that
    /// has to wait.
    bool owes() const {
        for (std::size_t i = 0; i < m_clients.size(); ++i)
            if (m_clients[i].pending && m_real[i]->busy && (!m_simulated[i]->busy || m_real[i]->opening)) return true;
        return false;
    }
    /// Whether the model makes a verb wait.
    bool waits() const {
        for (std::size_t i = 0; i < m_clients.size(); ++i)
            if (m_clients[i].pending && m_simulated[i]->busy) return true;
        return false;
    }
    /// A wait that has reached its limit in reality may reach it in the model some milliseconds later.
    void reachReal() {
        for (std::size_t i = 0; i < m_clients.size(); ++i)
            for (Nanos ahead(0);
                 m_clients[i].pending && m_simulated[i]->busy && !m_real[i]->busy && ahead < kLimitsApart;
                 ahead += kLook)
                m_group.run(kLook);
    }
    /// A verb that is done in the model must be done in reality with the same answer, and no other.
    bool compareAnswers() {
        m_waits += waits();
        for (std::size_t i = 0; i < m_clients.size(); ++i)
            if (m_clients[i].pending && !compareAnswer(i)) return false;
        return true;
    }
    /// Asks the real server for the rows of the verb.
    void beginLooks() {
        m_looks.clear();
        if (!m_op) return;
        for (const QByteArray& row : {m_op->name, m_op->second})
            if (!row.isEmpty()) m_looks.push_back({row, test::beside(m_real.back()->port->look(row))});
    }
    bool isLooking() const {
        return std::ranges::any_of(m_looks, [](const auto& look) { return !look.second->done; });
    }
    bool compareRows() {
        return std::ranges::all_of(m_looks, [this](const auto& look) { return compareRow(look.first, *look.second); });
    }
    /// Waits and leases are as old in the model as in reality, where the step took this long.
    void catchUp(Nanos inReal) {
        const Nanos inModel = m_group.scheduler.now() - m_stepBegan;
        if (inReal > inModel) m_group.run(inReal - inModel);
    }

    // --- between rounds: all let go of everything, and the next names are new ---
    void letGo() {
        for (std::size_t i = 0; i < m_clients.size(); ++i) {
            for (SqlUser* const user : {m_simulated[i].get(), m_real[i].get()}) {
                if (user->busy) user->stop.request_stop();
                if (!user->busy) user->session.reset();
            }
        }
    }
    bool isBusy() const {
        return std::ranges::any_of(m_real, [](const auto& user) { return user->busy; });
    }
    void nextRound() {
        m_group.run(5s);
        for (std::size_t i = 0; i < m_clients.size(); ++i) {
            m_simulated[i]->session.reset();
            m_real[i]->session.reset();
            m_clients[i] = Client();
        }
        m_group.run(1s);
        ++m_round;
    }

    int operations() const { return m_operations; }
    int waitsSeen() const { return m_waits; }
    const std::map<QByteArray, int>& words() const { return m_words; }
    QByteArray history() const { return m_history.text(); }

private:
    /// A client after the verbs so far.
    struct Client {
        std::optional<SqlOp> pending{};
        Nanos since{}; ///< its beginning, in the model
        bool inTransaction = false, mustRollBack = false, holdsNamed = false, ended = false;
        QByteArray highest{}; ///< of the rows that its transaction may have locked
        std::set<QByteArray> named{};
    };
    struct Seen {
        bool there = false, leased = false;
        bool dated = false; ///< it says since when it is owned
        QByteArray recipe, owner;
        std::int64_t version = 0;
    };

    using Do = SqlOp::Do;
    /// The model has answered by then whatever it does not make wait.
    static constexpr Nanos kModelSettles = 40ms;
    /// Well before the two seconds that the port gives a statement for several rows.
    static constexpr Nanos kExtendsWithin = 1s;
    static constexpr Nanos kLimitsApart = 1200ms, kLook = 10ms;
    static constexpr std::size_t kHistory = 80;

    bool isPostgreSql() const { return m_dialect == sql::Dialect::PostgreSql; }
    bool isMySql() const { return m_dialect == sql::Dialect::MySql; }
    std::uint64_t below(std::uint64_t bound) { return m_random.below(bound); }
    bool chance(std::uint64_t of) { return m_random.chance(of); }
    QByteArray name() { return m_prefix + QByteArray::number(m_round) + char('a' + below(3)); }
    /// Whether a wait that has a limit may end on one side a moment before it does on the other: nobody may come
    /// between.
    bool nearsALimit() const {
        return std::ranges::any_of(m_clients, [this](const Client& client) {
            return client.pending && client.pending->what == Do::ExtendTwo &&
                   m_group.scheduler.now() - client.since > kExtendsWithin;
        });
    }
    int waitingFor(const QByteArray& name) const {
        return int(std::ranges::count_if(m_clients, [&](const Client& client) {
            return client.pending && (client.pending->name == name || client.pending->second == name);
        }));
    }
    /// More on a row, and the order among them would be a matter of luck on both sides.
    bool isCrowded(const QByteArray& name) const { return waitingFor(name) >= (isPostgreSql() ? 2 : 3); }

    std::optional<SqlOp> draw(int index, Pace pace) {
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
        // SQLite has no verbs of sessions.
        const std::uint64_t what = below(m_dialect == sql::Dialect::Sqlite ? 56 : 100);
        op.what = what < 8    ? Do::Insert
                  : what < 14 ? Do::MakeFree
                  : what < 24 ? Do::Take
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
        if (pace == Pace::ShortLeases && chance(2)) op.what = Do::TakeShort;
        // A lease that begins at another verb's end would be over on one side only.
        const auto mayHoldUp = [](const Client& one) { return one.pending || one.inTransaction; };
        if (op.what == Do::TakeShort && std::ranges::any_of(m_clients, mayHoldUp)) op.what = Do::Take;
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
        if (onName && isPostgreSql() && !client.named.empty() && op.name <= *client.named.rbegin()) return std::nullopt;
        if (op.what == Do::ReleaseNamed || op.what == Do::EndNamedHolders) op.name = "n" + op.name;
        if (locks && isPostgreSql() && client.inTransaction && op.name <= client.highest) return std::nullopt;
        // InnoDB locks the whole gap around a missing row, the model that row's place alone: see SIMPLIFICATIONS.md.
        const auto meets = [&](Do verb) {
            return std::ranges::any_of(m_clients, [&](const Client& one) {
                return one.pending && one.pending->what == verb && one.pending->name == op.name;
            });
        };
        const bool erases = op.what == Do::Erase || op.what == Do::EraseOwned;
        const bool mayMissIt = !m_last[op.name].there || meets(Do::Erase) || meets(Do::EraseOwned);
        if (isMySql() && ((locks && mayMissIt) || (erases && meets(Do::Lock)))) return std::nullopt;
        // Two requests: another verb may come between them.
        const auto extends = [&](const Client& one) {
            return one.pending && one.pending->what == Do::ExtendTwo &&
                   (one.pending->name == op.name || one.pending->second == op.name);
        };
        if (!locks && std::ranges::any_of(m_clients, extends)) return std::nullopt;
        // An inserter behind a deletion, and whoever waits behind both: InnoDB may end one of them, see
        // SIMPLIFICATIONS.md.
        const bool behindErase = op.what == Do::Insert && (meets(Do::Erase) || meets(Do::EraseOwned));
        if (isMySql() && (behindErase || (erases && meets(Do::Insert)))) return std::nullopt;
        if (isCrowded(op.name)) return std::nullopt;
        return op;
    }

    bool compareAnswer(std::size_t i) {
        Client& client = m_clients[i];
        const SqlUser &model = *m_simulated[i], &real = *m_real[i];
        const QByteArray who(1, char('A' + i));
        if (model.busy != real.busy)
            return differ(who + (real.busy ? " waits, and should not: " + model.word
                                           : " does not wait, and should: " + real.word));
        if (model.busy) return true;
        const SqlOp op = *std::exchange(client.pending, std::nullopt);
        m_history.note("    " + who + ": " + real.word);
        ++m_words[real.word.split(' ').first()];
        follow(client, op, real.word);
        return model.word == real.word || differ(who + ": the model says " + model.word);
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
        return Seen{row->there,  row->left > Nanos(0), row->sinceWallMs.has_value(),
                    row->recipe, row->owner,           row->version};
    }
    bool compareRow(const QByteArray& row, const Look& look) {
        const auto real = look.result ? seenIn(*look.result) : std::nullopt;
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
        if (real->dated != model->dated)
            return differ("the row " + row + " says on one side only since when it is owned");
        if (real->owner != model->owner)
            return differ("the row " + row + " is " + real->owner + "'s, the model's " + model->owner + "'s");
        if (!before.there || !realBefore.there || !real->there) return true;
        // A row that was deleted and made again begins at the clock, which is another one on each side.
        const std::int64_t inReal = real->version - realBefore.version, inModel = model->version - before.version;
        if (inReal != inModel && m_erased.erase(row) == 0) return differ("the row " + row + " has another version");
        return true;
    }
    bool differ(const QByteArray& how) {
        m_history.note("  " + how);
        return false;
    }

    tests::SqlGroup m_group;
    sql::Dialect m_dialect;
    QByteArray m_prefix; ///< of the rows' names
    Dice m_random;
    std::vector<std::unique_ptr<SqlUser>> m_simulated, m_real;
    std::vector<Client> m_clients;
    std::optional<SqlOp> m_op; ///< this step's
    Nanos m_stepBegan{};       ///< in the model
    std::vector<std::pair<QByteArray, std::shared_ptr<Look>>> m_looks;
    std::map<QByteArray, Seen> m_last, m_lastReal;
    int m_round = 0, m_operations = 0, m_waits = 0;
    std::set<QByteArray> m_erased; ///< rows that were deleted, and not yet seen to be made again
    std::map<QByteArray, int> m_words;
    History m_history{kHistory};
};

} // namespace lockscope::differential
