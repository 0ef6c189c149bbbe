// SPDX-License-Identifier: Apache-2.0
// Locks without a row: GET_LOCK, pg_advisory_lock(). They belong to a connection and know of no transaction.
#include "sim/sql/engine.h"
#include "trace/joined.h"

#include <algorithm>

namespace lockscope::sim {

using Kind = SqlStatement::Kind;
using sql::Sharing;

namespace {
constexpr Nanos kLeastHandOver = 400us, kMostHandOver = 1500us;
}

QByteArray SqlEngine::nameOf(const sql::NamedKey& key) const {
    if (!isPostgreSql()) return key.name;
    return trace::joined({key.two ? "two " : "one ", QByteArray::number(qlonglong(key.number))});
}

std::vector<SqlEngine::NamedUser> SqlEngine::namedHolders(const sql::NamedKey& key) const {
    const auto lock = m_named.find(nameOf(key));
    return lock == m_named.end() ? std::vector<NamedUser>() : lock->second.granted;
}

std::vector<SqlEngine::NamedUser> SqlEngine::namedQueue(const sql::NamedKey& key) const {
    const auto lock = m_named.find(nameOf(key));
    if (lock == m_named.end()) return {};
    return {lock->second.waiting.begin(), lock->second.waiting.end()};
}

/// Whether others hold the lock, or have asked before, so that the connection has to wait. Nobody passes an earlier
/// request, not even a reader that could join the readers.
bool SqlEngine::namedConflict(const NamedLock& lock, Id id, Sharing sharing) const {
    const auto against = [&](const NamedUser& user) {
        return user.id != id && (sharing == Sharing::Exclusive || user.sharing == Sharing::Exclusive);
    };
    if (std::ranges::any_of(lock.granted, against)) return true;
    const auto mine = std::ranges::find(lock.waiting, id, &NamedUser::id);
    return std::any_of(lock.waiting.begin(), mine, against);
}

SqlEngine::Step SqlEngine::takeNamed(Id id) {
    Session& session = m_sessions[id];
    const SqlStatement& statement = *session.statement;
    const QByteArray name = nameOf(statement.key);
    NamedLock& lock = m_named[name];
    session.reply.number = 1;
    const auto mine = std::ranges::find_if(
        lock.granted, [&](const NamedUser& user) { return user.id == id && user.sharing == statement.sharing; });
    if (mine != lock.granted.end()) {
        ++mine->count;
        if (onNamed) onNamed(name);
        return Step::Done;
    }
    if (!namedConflict(lock, id, statement.sharing)) {
        lock.granted.push_back({id, statement.sharing});
        session.named.insert(name);
        if (onNamed) onNamed(name);
        return Step::Done;
    }
    session.reply.number = 0;
    if (statement.kind == Kind::TryNamed) return Step::Done;
    lock.waiting.push_back({id, statement.sharing});
    session.namedLock = name;
    beginWait(id, WaitsFor::Named);
    return Step::Waits;
}

void SqlEngine::releaseNamed(Id id) {
    Session& session = m_sessions[id];
    const SqlStatement& statement = *session.statement;
    const QByteArray name = nameOf(statement.key);
    const auto found = m_named.find(name);
    if (found == m_named.end()) return;
    std::vector<NamedUser>& granted = found->second.granted;
    const auto mine = std::ranges::find_if(
        granted, [&](const NamedUser& user) { return user.id == id && user.sharing == statement.sharing; });
    if (mine == granted.end()) return;
    session.reply.number = 1;
    if (--mine->count == 0) granted.erase(mine);
    if (std::ranges::find(granted, id, &NamedUser::id) == granted.end()) session.named.erase(name);
    if (onNamed) onNamed(name);
    wakeNamed(name);
}

void SqlEngine::dropNamed(const QByteArray& name, Id id) {
    std::erase_if(m_named[name].granted, [id](const NamedUser& user) { return user.id == id; });
    if (onNamed) onNamed(name);
    wakeNamed(name);
}

void SqlEngine::releaseAllNamed(Id id) {
    for (const QByteArray& name : std::exchange(m_sessions[id].named, {}))
        dropNamed(name, id);
}

void SqlEngine::wakeNamed(const QByteArray& name) {
    NamedLock& lock = m_named[name];
    while (!lock.waiting.empty() && !namedConflict(lock, lock.waiting.front().id, lock.waiting.front().sharing)) {
        const NamedUser next = lock.waiting.front();
        lock.waiting.pop_front();
        const As as(*this, next.id);
        lock.granted.push_back(next);
        m_sessions[next.id].named.insert(name);
        if (onNamed) onNamed(name);
        // It has the lock; its statement goes on and finds that.
        Session& session = m_sessions[next.id];
        session.waitsFor = WaitsFor::Nothing;
        const std::uint64_t wait = ++session.wait;
        m_host.callAfter(m_host.draw(kLeastHandOver, kMostHandOver), [this, id = next.id, wait] {
            const auto found = m_sessions.find(id);
            if (found == m_sessions.end() || found->second.wait != wait || !found->second.statement) return;
            const As again(*this, id);
            found->second.reply.number = 1;
            finish(id);
        });
    }
    if (lock.granted.empty() && lock.waiting.empty()) m_named.erase(name);
}

} // namespace lockscope::sim
