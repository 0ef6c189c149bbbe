// SPDX-License-Identifier: Apache-2.0
// Locks of rows, their queues, and the ends of waits.
#include "sim/probe.h"
#include "sim/sql/engine.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
// Measured on real servers, from the release to the next one's answer.
constexpr Nanos kLeastHandOver = 400us, kMostHandOver = 1500us;
constexpr Nanos kLeastWaking = 1300us, kMostWaking = 6700us; ///< PostgreSQL's
/// The inserter that asked first survives once in so many times, else the last one does.
constexpr std::size_t kFirstSurvivesOnceIn = 12;

SqlReply deadlock(bool mySql) {
    return mySql ? SqlReply::failed("1213", QStringLiteral("Deadlock found when trying to get lock"))
                 : SqlReply::failed("40P01", QStringLiteral("deadlock detected"));
}
} // namespace

/// The connection that has locked the row, be it for a transaction or for a statement; 0: none.
SqlConnectionId SqlEngine::lockerOf(const SqlRowId& row) const {
    const auto lock = m_locks.find(row);
    if (lock == m_locks.end()) return 0;
    const auto holder = std::ranges::find(lock->second.granted, Mode::Exclusive, &User::mode);
    return holder == lock->second.granted.end() ? 0 : holder->id;
}

SqlConnectionId SqlEngine::rowHolder(const QByteArray& lockName) const {
    const Id holder = lockerOf({SqlTable::Locks, lockName});
    return inTransaction(holder) ? holder : 0;
}

/// Whether the connection's statement is a SELECT … FOR UPDATE of a transaction that waits.
bool SqlEngine::isQueueing(Id id) const {
    const Session& session = m_sessions.at(id);
    return session.statement && session.statement->kind == SqlStatement::Kind::LockRow && session.inTransaction;
}

std::vector<SqlConnectionId> SqlEngine::rowQueue(const QByteArray& lockName) const {
    std::vector<Id> queue;
    const auto lock = m_locks.find({SqlTable::Locks, lockName});
    if (lock == m_locks.end()) return queue;
    for (const User& user : lock->second.waiting)
        if (isQueueing(user.id)) queue.push_back(user.id);
    return queue;
}

bool SqlEngine::holds(const SqlRowId& row, Id id, Mode mode) const {
    const auto lock = m_locks.find(row);
    if (lock == m_locks.end()) return false;
    return std::ranges::any_of(lock->second.granted, [&](const User& user) {
        return user.id == id && (user.mode == mode || user.mode == Mode::Exclusive);
    });
}

/// Whether the connection could have the lock now. InnoDB lets nobody pass an earlier request, PostgreSQL does.
bool SqlEngine::isFree(const SqlRowId& row, Id id, Mode mode) const {
    if (mode == Mode::WritersEnd) return m_rows.writer(row) == 0 || m_rows.writer(row) == id;
    const auto found = m_locks.find(row);
    if (found == m_locks.end()) return true;
    const RowLock& lock = found->second;
    const auto against = [&](const User& user) { return user.id != id && excludes(mode, user.mode); };
    if (std::ranges::any_of(lock.granted, against)) return false;
    // A missing row is locked by somebody who wants to insert it.
    const bool inGap = !m_rows.exists(row);
    if (inGap && std::ranges::any_of(lock.gaps, [id](Id other) { return other != id; })) return false;
    const bool holdsSome = std::ranges::any_of(lock.granted, [id](const User& user) { return user.id == id; });
    if (!isMySql() || holdsSome) return true;
    const auto mine = std::ranges::find(lock.waiting, id, &User::id);
    return std::none_of(lock.waiting.begin(), mine, against);
}

SqlEngine::Step SqlEngine::acquire(Id id, const SqlRowId& row, Mode mode) {
    if (mode != Mode::WritersEnd && holds(row, id, mode)) return Step::Done;
    if (isFree(row, id, mode)) {
        if (mode != Mode::WritersEnd) grant(row, {id, mode});
        return Step::Done;
    }
    Session& session = m_sessions[id];
    if (session.statement->kind == SqlStatement::Kind::LockRowNow) return Step::Failed;
    std::deque<User>& waiting = m_locks[row].waiting;
    if (std::ranges::find(waiting, id, &User::id) == waiting.end()) waiting.push_back({id, mode});
    session.row = row;
    beginWait(id, WaitsFor::Row);
    return Step::Waits;
}

void SqlEngine::grant(const SqlRowId& row, User user) {
    m_locks[row].granted.push_back(user);
    m_sessions[user.id].locked.insert(row);
    if (inTransaction(user.id)) tell(row);
}

