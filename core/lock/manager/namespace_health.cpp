// SPDX-License-Identifier: Apache-2.0
// Whether a namespace's engines are healthy, and what comes of it when the one in use is not.
#include "lock/manager/namespace.h"
#include "runtime/completion.h"

namespace lockscope::detail {

namespace {
constexpr int kLately = 10; ///< an engine was left lately within so many times the length of a switch
/// A return to the primary has proved right when it lasts for so many times the wait before it.
constexpr int kLasting = 10;
constexpr int kMostDoublings = 6;
} // namespace

QCoro::Task<> Namespace::checkHealth(std::shared_ptr<Namespace> self, QByteArray id) {
    const std::stop_token stop = self->m_stop.get_token();
    for (;;) {
        Engine* engine = self->engineOf(id);
        if (!engine) co_return; // taken out of the configuration
        Connection* const connection = engine->connection;
        const Completion<bool> answered;
        self->m_runtime.spawn([connection, answered, stop]() -> QCoro::Task<> {
            const auto alive = co_await connection->ping(stop);
            answered.complete(alive.has_value());
        });
        const auto good = co_await answered.wait(self->m_runtime, self->m_config.healthTimeout, stop);
        engine = self->engineOf(id);
        if (!engine) co_return;
        if (!good.value_or(false))
            engine->goodSince = kNever;
        else if (engine->goodSince == kNever)
            engine->goodSince = self->m_runtime.monotonic();
        if (engine->health.enter(good.value_or(false))) {
            const bool healthy = engine->health.healthy();
            self->tell(healthy ? ManagerEvent::Kind::Healthy : ManagerEvent::Kind::Unhealthy, id, self->m_active.epoch);
            engine = self->engineOf(id); // the listener may have given a new configuration
            if (!engine) co_return;
        }
        // An engine that answers again is not left. A process that was cut off finds all engines unhealthy,
        // and some of them healthy again before the others: that alone is no reason for all processes to switch.
        const bool failing = !good.value_or(false) && !engine->health.healthy();
        const bool away = failing && self->m_active.engine == id && self->m_config.onFailure;
        if (away && self->m_proposing == 0) co_await switchAway(self, id);
        engine = self->engineOf(id);
        if (engine && self->mayReturnTo(*engine)) co_await self->propose(id, SwitchReason::FailBack, stop);
        co_await self->m_runtime.sleep(self->m_config.healthEvery, stop);
    }
}

QCoro::Task<> Namespace::switchAway(std::shared_ptr<Namespace> self, QByteArray from) {
    if (self->m_deciding.epoch > self->m_active.epoch) co_return; // a switch is under way
    // Takes the first engine that was not left lately. Where some processes cannot reach one engine and some not
    // another, they would take turns in leaving these two, and never try the one that all of them can reach.
    const Nanos now = self->m_runtime.monotonic();
    const Nanos lately = kLately * self->settleTime();
    const Engine* best = nullptr;
    Nanos bestLeftAt{};
    for (const Engine& engine : self->m_engines) {
        if (engine.id == from || !engine.health.healthy()) continue;
        const Nanos leftAt = now < laterBy(engine.leftAt, lately) ? engine.leftAt : Nanos(0);
        if (best && bestLeftAt <= leftAt) continue;
        best = &engine;
        bestLeftAt = leftAt;
    }
    if (!best) co_return;
    const QByteArray to = best->id;
    co_await self->propose(to, SwitchReason::Health, self->m_stop.get_token());
}

bool Namespace::mayReturnTo(const Engine& engine) const {
    const bool away = usable() > 0 && m_active.engine != m_engines.front().id;
    if (m_config.failBackAfter == Nanos(0) || !away || engine.id != m_engines.front().id) return false;
    if (m_proposing > 0 || switching() || isChoice(switchReasonOf(m_active.why))) return false;
    if (!engine.health.healthy() || engine.goodSince == kNever) return false;
    // Not before the engine in use was adopted, either: the primary may have failed other processes only.
    const Nanos since = std::max(engine.goodSince, m_adoptedAt);
    const Nanos wait = m_config.failBackAfter * (1 << std::clamp(m_active.returns, 0, kMostDoublings));
    return m_runtime.monotonic() >= laterBy(since, wait);
}

int Namespace::returnsFor(SwitchReason why) const {
    if (why == SwitchReason::FailBack) return std::min(m_active.returns + 1, kMostDoublings);
    if (why != SwitchReason::Health) return 0;
    const int before = std::clamp(m_active.returns, 0, kMostDoublings);
    const Nanos lasting = kLasting * m_config.failBackAfter * (1 << before);
    const bool lasted = m_runtime.monotonic() >= laterBy(m_adoptedAt, lasting);
    return lasted ? 0 : before;
}

} // namespace lockscope::detail
