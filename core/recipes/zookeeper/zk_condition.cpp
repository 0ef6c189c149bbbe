// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_condition.h"

#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

using zookeeper::CreatedNode;
using zookeeper::Error;
using zookeeper::NodeMode;
using zookeeper::Result;
using zookeeper::Session;
using zookeeper::WatchEvent;

Outcome<void> ZkCondition::enlist(QByteArray thread, std::stop_token stop) {
    zookeeper::Port& port = m_lock.port;
    const auto ticket = std::make_shared<ZkTicket>();
    ticket->parent = m_lock.path;
    if (port.session().state != Session::State::Connected) {
        const Result<void> ready = co_await port.connected(kNever, stop);
        if (!ready) co_return std::unexpected(lockError(ready.error()));
    }
    ticket->generation = port.session().generation;
    const QByteArray name = zookeeper::childOf(m_lock.path, "condition-");
    const QByteArray whose = "lockscope:" + m_lock.client + ':' + thread;
    // A creation that is stopped before its answer is taken back by the port; an answer that is lost may leave a node,
    // which takes one signal in vain at most, until the session ends.
    const Result<CreatedNode> made = co_await port.create(name, whose, NodeMode::EphemeralSequential, Nanos(0), stop);
    if (!made) co_return std::unexpected(lockError(made.error()));
    ticket->path = made->path;
    ticket->asked = true;
    m_entries[thread] = ticket;
    co_return std::expected<void, LockError>();
}

Outcome<bool> ZkCondition::watchUntilGone(std::shared_ptr<ZkTicket> ticket, Nanos giveUpAt, std::stop_token stop) {
    zookeeper::Port& port = m_lock.port;
    Runtime& runtime = port.runtime();
    for (;;) {
        if (port.session().generation != ticket->generation) co_return true;
        const Nanos now = runtime.monotonic();
        const Nanos left = giveUpAt == kNever ? kNever : std::max(Nanos(0), giveUpAt - now);
        if (port.session().state != Session::State::Connected) {
            const Result<void> back = co_await port.connected(left, stop);
            if (!back && runtime.monotonic() >= giveUpAt) co_return false;
            if (!back) co_return std::unexpected(lockError(back.error()));
            continue;
        }
        const Result<zookeeper::NodeData> there = co_await port.get(ticket->path, ticket->watch, stop);
        if (!there && there.error().kind == Error::Kind::NoNode) co_return true;
        if (!there && there.error().outcomeUnknown()) continue;
        if (!there) co_return std::unexpected(lockError(there.error()));
        const std::optional<WatchEvent> event = co_await ticket->watch.next(runtime, left, stop);
        if (!event) co_return false;
        if (event->kind == WatchEvent::Kind::Deleted) co_return true;
    }
}

Outcome<bool> ZkCondition::withdraw(std::shared_ptr<ZkTicket> ticket) {
    // Whoever removes the node first decides: a signaller, and then the signal was ours, or we. When an answer is lost,
    // the next one says: no node may mean our own try then, and a wake-up without a reason, which waiters may have.
    ticket->asked = false;
    for (;;) {
        const Result<void> removed = co_await m_lock.port.remove(ticket->path, -1, {}, ticket->generation);
        if (removed) co_return false;
        if (removed.error().kind == Error::Kind::NoNode) co_return true;
        if (!connectionFailed(removed.error().kind)) co_return false;
    }
}

Outcome<bool> ZkCondition::awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) {
    const auto entry = m_entries.find(thread);
    if (entry == m_entries.end()) co_return true;
    const std::shared_ptr<ZkTicket> ticket = entry->second;
    m_entries.erase(entry);
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), wait);
    std::expected<bool, LockError> signalled = false;
    ZkInterruption interruption;
    try {
        signalled = co_await watchUntilGone(ticket, giveUpAt, stop);
    } catch (const Cancelled& cancelled) {
        interruption.caught(cancelled);
    }
    if (interruption.stopped) {
        const std::expected<bool, LockError> late = co_await withdraw(ticket);
        // A signal that nobody here wants any more is the next one's.
        bool owed = late && *late;
        while (owed && m_lock.port.session().generation == ticket->generation) {
            const std::expected<int, LockError> passedOn = co_await signal(1, {});
            owed = !passedOn && (passedOn.error().kind == LockError::Kind::OutcomeUnknown ||
                                 passedOn.error().kind == LockError::Kind::Unreachable);
        }
        interruption.goOn();
    }
    if (!signalled) {
        takeAwaySoon(m_lock.port, ticket);
        co_return signalled;
    }
    if (*signalled) co_return true;
    co_return co_await withdraw(ticket);
}

Outcome<int> ZkCondition::signal(int most, std::stop_token stop) {
    ZkQueue queue(m_lock.port, m_lock.path);
    const std::expected<std::vector<ZkChild>, LockError> children = co_await queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    int woken = 0;
    for (const ZkChild& child : *children) {
        if (child.family != ZkFamily::Condition) continue;
        if (woken == most) break;
        const std::expected<bool, LockError> removed = co_await removeHolder(m_lock, m_lock.path, child.name, stop);
        if (!removed) co_return std::unexpected(removed.error());
        woken += *removed ? 1 : 0;
    }
    co_return woken;
}

} // namespace lockscope::recipes