void SqlEngine::release(const SqlRowId& row, Id id) {
    const auto lock = m_locks.find(row);
    if (lock == m_locks.end()) return;
    std::erase_if(lock->second.granted, [id](const User& user) { return user.id == id; });
    lock->second.gaps.erase(id);
    if (m_sessions[id].inTransaction) tell(row);
    wake(row);
}

/// Gives the lock to those who wait for it, as far as it is free.
void SqlEngine::wake(const SqlRowId& row) {
    const auto found = m_locks.find(row);
    if (found == m_locks.end()) return;
    RowLock& lock = found->second;
    Nanos delay{};
    if (m_rows.writer(row) == 0) {
        std::vector<Id> unblocked;
        for (const User& user : lock.waiting)
            if (user.mode == Mode::WritersEnd) unblocked.push_back(user.id);
        std::erase_if(lock.waiting, [](const User& user) { return user.mode == Mode::WritersEnd; });
        for (const Id id : unblocked) {
            delay += m_host.draw(kLeastWaking, kMostWaking);
            resume(id, delay);
        }
    }
    if (isPostgreSql()) {
        if (lock.granted.empty() && !lock.waiting.empty() && !std::exchange(lock.handingOver, true))
            m_host.callAfter(m_host.draw(kLeastWaking, kMostWaking), [this, row] { handOver(row); });
    } else {
        std::vector<Id> inserters;
        while (!lock.waiting.empty() && isFree(row, lock.waiting.front().id, lock.waiting.front().mode)) {
            const User next = lock.waiting.front();
            lock.waiting.pop_front();
            const As as(*this, next.id);
            grant(row, next);
            const bool inserts = next.mode == Mode::Shared && !m_rows.exists(row);
            if (inserts)
                inserters.push_back(next.id);
            else
                resume(next.id, m_host.draw(kLeastHandOver, kMostHandOver));
        }
        if (!inserters.empty()) insertersMeet(inserters);
    }
    const auto left = m_locks.find(row); // an inserter's end may have changed the map
    if (left != m_locks.end() && left->second.empty() && !left->second.handingOver) m_locks.erase(left);
}

/// PostgreSQL: the first waiter has woken. If a newcomer has the row by now, it sleeps on.
void SqlEngine::handOver(const SqlRowId& row) {
    RowLock& lock = m_locks[row];
    lock.handingOver = false;
    if (!lock.granted.empty()) {
        if (!lock.waiting.empty()) reached(Probe::SqlNewcomerFirst);
        return;
    }
    const auto first = std::ranges::find_if(lock.waiting, [](const User& u) { return u.mode != Mode::WritersEnd; });
    if (first == lock.waiting.end()) {
        if (lock.empty()) m_locks.erase(row);
        return;
    }
    const User next = *first;
    lock.waiting.erase(first);
    const As as(*this, next.id);
    grant(row, next);
    resume(next.id, Nanos(0));
}

/// InnoDB: several who waited to insert a row that is gone share its lock now, and each wants it alone. All but one die
/// by that deadlock.
void SqlEngine::insertersMeet(const std::vector<Id>& inserters) {
    std::size_t survivor = inserters.size() - 1;
    if (inserters.size() > 1) {
        reached(Probe::SqlInsertersMeet);
        const bool inTransactions = std::ranges::all_of(inserters, [this](Id id) { return inTransaction(id); });
        const bool first = inserters.size() == 2 && inTransactions;
        if (first || m_host.drawBelow(kFirstSurvivesOnceIn) == 0) survivor = 0;
    }
    for (std::size_t i = 0; i < inserters.size(); ++i) {
        if (!m_sessions.contains(inserters[i])) continue;
        if (i == survivor) {
            resume(inserters[i], m_host.draw(kLeastHandOver, kMostHandOver));
            continue;
        }
        const As as(*this, inserters[i]);
        fail(inserters[i], deadlock(true), Scope::Transaction);
    }
}

/// PostgreSQL: those who wait for a row that has moved to a new version go there all at once, and no longer in order.
void SqlEngine::shuffle(const SqlRowId& row) {
    const auto found = m_locks.find(row);
    if (!isPostgreSql() || found == m_locks.end()) return;
    std::deque<User>& waiting = found->second.waiting;
    for (std::size_t i = waiting.size(); i > 2; --i)
        std::swap(waiting[i - 1], waiting[1 + m_host.drawBelow(i - 1)]);
    if (waiting.size() > 2) reached(Probe::SqlOrderBroken);
}

// --- waits ---

