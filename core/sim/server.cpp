// SPDX-License-Identifier: Apache-2.0
#include "sim/server.h"

#include "runtime/virtual_runtime.h"

namespace lockscope::sim {

namespace {
constexpr std::int64_t kMillion = 1'000'000;

Nanos scaled(Nanos time, std::int64_t ppm, std::int64_t per) {
    __extension__ using Wide = __int128;
    return Nanos(static_cast<std::int64_t>(static_cast<Wide>(time.count()) * ppm / per));
}
} // namespace

Server::Server(Grounds grounds, QByteArray id)
    : m_grounds(grounds),
      m_id(std::move(id)),
      m_entity(grounds.recorder.trace().intern(trace::EntityKind::Node, m_id)) {
}

Nanos Server::clockOffset() const {
    if (m_clockPpm == 0) return m_clockBase;
    return m_clockBase + scaled(now() - m_clockSince, m_clockPpm, kMillion);
}

std::int64_t Server::clockUs() const {
    return VirtualRuntime::kEpochMs * 1000 +
           std::chrono::floor<std::chrono::microseconds>(now() + clockOffset()).count();
}

Nanos Server::instantOf(std::int64_t us) const {
    // A lease of centuries ends after all that can be simulated.
    constexpr auto kLast = std::chrono::duration_cast<std::chrono::microseconds>(kNever / 2);
    const auto shown = std::chrono::microseconds(us - VirtualRuntime::kEpochMs * 1000);
    if (shown >= kLast) return kNever;
    if (m_clockPpm == 0) return Nanos(shown) - m_clockBase;
    // Rounded up: a timer must not ring before the clock shows its instant.
    const Nanos since = Nanos(shown) - m_clockBase - m_clockSince;
    return m_clockSince + scaled(since, kMillion, kMillion + m_clockPpm) + Nanos(1);
}

void Server::pause() {
    if (m_life != Life::Running) return;
    m_life = Life::Paused;
    paused();
}

void Server::resume() {
    if (m_life != Life::Paused) return;
    m_life = Life::Running;
    resumed(); // its clock went on meanwhile
    while (!m_waiting.empty() && m_life == Life::Running) {
        const Work work = std::move(m_waiting.front());
        m_waiting.pop_front();
        work();
    }
}

void Server::die(Death death) {
    if (m_life == Life::Dead) return;
    m_life = Life::Dead;
    m_death = death;
    ++m_incarnation;
    m_waiting.clear();
    died(death);
}

void Server::kill() {
    die(Death::Killed);
}

void Server::crash() {
    if (m_life != Life::Dead) ++m_crashes;
    die(Death::Crashed);
}

void Server::boot(Disk disk) {
    if (m_life != Life::Dead) return;
    m_life = Life::Running;
    booted(disk);
}

void Server::start() {
    boot(m_death == Death::Crashed ? Disk::Flushed : Disk::Kept);
}

void Server::startEmpty() {
    boot(Disk::Empty);
}

void Server::setClock(Nanos offset, std::int64_t ppm) {
    m_clockBase = offset;
    m_clockSince = now();
    m_clockPpm = ppm;
    clockSet();
}

void Server::after(Nanos delay, Work work) {
    m_grounds.scheduler.at(laterBy(now(), delay),
                           [this, incarnation = m_incarnation, work = std::move(work)]() mutable {
                               if (incarnation == m_incarnation) arrive(std::move(work));
                           });
}

} // namespace lockscope::sim
