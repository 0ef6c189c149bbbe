// SPDX-License-Identifier: Apache-2.0
#include "sim/node.h"

#include "inspect/redis_recogniser.h"
#include "runtime/virtual_runtime.h"
#include "sim/key_look.h"

namespace lockscope::sim {

using trace::EventKind;

Node::Node(VirtualScheduler& scheduler, trace::Recorder& recorder, const QByteArray& id, std::uint64_t seed,
           inspect::TraceFeed::Resolver owner)
    : m_scheduler(scheduler),
      m_recorder(recorder),
      m_id(id),
      m_entity(recorder.trace().intern(trace::EntityKind::Node, id)),
      m_engine([this] { return clockUs(); }, seed),
      // Deadlines are exact here: nothing is lost on a wire between the engine and this look at it.
      m_feed(recorder, m_entity, std::move(owner), Nanos(0)),
      m_observer(m_engine.connect()) {
    m_engine.onPush = [this](const RedisEngine::Push& push) {
        const auto session = m_sessions.find(push.to);
        if (session != m_sessions.end()) session->second.push(push);
    };
    m_engine.onKeyChange = [this](const RedisEngine::KeyChange& change) {
        const auto session = m_sessions.find(change.by);
        inspect::Sight& sight = m_changed[change.key] = {};
        if (session != m_sessions.end()) sight.cause = session->second.thread;
        if (change.by == m_observer) sight.freedBy = trace::FreedBy::Force; // it looks, and frees by force
        if (change.expired) sight.freedBy = trace::FreedBy::Expiry;
    };
    m_recorder.emit(EventKind::NodeStarted, m_entity);
}

Node::~Node() {
    if (m_expiry) m_scheduler.cancel(m_expiry);
    if (m_secondLook) m_scheduler.cancel(m_secondLook);
}

std::int64_t Node::clockUs() const {
    return VirtualRuntime::kEpochMs * 1000 +
           std::chrono::floor<std::chrono::microseconds>(m_scheduler.now() + m_clockOffset).count();
}

void Node::watch(const QByteArray& lockName, std::vector<QByteArray> keys) {
    Q_ASSERT(!keys.empty());
    m_feed.lockEntity(lockName);
    std::vector<QByteArray>& watched = m_watched[lockName];
    if (watched == keys) return;
    const bool known = !std::exchange(watched, std::move(keys)).empty();
    if (known && m_life != Life::Dead) writeRecord(lockName, {});
}

RedisEngine::SessionId Node::connect(trace::EntityId thread, std::function<void(const RedisEngine::Push&)> push,
                                     std::function<void()> broken) {
    const RedisEngine::SessionId id = m_engine.connect();
    m_sessions[id] = {thread, std::move(push), std::move(broken)};
    return id;
}

void Node::disconnect(RedisEngine::SessionId session) {
    if (m_life == Life::Paused) {
        m_waiting.push_back({session, {}, {}, true}); // it reads what came before first
    } else if (m_sessions.erase(session) > 0) {
        m_engine.disconnect(session);
    }
}

bool Node::deliver(RedisEngine::SessionId session, redis::Args args, std::function<void(redis::Reply)> answer) {
    if (m_life == Life::Dead || !m_sessions.contains(session)) return false;
    Arrival arrival{session, std::move(args), std::move(answer), false};
    if (m_life == Life::Paused) {
        m_waiting.push_back(std::move(arrival));
    } else {
        run(arrival);
    }
    return true;
}

void Node::run(const Arrival& arrival) {
    redis::Reply reply = m_engine.execute(arrival.session, arrival.args);
    noteRead(arrival, reply);
    if (losesRace(arrival, reply)) m_changed[arrival.args[1]].ownerStays = true;
    settle();
    arrival.answer(std::move(reply));
}

void Node::noteRead(const Arrival& arrival, const redis::Reply& reply) {
    if (arrival.args.size() != 2 || arrival.args[0] != "GET" || !m_watched.contains(arrival.args[1])) return;
    const auto session = m_sessions.find(arrival.session);
    if (session != m_sessions.end()) session->second.read[arrival.args[1]] = reply.text;
}

bool Node::losesRace(const Arrival& arrival, const redis::Reply& reply) const {
    if (arrival.args.size() != 3 || arrival.args[0] != "GETSET" || !m_watched.contains(arrival.args[1])) return false;
    const auto session = m_sessions.find(arrival.session);
    if (session == m_sessions.end()) return false;
    const auto before = session->second.read.find(arrival.args[1]);
    return before != session->second.read.end() && before->second != reply.text;
}

void Node::settle() {
    writeRecords();
    armExpiry();
}

void Node::writeRecords() {
    // Looking at a key may expire it: such changes are written in another round.
    while (!m_changed.empty()) {
        std::map<QByteArray, inspect::Sight> changed;
        changed.swap(m_changed);
        for (const auto& [name, keys] : m_watched) {
            bool concerned = false;
            inspect::Sight sight;
            for (const QByteArray& key : keys) {
                concerned = concerned || std::ranges::any_of(changed, [&key](const auto& entry) {
                                return concernsRecord(entry.first, key);
                            });
                const auto own = changed.find(key);
                if (own != changed.end()) sight = own->second;
            }
            if (concerned) writeRecord(name, sight);
        }
    }
}

void Node::writeRecord(const QByteArray& lockName, inspect::Sight sight) {
    Found found = lookAtLock(lockName);
    sight.exactDeadline = found.exactDeadline;
    if (found.row)
        found.row->raw = std::move(found.raw);
    else
        sight.raw = std::move(found.raw);
    // A world of our own knows its locks; how sure a stranger could be of its keys is no part of it.
    if (found.row) found.row->certainty = inspect::Certainty::Certain;
    m_feed.update(lockName, found.row, sight);
    armSecondLook();
}

void Node::armSecondLook() {
    const Nanos due = m_feed.contentDue();
    if (m_secondLook || due == kNever) return;
    m_secondLook = m_scheduler.at(due, [this] {
        m_secondLook = 0;
        if (m_life != Life::Running) return; // looked at when it goes on
        for (const auto& [name, keys] : m_watched)
            writeRecord(name, {});
    });
}

Node::Found Node::lookAtLock(const QByteArray& lockName) {
    const std::vector<QByteArray>& keys = m_watched.at(lockName);
    Found all = lookAtPart(keys.front());
    const auto isHeld = [](const Found& part) {
        return part.row && part.row->state == inspect::LockRow::State::Held && part.row->holders.size() == 1;
    };
    bool whole = keys.size() == 1 || isHeld(all);
    for (std::size_t i = 1; i < keys.size(); ++i) {
        Found part = lookAtPart(keys[i]);
        std::ranges::move(part.raw, std::back_inserter(all.raw));
        whole = whole && isHeld(part);
        if (!whole) continue;
        inspect::Party &whose = all.row->holders.front(), other = part.row->holders.front();
        whole = whose.client == other.client && whose.thread == other.thread;
        whose.holds = std::min(whose.holds, other.holds);
        if (part.exactDeadline >= all.exactDeadline) continue;
        all.exactDeadline = part.exactDeadline; // the first part to go takes the whole along
        all.row->ttlMs = part.row->ttlMs;
        all.row->neverExpires = false;
    }
    if (keys.size() == 1) return all;
    if (!whole) return {{}, kNever, std::move(all.raw)};
    all.row->name = lockName;
    all.row->waiters.reset(); // those who wait for one part do not queue for the whole
    all.row->waiterCount.reset();
    return all;
}

Node::Found Node::lookAtPart(const QByteArray& key) {
    auto keys = lookAt(m_engine, m_observer, key);
    // A key without a TTL may carry its end in its value, by the clock of the client that wrote it.
    const Nanos offset = !keys.empty() && keys.front().ttlMs ? m_clockOffset : Nanos(0);
    const auto wall = std::chrono::floor<std::chrono::milliseconds>(m_scheduler.now() + offset);
    inspect::RecogniserOptions options;
    options.patterns = {inspect::KeyPattern{key, "string"}};
    options.wallMs = VirtualRuntime::kEpochMs + wall.count();
    Found found;
    for (inspect::KeySnapshot& look : keys) {
        // TTLs are whole milliseconds from the clock's present one: the two together do not change while time passes.
        if (look.ttlMs) look.ends = inspect::EndsWithin{options.wallMs + *look.ttlMs, options.wallMs + *look.ttlMs};
    }
    for (auto& row : inspect::recognise(keys, std::nullopt, options)) {
        if (row.name == key) found.row = std::move(row);
    }
    if (found.row)
        found.raw = std::move(found.row->raw);
    else
        std::ranges::transform(keys, std::back_inserter(found.raw), inspect::toRaw);
    if (found.row && found.row->ttlMs)
        found.exactDeadline = wall + std::chrono::milliseconds(*found.row->ttlMs) - offset;
    return found;
}

void Node::armExpiry() {
    const std::optional<std::int64_t> due = m_life == Life::Running ? m_engine.nextExpiryUs() : std::nullopt;
    // A lease of centuries ends after all that can be simulated.
    constexpr auto kLast = std::chrono::duration_cast<std::chrono::microseconds>(kNever / 2);
    const auto shown = std::chrono::microseconds(due.value_or(0) - VirtualRuntime::kEpochMs * 1000);
    const Nanos at = due && shown < kLast ? Nanos(shown) - m_clockOffset : kNever;
    if (at == m_expiryAt) return;
    if (m_expiry) m_scheduler.cancel(std::exchange(m_expiry, 0));
    m_expiryAt = at;
    if (at != kNever) m_expiry = m_scheduler.at(at, [this] { expire(); });
}

void Node::expire() {
    m_expiry = 0;
    m_expiryAt = kNever;
    m_engine.expireDue();
    settle();
}

void Node::pause() {
    if (m_life != Life::Running) return;
    m_life = Life::Paused;
    armExpiry();
}

void Node::resume() {
    if (m_life != Life::Paused) return;
    m_life = Life::Running;
    expire(); // its clock went on meanwhile
    tellMovedDeadlines();
    while (!m_waiting.empty() && m_life == Life::Running) {
        const Arrival arrival = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (arrival.end)
            disconnect(arrival.session);
        else
            run(arrival);
    }
}

void Node::kill() {
    if (m_life == Life::Dead) return;
    m_life = Life::Dead;
    m_waiting.clear();
    m_changed.clear();
    armExpiry();
    const auto sessions = std::exchange(m_sessions, {});
    for (const auto& [id, session] : sessions)
        m_engine.disconnect(id);
    m_engine.clear();
    // Without its server the record is gone, whoever it named.
    for (const auto& [name, keys] : m_watched)
        m_feed.update(name, std::nullopt, {.freedBy = trace::FreedBy::NodeLoss});
    for (const auto& [id, session] : sessions)
        session.broken();
}

void Node::start() {
    if (m_life == Life::Dead) m_life = Life::Running;
}

void Node::setClockOffset(Nanos offset) {
    m_clockOffset = offset;
    m_expiryAt = kNever;
    if (m_expiry) m_scheduler.cancel(std::exchange(m_expiry, 0));
    if (m_life != Life::Running) return; // a stopped server looks at its clock when it goes on
    m_engine.expireDue();
    settle();
    tellMovedDeadlines();
}

void Node::tellMovedDeadlines() {
    for (const auto& [name, keys] : m_watched)
        writeRecord(name, {.clockMoved = true});
}

void Node::forceRelease(const QByteArray& lockName) {
    if (m_life != Life::Running) return;
    const auto watched = m_watched.find(lockName);
    const std::vector<QByteArray> keys = watched == m_watched.end() ? std::vector{lockName} : watched->second;
    for (const QByteArray& key : keys)
        m_engine.execute(m_observer, {"DEL", key});
    settle();
}

} // namespace lockscope::sim