void SqlEngine::beginWait(Id id, WaitsFor what) {
    Session& session = m_sessions[id];
    if (session.waitsFor != WaitsFor::Nothing) return; // it goes on waiting
    session.waitsFor = what;
    const std::uint64_t wait = ++session.wait;
    const auto still = [this, id, wait] {
        const auto found = m_sessions.find(id);
        return found != m_sessions.end() && found->second.wait == wait;
    };
    const bool serverLimits = what == WaitsFor::Row || isPostgreSql();
    const Nanos limit = session.statement->limit.value_or(serverLimits ? m_settings.lockWait : kNever);
    if (limit != kNever)
        m_host.callAfter(limit, [this, id, still] {
            if (still()) limitReached(id);
        });
    if (isPostgreSql())
        m_host.callAfter(m_settings.deadlockTimeout, [this, id, still] {
            if (still() && !circleOf(id).empty()) {
                reached(Probe::SqlDeadlock);
                const As as(*this, id);
                fail(id, deadlock(false), Scope::Transaction);
            }
        });
    if (what == WaitsFor::Named) {
        if (onNamed) onNamed(session.namedLock);
    } else if (isQueueing(id)) {
        tell(session.row);
    }
}

void SqlEngine::stopWaiting(Id id) {
    Session& session = m_sessions[id];
    ++session.wait;
    const WaitsFor what = std::exchange(session.waitsFor, WaitsFor::Nothing);
    if (what == WaitsFor::Row) {
        const SqlRowId row = session.row;
        const auto lock = m_locks.find(row);
        if (lock == m_locks.end()) return;
        std::erase_if(lock->second.waiting, [id](const User& user) { return user.id == id; });
        if (isQueueing(id)) tell(row);
        wake(row);
    } else if (what == WaitsFor::Named) {
        const QByteArray name = session.namedLock;
        std::erase_if(m_named[name].waiting, [id](const NamedUser& user) { return user.id == id; });
        if (onNamed) onNamed(name);
        wakeNamed(name);
    }
}

/// The wait is over; its statement goes on after a moment.
void SqlEngine::resume(Id id, Nanos delay) {
    Session& session = m_sessions[id];
    session.waitsFor = WaitsFor::Nothing;
    const std::uint64_t wait = ++session.wait;
    const auto goOn = [this, id, wait] {
        const auto found = m_sessions.find(id);
        if (found != m_sessions.end() && found->second.wait == wait && found->second.statement) run(id);
    };
    if (delay == Nanos(0))
        goOn();
    else
        m_host.callAfter(delay, goOn);
}

/// Ends the wait with an answer that is no error.
void SqlEngine::endWait(Id id, SqlReply reply) {
    stopWaiting(id);
    m_sessions[id].reply = std::move(reply);
    finish(id);
}

void SqlEngine::limitReached(Id id) {
    const As as(*this, id);
    if (isPostgreSql())
        fail(id, SqlReply::failed("55P03", QStringLiteral("canceling statement due to lock timeout")),
             Scope::Transaction);
    else if (m_sessions[id].waitsFor == WaitsFor::Named)
        endWait(id, SqlReply::of(0));
    else
        fail(id, SqlReply::failed("1205", QStringLiteral("Lock wait timeout exceeded")), Scope::Statement);
}

/// KILL QUERY, pg_cancel_backend(): nothing happens to a connection that does not wait.
void SqlEngine::endStatement(Id id) {
    if (waitsFor(id) == WaitsFor::Nothing || waitsFor(id) == WaitsFor::Disk) return; // the disk cannot be asked back
    const As as(*this, id);
    if (waitsFor(id) == WaitsFor::Replica) {
        // Committed already: PostgreSQL stops waiting and says so, as a success with a warning. MariaDB waits on.
        if (isPostgreSql()) replicated(id, m_sessions[id].wait);
        return;
    }
    if (isPostgreSql())
        fail(id, SqlReply::failed("57014", QStringLiteral("canceling statement due to user request")),
             Scope::Transaction);
    else if (waitsFor(id) == WaitsFor::Named)
        endWait(id, {.isNull = true});
    else
        fail(id, SqlReply::failed("1317", QStringLiteral("Query execution was interrupted")), Scope::Statement);
}

// --- deadlocks ---

