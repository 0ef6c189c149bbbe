// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"
#include "runtime/virtual_scheduler.h"

#include <random>

namespace lockscope {

/// A process in virtual time. Its clocks may be wrong: the wall clock can have an offset, and both clocks a drift.
class VirtualRuntime final : public Runtime {
public:
    /// `scheduler` must outlive it. Equal seeds give equal random numbers on every machine.
    VirtualRuntime(VirtualScheduler& scheduler, std::uint64_t seed);
    ~VirtualRuntime() override;

    Nanos monotonic() const override;
    std::int64_t wallMs() const override;
    Nanos traceTimeOf(Nanos monotonic) const override;
    Nanos traceNow() const override { return m_scheduler.now(); }
    using Runtime::random;
    std::uint64_t random() override { return m_random(); }
    TimerId callAt(Nanos monotonic, Callback callback) override;
    void cancelCall(TimerId id) override { m_scheduler.cancel(id); }
    void post(Callback callback) override { m_scheduler.at(m_scheduler.now(), std::move(callback)); }

    /// Sets the wall clock's offset, which is added to the process's own (possibly drifting) time.
    void setWallOffset(Nanos offset) { m_wallOffset = offset; }
    /// From now on both clocks run faster by ppm millionths; |ppm| < 1 000 000. Timers already set keep their instant.
    void setDriftPpm(std::int64_t ppm);

    /// The time of every simulated wall clock without an offset at the trace's origin: 2026-01-01T00:00:00Z.
    static constexpr std::int64_t kEpochMs = 1'767'225'600'000;

private:
    void wantTurn() override;
    VirtualScheduler& m_scheduler;
    std::mt19937_64 m_random;
    Nanos m_wallOffset{};
    std::int64_t m_driftPpm = 0;
    Nanos m_baseTrue{}, m_baseLocal{};
};

} // namespace lockscope
