// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.h"

#include <algorithm>
#include <queue>
#include <vector>

namespace lockscope::trace {

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLease = 3000 * kMs;
constexpr std::int64_t kRenewal = 1000 * kMs;

/// splitmix64 (Steele, Lea, Flood 2014): small, and the same on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_state(seed) {}
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool oneIn(std::int64_t n) { return between(1, n) == 1; }

private:
    std::uint64_t next() {
        std::uint64_t z = (m_state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint64_t m_state;
};

/// Plans one hold of a lock after the other, each as a handful of future rows, and writes all locks' rows in time
/// order.
class Generator {
public:
    Generator(Trace& trace, unsigned clients, std::uint64_t seed) : m_trace(trace), m_dice(seed) {
        m_node = trace.intern(EntityKind::Node, "redis-1");
        m_set = trace.text("SET orders … NX PX 3000");
        m_extend = trace.text("EVALSHA extend orders");
        m_delete = trace.text("EVALSHA compare-and-delete orders");
        m_channel = trace.text("redisson_lock__channel:{orders}");
        m_reason = trace.text("the server says: not yours");
        for (unsigned i = 0; i < std::clamp(clients, 1u, 1000u); ++i) {
            const QByteArray name =
                i < 26 ? QByteArray(1, static_cast<char>('A' + i)) : "C" + QByteArray::number(i + 1);
            Client c;
            c.id = trace.intern(EntityKind::Client, name);
            c.thread = trace.intern(EntityKind::Thread, "1", c.id);
            c.link = trace.intern(EntityKind::Link, {}, c.id, m_node);
            m_clients.push_back(c);
        }
        for (std::size_t i = 0; i * 10 < m_clients.size(); ++i) {
            const qulonglong number = i + 1;
            const QByteArray suffix = i ? "-" + QByteArray::number(number) : QByteArray();
            Lock lock;
            lock.id = trace.intern(EntityKind::Lock, "orders" + suffix, m_node);
            lock.resource = trace.intern(EntityKind::Resource, "stock" + suffix, lock.id);
            lock.first = i * 10;
            lock.count = std::min<std::size_t>(10, m_clients.size() - lock.first);
            m_locks.push_back(lock);
        }
        plan(0, EventKind::NodeStarted, m_node);
        for (const Client& c : m_clients)
            plan(0, EventKind::ClientStarted, c.id);
        for (std::size_t i = 0; i < m_locks.size(); ++i)
            planTurn(i, m_dice.between(0, 500 * kMs));
    }

    void write(std::size_t events) {
        while (m_trace.size() < events) {
            const Planned next = m_future.top();
            m_future.pop();
            if (next.turnOf >= 0)
                turn(m_locks[static_cast<std::size_t>(next.turnOf)], next.turnOf, next.event.at);
            else
                m_trace.append(next.event);
        }
    }

private:
    struct Client {
        EntityId id, thread, link;
        std::int64_t busyUntil = 0; ///< its last hold or fault still has rows to come
        bool waiting = false;
    };
    struct Lock {
        EntityId id, resource;
        std::size_t first, count;
        std::int64_t token = 0;
        std::size_t turns = 0;
    };
    struct Planned {
        Event event;
        std::uint64_t order; ///< among rows of one instant
        std::int64_t turnOf = -1;
        bool operator<(const Planned& other) const { // std::priority_queue gives the largest
            return std::pair(event.at, order) > std::pair(other.event.at, other.order);
        }
    };

    void plan(std::int64_t at, EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0,
              std::uint32_t aux = 0, std::uint8_t flags = 0) {
        m_future.push({{at, value, actor, subject, aux, kind, flags}, m_order++});
    }
    void planTurn(std::size_t lock, std::int64_t at) {
        m_future.push({{at, 0, 0, 0, 0, EventKind::None, 0}, m_order++, static_cast<std::int64_t>(lock)});
    }
    std::int64_t latency() { return m_dice.between(50'000, 150'000); }

    /// A command and its answer; gives when the server ran it and when the answer is back.
    std::pair<std::int64_t, std::int64_t> command(const Client& c, std::int64_t at, EntityId text) {
        const std::int64_t there = latency(), back = latency();
        plan(at, EventKind::Request, c.id, m_node, there, text);
        plan(at + there, EventKind::Reply, m_node, c.id, back, text);
        return {at + there, at + there + back};
    }

    void request(const Lock& lock, Client& c, std::int64_t at) {
        plan(at, EventKind::Step, c.thread, lock.id, 0, 1);
        plan(at, EventKind::Requested, c.thread, lock.id, -1);
        command(c, at, m_set);
        c.waiting = true;
    }

    /// One hold, from grant to release or loss, and the time at which the lock is free again.
    void turn(Lock& lock, std::int64_t index, std::int64_t now) {
        ++lock.turns;
        Client* holder = pick(lock, now);
        if (!holder) {
            planTurn(static_cast<std::size_t>(index), now + 200 * kMs);
            return;
        }
        Client& c = *holder;
        if (!c.waiting) request(lock, c, now);
        c.waiting = false;
        const auto [ran, back] = command(c, now + 1000, m_set);
        ++lock.token;
        plan(ran, EventKind::RecordHeld, c.thread, lock.id, ran + kLease, 1);
        plan(ran, EventKind::RecordToken, m_node, lock.id, lock.token);
        plan(back, EventKind::Granted, c.thread, lock.id, lock.token, 1);
        plan(back, EventKind::BelievedUntil, c.thread, lock.id, -1);
        plan(back, EventKind::Step, c.thread, lock.id, 0, 2);
        callWaiters(lock, now, c);

        const std::int64_t hold = m_dice.between(200 * kMs, 4000 * kMs);
        const bool pause = lock.count > 1 && m_dice.oneIn(60);
        const bool crash = !pause && m_dice.oneIn(200);
        const bool cut = !pause && !crash && m_dice.oneIn(150);
        const std::int64_t trouble = pause || crash || cut ? back + hold / 2 : INT64_MAX;
        std::int64_t deadline = ran + kLease;
        for (std::int64_t t = back + kRenewal; t < std::min(back + hold, trouble); t += kRenewal) {
            const auto [renewed, known] = command(c, t, m_extend);
            deadline = renewed + kLease;
            plan(renewed, EventKind::RecordRenewed, c.thread, lock.id, deadline, 1);
            plan(known, EventKind::Renewed, c.thread, lock.id);
        }
        writes(lock, c, back, std::min(back + hold, trouble));
        if (pause) return pauseHolder(lock, index, c, trouble, deadline);
        if (crash) return crashHolder(lock, index, c, trouble, deadline);
        if (cut) {
            plan(trouble, EventKind::LinkCut, m_node, c.link, 0, 0, kFault);
            plan(trouble + 1, EventKind::LinkMended, m_node, c.link, 0, 0, kFault);
        }
        const std::int64_t end = back + hold;
        plan(end, EventKind::Step, c.thread, lock.id, 0, 3);
        plan(end, EventKind::ReleaseSent, c.thread, lock.id);
        const auto [freed, known] = command(c, end, m_delete);
        plan(freed, EventKind::RecordFreed, c.thread, lock.id, 0, c.thread,
             static_cast<std::uint8_t>(FreedBy::Release));
        plan(known, EventKind::Released, c.thread, lock.id);
        plan(known, EventKind::Step, c.thread, lock.id);
        push(lock, freed);
        c.busyUntil = known + m_dice.between(100 * kMs, 1500 * kMs);
        planTurn(static_cast<std::size_t>(index), freed + latency());
    }

    /// The pause outlives the lease; the next one gets the lock while this one still believes in it, and writes.
    void pauseHolder(Lock& lock, std::int64_t index, Client& c, std::int64_t at, std::int64_t deadline) {
        const std::int64_t resumed = deadline + m_dice.between(100 * kMs, 2000 * kMs);
        plan(at, EventKind::ClientPaused, c.id, 0, 0, 0, m_dice.oneIn(4) ? kFault | kByHand : kFault);
        plan(deadline, EventKind::RecordFreed, 0, lock.id, 0, c.thread, static_cast<std::uint8_t>(FreedBy::Expiry));
        push(lock, deadline);
        plan(resumed, EventKind::ClientResumed, c.id, 0, 0, 0, kFault);
        const bool checked = m_dice.oneIn(2);
        plan(resumed + kMs, checked ? EventKind::WriteRefused : EventKind::WriteAccepted, c.thread, lock.resource,
             lock.token, checked ? m_reason : 0);
        const auto [ran, back] = command(c, resumed + 2 * kMs, m_extend);
        plan(back, EventKind::RenewRefused, c.thread, lock.id);
        plan(back, EventKind::Lost, c.thread, lock.id, 0, m_reason);
        plan(back, EventKind::Step, c.thread, lock.id);
        c.busyUntil = back + m_dice.between(100 * kMs, 1500 * kMs);
        planTurn(static_cast<std::size_t>(index), deadline + latency());
    }

    void crashHolder(Lock& lock, std::int64_t index, Client& c, std::int64_t at, std::int64_t deadline) {
        plan(at, EventKind::ClientKilled, c.id, 0, 0, 0, kFault);
        plan(deadline, EventKind::RecordFreed, 0, lock.id, 0, c.thread, static_cast<std::uint8_t>(FreedBy::Expiry));
        push(lock, deadline);
        c.busyUntil = deadline + m_dice.between(500 * kMs, 3000 * kMs);
        plan(c.busyUntil, EventKind::ClientStarted, c.id);
        planTurn(static_cast<std::size_t>(index), deadline + latency());
    }

    void writes(const Lock& lock, const Client& c, std::int64_t from, std::int64_t to) {
        for (std::int64_t t = from + m_dice.between(100 * kMs, 300 * kMs); t < to;
             t += m_dice.between(400 * kMs, 700 * kMs))
            plan(t, EventKind::WriteAccepted, c.thread, lock.resource, lock.token);
    }

    /// Others come and queue up; now and then one gives up.
    void callWaiters(Lock& lock, std::int64_t now, const Client& holder) {
        std::int64_t depth = 0;
        for (std::size_t i = lock.first; i < lock.first + lock.count; ++i) {
            Client& c = m_clients[i];
            if (&c == &holder || c.busyUntil > now) continue;
            const std::int64_t at = now + m_dice.between(kMs, 150 * kMs);
            if (c.waiting && m_dice.oneIn(40)) {
                plan(at, EventKind::TimedOut, c.thread, lock.id, at - now);
                plan(at, EventKind::Step, c.thread, lock.id);
                c.waiting = false;
                c.busyUntil = at;
            } else if (!c.waiting && m_dice.oneIn(3)) {
                request(lock, c, at);
            }
            depth += c.waiting;
        }
        plan(now + 150 * kMs, EventKind::RecordWaiters, m_node, lock.id, depth);
    }

    void push(const Lock& lock, std::int64_t at) {
        for (std::size_t i = lock.first; i < lock.first + lock.count; ++i)
            if (m_clients[i].waiting) plan(at, EventKind::Push, m_node, m_clients[i].id, latency(), m_channel);
    }

    /// Somebody free, the waiting ones first, round and round.
    Client* pick(const Lock& lock, std::int64_t now) {
        Client* idle = nullptr;
        for (std::size_t i = 0; i < lock.count; ++i) {
            Client& c = m_clients[lock.first + (lock.turns + i) % lock.count];
            if (c.busyUntil > now) continue;
            if (c.waiting) return &c;
            if (!idle) idle = &c;
        }
        return idle;
    }

    Trace& m_trace;
    Dice m_dice;
    std::uint64_t m_order = 0;
    EntityId m_node, m_set, m_extend, m_delete, m_channel, m_reason;
    std::vector<Client> m_clients;
    std::vector<Lock> m_locks;
    std::priority_queue<Planned> m_future;
};

} // namespace

void fillSynthetic(Trace& trace, std::size_t events, unsigned clients, std::uint64_t seed) {
    Q_ASSERT(trace.size() == 0);
    Generator(trace, clients, seed).write(events);
}

std::shared_ptr<Trace> syntheticTrace(std::size_t events, unsigned clients, std::uint64_t seed) {
    auto trace = std::make_shared<Trace>();
    fillSynthetic(*trace, events, clients, seed);
    return trace;
}

} // namespace lockscope::trace
