// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/meter.h"

#include "lock/listener_call.h"

#include <memory>
#include <mutex>

namespace lockscope {

namespace {
struct Current {
    std::atomic<bool> any = false;
    std::mutex guard; ///< of `handler`
    std::shared_ptr<const MetricsHandler> handler;

    /// Never destroyed: service threads may end after it.
    static Current& get() {
        static auto* const current = new Current;
        return *current;
    }
};
} // namespace

void setMetricsHandler(MetricsHandler handler) {
    Current& current = Current::get();
    auto next = handler ? std::make_shared<const MetricsHandler>(std::move(handler)) : nullptr;
    const std::lock_guard held(current.guard);
    current.any = next != nullptr;
    current.handler.swap(next);
}

namespace blocking::detail {

void Meter::note(const LockMeasure& measure) noexcept {
    using Kind = LockMeasure::Kind;
    constexpr auto kRelaxed = std::memory_order_relaxed;
    m_counts.at(std::size_t(measure.kind)).fetch_add(1, kRelaxed);
    if (measure.kind == Kind::Acquired) m_waited.fetch_add(measure.duration.count(), kRelaxed);
    if (measure.kind == Kind::Released || measure.kind == Kind::Lost)
        m_held.fetch_add(measure.duration.count(), kRelaxed);
    Current& current = Current::get();
    if (!current.any.load(kRelaxed)) return;
    std::shared_ptr<const MetricsHandler> handler;
    {
        const std::lock_guard held(current.guard);
        handler = current.handler;
    }
    if (handler) lockscope::detail::callListener(*handler, measure);
}

LockTotals Meter::totals() const noexcept {
    using Kind = LockMeasure::Kind;
    const auto count = [this](Kind kind) { return m_counts.at(std::size_t(kind)).load(std::memory_order_relaxed); };
    LockTotals totals;
    totals.acquired = count(Kind::Acquired);
    totals.timedOut = count(Kind::TimedOut);
    totals.failed = count(Kind::Failed);
    totals.renewed = count(Kind::Renewed);
    totals.suspended = count(Kind::Suspended);
    totals.released = count(Kind::Released);
    totals.lost = count(Kind::Lost);
    totals.waited = std::chrono::nanoseconds(m_waited.load(std::memory_order_relaxed));
    totals.held = std::chrono::nanoseconds(m_held.load(std::memory_order_relaxed));
    return totals;
}

} // namespace blocking::detail

} // namespace lockscope
