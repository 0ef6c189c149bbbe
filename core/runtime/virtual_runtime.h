// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"
#include "runtime/virtual_scheduler.h"

#include <random>

namespace lockscope {

/// A process in virtual time, with clocks of its own that may be wrong: a wall clock with an offset, and both clocks
/// with a drift.
class VirtualRuntime final : public Runtime {
public:
    /// `scheduler` outlives it. Equal seeds give equal random numbers on every machine.
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

    /// The wall clock from now on: `offset` away from true time.
    void setWallOffset(Nanos offset) { m_wallOffset = offset; }
    Nanos wallOffset() const { return m_wallOffset; }
    /// Both clocks run faster by ppm millionths from now on; |ppm| < 1 000 000. Timers already set keep their instant.
    void setDriftPpm(std::int64_t ppm);

    /// What every simulated wall clock shows at the trace's origin: 2026-01-01T00:00:00Z.
    static constexpr std::int64_t kEpochMs = 1'767'225'600'000;

private:
    VirtualScheduler& m_scheduler;
    std::mt19937_64 m_random;
    Nanos m_wallOffset{};
    std::int64_t m_driftPpm = 0;
    Nanos m_baseTrue{}, m_baseLocal{};
};

} // namespace lockscope
