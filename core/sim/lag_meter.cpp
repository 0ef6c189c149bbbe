// SPDX-License-Identifier: Apache-2.0
#include "sim/lag_meter.h"

namespace lockscope::sim {

namespace {
constexpr Nanos kApart = 100ms;     ///< between two rows
constexpr Nanos kLeastChange = 2ms; ///< a smaller one, or one of less than a tenth, is the same lag
} // namespace

void LagMeter::arrived(trace::EntityId master, Nanos age) {
    const Nanos change = std::chrono::abs(age - m_told);
    const bool other = change > kLeastChange && change > m_told / 10;
    if (m_told < Nanos(0) || (other && m_grounds.scheduler.now() - m_toldAt >= kApart)) tell(master, age);
}

void LagMeter::waits(trace::EntityId master, Nanos age) {
    if (age > m_told + m_told / 10 + kLeastChange) tell(master, age);
}

void LagMeter::tell(trace::EntityId master, Nanos age) {
    m_told = age;
    m_toldAt = m_grounds.scheduler.now();
    m_grounds.recorder.emit(trace::EventKind::ReplicationLag, m_replica, master, age.count(), 0,
                            std::uint8_t(trace::LagUnit::Time));
}

} // namespace lockscope::sim