void SqlEngine::addRowBlockers(Id id, const Session& session, std::vector<Id>& blockers) const {
    const auto found = m_locks.find(session.row);
    if (found == m_locks.end()) return;
    const RowLock& lock = found->second;
    const auto mine = std::ranges::find(lock.waiting, id, &User::id);
    if (mine == lock.waiting.end()) return;
    if (mine->mode == Mode::WritersEnd) {
        blockers.push_back(m_rows.writer(session.row));
        return;
    }
    const auto add = [&](const User& user) {
        if (user.id != id && excludes(mine->mode, user.mode) && user.mode != Mode::WritersEnd)
            blockers.push_back(user.id);
    };
    blockers.reserve(lock.granted.size() + std::size_t(mine - lock.waiting.begin()));
    std::ranges::for_each(lock.granted, add);
    std::for_each(lock.waiting.begin(), mine, add);
    if (!m_rows.exists(session.row)) std::ranges::copy(lock.gaps, std::back_inserter(blockers));
    std::erase(blockers, id);
}

void SqlEngine::addNamedBlockers(Id id, const Session& session, std::vector<Id>& blockers) const {
    const auto found = m_named.find(session.namedLock);
    if (found == m_named.end()) return;
    const NamedLock& lock = found->second;
    const auto mine = std::ranges::find(lock.waiting, id, &NamedUser::id);
    const bool shared = mine != lock.waiting.end() && mine->sharing == sql::Sharing::Shared;
    const auto add = [&](const NamedUser& user) {
        if (user.id != id && !(shared && user.sharing == sql::Sharing::Shared)) blockers.push_back(user.id);
    };
    blockers.reserve(lock.granted.size() + std::size_t(mine - lock.waiting.begin()));
    std::ranges::for_each(lock.granted, add);
    std::for_each(lock.waiting.begin(), mine, add);
}

std::vector<SqlConnectionId> SqlEngine::blockersOf(Id id) const {
    std::vector<Id> blockers;
    const Session& session = m_sessions.at(id);
    if (session.waitsFor == WaitsFor::Row) addRowBlockers(id, session, blockers);
    if (session.waitsFor == WaitsFor::Named) addNamedBlockers(id, session, blockers);
    return blockers;
}

/// Follows who waits for whom. MariaDB looks for circles of rows and of named locks apart from each other.
bool SqlEngine::findWay(Id from, Id to, std::unordered_set<Id>& seen, std::vector<Id>& way) const {
    if (!seen.insert(from).second || !m_sessions.contains(from)) return false;
    if (isMySql() && m_sessions.at(from).waitsFor != m_sessions.at(to).waitsFor) return false;
    way.push_back(from);
    for (const Id next : blockersOf(from))
        if (next == to || findWay(next, to, seen, way)) return true;
    way.pop_back();
    return false;
}

/// Whether anybody may wait for this connection. Mostly nobody does who has just begun to wait itself, last of all; so
/// the ways through a long queue need not be followed.
bool SqlEngine::mayBlock(Id id) const {
    const auto is = [id](const auto& user) { return user.id == id; };
    const auto blocksIn = [&](const auto& lock) {
        if (lock.waiting.empty()) return false;
        const bool before = lock.waiting.back().id != id && std::ranges::any_of(lock.waiting, is);
        return before || std::ranges::any_of(lock.granted, is);
    };
    for (const auto& [row, lock] : m_locks)
        if (blocksIn(lock) || (!lock.waiting.empty() && (lock.gaps.contains(id) || m_rows.writer(row) == id)))
            return true;
    return std::ranges::any_of(m_named, [&](const auto& named) { return blocksIn(named.second); });
}

/// The connections of a circle of waits that this one is in; it stands first. Empty: there is none.
std::vector<SqlConnectionId> SqlEngine::circleOf(Id id) const {
    if (!mayBlock(id)) return {};
    std::unordered_set<Id> seen;
    std::vector<Id> way;
    return findWay(id, id, seen, way) ? way : std::vector<Id>();
}

/// InnoDB: the connection has just begun to wait. If that closes a circle, the transaction that has changed the fewest
/// rows is rolled back; among equals the one that closed the circle. A circle of named locks always costs the statement
/// that closed it, and nothing else.
void SqlEngine::endCircle(Id id) {
    while (waitsFor(id) != WaitsFor::Nothing) {
        const std::vector<Id> circle = circleOf(id);
        if (circle.empty()) return;
        reached(Probe::SqlDeadlock);
        const bool named = waitsFor(id) == WaitsFor::Named;
        const auto weight = [this](Id one) { return m_sessions.at(one).undo.size(); };
        const Id victim = named ? id : *std::ranges::min_element(circle, {}, weight);
        const As as(*this, victim);
        fail(victim, deadlock(true), named ? Scope::Statement : Scope::Transaction);
    }
}

} // namespace lockscope::sim
