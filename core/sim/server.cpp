// SPDX-License-Identifier: Apache-2.0
#include "sim/server.h"

#include "runtime/virtual_runtime.h"
#include "sim/probe.h"

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
    if (!m_stands) goOn();
}

void Server::goOn() {
    if (!m_diskStalls) diskAnswers();
    resumed(); // its clock went on meanwhile
    drain();
}

void Server::drain() {
    while (!m_waiting.empty() && acts()) {
        const Work work = std::move(m_waiting.front());
        m_waiting.pop_front();
        work();
    }
}

// --- the disk ---

void Server::stallDisk() {
    if (std::exchange(m_diskStalls, true)) return;
    m_diskNews = false;
    if (m_life != Life::Dead) diskStalled();
}

void Server::freeDisk() {
    if (!std::exchange(m_diskStalls, false) || m_life == Life::Dead) return;
    m_diskNews = true;
    const bool stood = std::exchange(m_stands, false);
    if (m_life == Life::Paused) return; // it hears of it when it goes on
    if (stood) return goOn();
    diskAnswers();
}

void Server::diskAnswers() {
    if (!std::exchange(m_diskNews, false)) return;
    diskFreed();
    while (!m_forDisk.empty() && acts() && !m_diskStalls) {
        const Work work = std::move(m_forDisk.front());
        m_forDisk.pop_front();
        work();
    }
}

void Server::onDisk(Work work) {
    if (m_diskStalls || !m_forDisk.empty())
        m_forDisk.push_back(std::move(work));
    else
        work();
}

void Server::standStill() {
    Q_ASSERT(m_diskStalls);
    if (m_life == Life::Dead || std::exchange(m_stands, true)) return;
    reached(Probe::StoodStill);
    paused();
}

void Server::die(Death death) {
    if (m_life == Life::Dead) return;
    m_life = Life::Dead;
    m_death = death;
    ++m_incarnation;
    m_waiting.clear();
    m_forDisk.clear();
    m_stands = m_diskNews = false;
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
    if (disk == Disk::Empty) m_diskStalls = false;
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
