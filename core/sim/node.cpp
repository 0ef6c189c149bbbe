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
        m_changed[change.key] = {session == m_sessions.end() ? trace::kNoEntity : session->second.thread,
                                 change.expired};
    };
    m_recorder.emit(EventKind::NodeStarted, m_entity);
}

Node::~Node() {
    if (m_expiry) m_scheduler.cancel(m_expiry);
}

std::int64_t Node::clockUs() const {
    return VirtualRuntime::kEpochMs * 1000 +
           std::chrono::floor<std::chrono::microseconds>(m_scheduler.now() + m_clockOffset).count();
}

void Node::watch(const QByteArray& lockName) {
    if (m_watched.insert(lockName).second) m_feed.lockEntity(lockName);
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
    settle();
    arrival.answer(std::move(reply));
}

void Node::settle() {
    writeRecords();
    armExpiry();
}

void Node::writeRecords() {
    // Looking at a key may expire it: such changes are written in another round.
    while (!m_changed.empty()) {
        std::map<QByteArray, Change> changed;
        changed.swap(m_changed);
        for (const QByteArray& name : m_watched) {
            const auto related = std::ranges::find_if(
                changed, [&name](const auto& entry) { return entry.first == name || entry.first.contains(name); });
            if (related == changed.end()) continue;
            const auto own = changed.find(name);
            const Change change = own == changed.end() ? Change{} : own->second;
            const auto keys = lookAt(m_engine, m_observer, name);
            inspect::RecogniserOptions options;
            options.patterns = {inspect::KeyPattern{name, "string"}};
            options.wallMs = clockUs() / 1000;
            std::optional<inspect::LockRow> row;
            for (auto& found : inspect::recognise(keys, std::nullopt, options)) {
                if (found.name == name) row = std::move(found);
            }
            m_feed.update(name, row, change.cause, change.expired, m_forced);
        }
    }
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
    for (const QByteArray& name : m_watched)
        m_feed.update(name, std::nullopt, trace::kNoEntity, false, true);
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
    if (m_life != Life::Running) return;
    m_engine.expireDue();
    for (const QByteArray& name : m_watched)
        m_changed.try_emplace(name); // deadlines moved, seen from true time
    settle();
}

void Node::forceRelease(const QByteArray& lockName) {
    if (m_life != Life::Running) return;
    m_forced = true;
    m_engine.execute(m_observer, {"DEL", lockName});
    settle();
    m_forced = false;
}

} // namespace lockscope::sim
