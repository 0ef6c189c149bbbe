// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_condition.h"

#include "recipes/zookeeper/zk_patience.h"
#include "runtime/completion.h"
#include "runtime/unless_stopped.h"

namespace lockscope::recipes {

using zookeeper::CreatedNode;
using zookeeper::Error;
using zookeeper::NodeMode;
using zookeeper::Port;
using zookeeper::Result;
using zookeeper::Session;
using zookeeper::WatchEvent;

namespace {

constexpr char kPrefix[] = "condition-";
/// A server that loses the answers again and again is not worth more tries.
constexpr int kMostTries = 10;
constexpr Nanos kWithdrawalWaits = 1s;

/// A waiter's withdrawal, shared with what carries it out.
struct Withdrawal {
    bool passOn = false; ///< nobody here makes use of a signal that came meanwhile: the next one does
    Completion<bool> signalled;
};

// In these two nothing of the port is touched before asking whether it still exists: they may outlive everything.

Port::Reply<int> wake(Port* port, std::weak_ptr<const bool> life, QByteArray path, int most, std::stop_token stop) {
    const Result<zookeeper::ChildList> list = co_await port->children(path, std::nullopt, stop);
    if (!list && list.error().kind == Error::Kind::NoNode) co_return 0;
    if (!list) co_return std::unexpected(list.error());
    const std::vector<ZkChild> children = readZkChildren(list->names);
    int woken = 0;
    for (const ZkChild& child : children) {
        if (woken == most || life.expired()) break;
        if (child.family != ZkFamily::Condition) continue;
        const QByteArray node = zookeeper::childOf(path, child.name);
        const Result<void> removed = co_await port->remove(node, -1, stop);
        if (!removed && removed.error().kind != Error::Kind::NoNode) co_return std::unexpected(removed.error());
        woken += removed ? 1 : 0;
    }
    co_return woken;
}

// The first to remove the node decides: if a signaller did, the signal was ours; else we have withdrawn. When an answer
// is lost, the next try may find no node because of our own first try: that is a spurious wake-up, which waiters must
// expect.
QCoro::Task<> carryOut(Port* port, std::weak_ptr<const bool> life, std::shared_ptr<ZkTicket> ticket,
                       std::shared_ptr<Withdrawal> withdrawal) {
    bool signalled = false;
    for (bool again = true; again && !life.expired();) {
        const Result<void> removed = co_await port->remove(ticket->path, -1, {}, ticket->generation);
        signalled = !removed && removed.error().kind == Error::Kind::NoNode;
        again = !removed && connectionFailed(removed.error().kind);
    }
    bool owed = signalled && withdrawal->passOn;
    while (owed && !life.expired() && port->session().generation == ticket->generation) {
        const Result<int> passedOn = co_await wake(port, life, ticket->parent, 1, {});
        owed = !passedOn && connectionFailed(passedOn.error().kind);
    }
    withdrawal->signalled.complete(signalled && !withdrawal->passOn);
}

} // namespace

Outcome<void> ZkCondition::enlist(QByteArray thread, std::stop_token stop) {
    Port& port = m_lock.port;
    const QByteArray name = zookeeper::childOf(m_lock.path, kPrefix);
    const QByteArray whose = "lockscope:" + m_lock.client + ':' + thread + ':' + port.runtime().randomUuid();
    for (int tries = 1;; ++tries) {
        const auto ticket = std::make_shared<ZkTicket>();
        ticket->parent = m_lock.path;
        ticket->prefix = kPrefix;
        ticket->data = whose;
        if (port.session().state != Session::State::Connected) {
            const Result<void> ready = co_await port.connected(kNever, stop);
            if (!ready) co_return std::unexpected(lockError(ready.error()));
        }
        ticket->generation = port.session().generation;
        ticket->asked = true;
        // A creation that is stopped before its answer is taken back by the port.
        const Result<CreatedNode> made =
            co_await port.create(name, whose, NodeMode::EphemeralSequential, Nanos(0), stop);
        if (made) {
            ticket->path = made->path;
            m_entries[thread] = ticket;
            co_return std::expected<void, LockError>();
        }
        if (made.error().kind == Error::Kind::NoNode && tries < kMostTries) { // a path of its own, not its lock's queue
            const Result<void> there = co_await port.makeContainers(m_lock.path, stop);
            if (!there) co_return std::unexpected(lockError(there.error()));
            continue;
        }
        if (!made.error().outcomeUnknown()) co_return std::unexpected(lockError(made.error()));
        // Left alone, it would take the signal of somebody who waits.
        const bool sameSession = co_await takeAwayForSure(port, ticket, stop);
        if (!sameSession || tries == kMostTries) co_return std::unexpected(lockError(made.error()));
    }
}

Outcome<bool> ZkCondition::watchUntilGone(std::shared_ptr<ZkTicket> ticket, Nanos giveUpAt, std::stop_token stop) {
    Port& port = m_lock.port;
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

Outcome<bool> ZkCondition::withdraw(std::shared_ptr<ZkTicket> ticket, bool passOn) {
    Port& port = m_lock.port;
    Runtime& runtime = port.runtime();
    ticket->asked = false;
    const auto withdrawal = std::make_shared<Withdrawal>();
    withdrawal->passOn = passOn;
    runtime.spawn(
        [port = &port, life = port.life(), ticket, withdrawal] { return carryOut(port, life, ticket, withdrawal); });
    const std::optional<bool> signalled = co_await withdrawal->signalled.wait(runtime, kWithdrawalWaits);
    if (!signalled) withdrawal->passOn = true;
    co_return signalled.value_or(false);
}

Outcome<bool> ZkCondition::awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) {
    const auto entry = m_entries.find(thread);
    if (entry == m_entries.end()) co_return true;
    const std::shared_ptr<ZkTicket> ticket = entry->second;
    m_entries.erase(entry);
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), wait);
    const ZkPatience patience(m_lock.port, giveUpAt, stop);
    const auto watched = co_await unlessStopped(watchUntilGone(ticket, giveUpAt, patience.token()));
    const std::expected<bool, LockError> signalled = watched.value_or(false);
    const bool stopped = !watched && !patience.over();
    if (!stopped && signalled && *signalled) co_return true;
    // A signal that nobody here wants any more is the next one's.
    const std::expected<bool, LockError> late = co_await withdraw(ticket, stopped || !signalled);
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    if (!signalled) co_return signalled;
    co_return late;
}

Outcome<int> ZkCondition::signal(int most, std::stop_token stop) {
    const Result<int> woken = co_await wake(&m_lock.port, m_lock.port.life(), m_lock.path, most, stop);
    if (!woken) co_return std::unexpected(lockError(woken.error()));
    co_return *woken;
}

} // namespace lockscope::recipes
