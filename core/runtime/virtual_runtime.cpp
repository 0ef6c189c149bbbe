// SPDX-License-Identifier: Apache-2.0
#include "runtime/virtual_runtime.h"

namespace lockscope {

namespace {
constexpr std::int64_t kMillion = 1'000'000;

/// t × numerator / denominator without overflow or floating point.
Nanos scale(Nanos t, std::int64_t numerator, std::int64_t denominator) {
    __extension__ using Wide = __int128;
    return Nanos(static_cast<std::int64_t>(static_cast<Wide>(t.count()) * numerator / denominator));
}
} // namespace

VirtualRuntime::VirtualRuntime(VirtualScheduler& scheduler, std::uint64_t seed)
    : m_scheduler(scheduler), m_random(seed), m_baseTrue(scheduler.now()), m_baseLocal(scheduler.now()) {
}

VirtualRuntime::~VirtualRuntime() {
    kill();
}

Nanos VirtualRuntime::monotonic() const {
    if (m_driftPpm == 0) return m_baseLocal + (m_scheduler.now() - m_baseTrue); // no 128-bit division
    return m_baseLocal + scale(m_scheduler.now() - m_baseTrue, kMillion + m_driftPpm, kMillion);
}

Nanos VirtualRuntime::traceTimeOf(Nanos monotonic) const {
    if (monotonic == kNever) return kNever;
    if (m_driftPpm == 0) return m_baseTrue + (monotonic - m_baseLocal);
    // Rounded up: a timer must not fire before the local clock shows its instant.
    return m_baseTrue + scale(monotonic - m_baseLocal, kMillion, kMillion + m_driftPpm) + Nanos(1);
}

std::int64_t VirtualRuntime::wallMs() const {
    return kEpochMs + std::chrono::floor<std::chrono::milliseconds>(monotonic() + m_wallOffset).count();
}

Runtime::TimerId VirtualRuntime::callAt(Nanos monotonic, Callback callback) {
    return m_scheduler.at(traceTimeOf(monotonic), std::move(callback));
}

void VirtualRuntime::wantTurn() {
    m_scheduler.at(m_scheduler.now(), [this, living = exists()] {
        if (!living.expired()) runTurn();
    });
}

void VirtualRuntime::setDriftPpm(std::int64_t ppm) {
    m_baseLocal = monotonic();
    m_baseTrue = m_scheduler.now();
    m_driftPpm = ppm;
}

} // namespace lockscope
