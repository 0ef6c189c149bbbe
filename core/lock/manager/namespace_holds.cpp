// SPDX-License-Identifier: Apache-2.0
// How the holds of a namespace end when its engine is left.
#include "lock/manager/managed_core.h"
#include "lock/manager/namespace.h"
#include "lock/manager/under_way.h"

namespace lockscope::detail {

QCoro::Task<> Namespace::loseHolds(std::shared_ptr<Namespace> self) {
    return self->loseHoldsBefore(std::numeric_limits<std::int64_t>::max(),
                                 QT_TRANSLATE_NOOP("Lock", "its manager has been closed"));
}

QCoro::Task<> Namespace::endHolds(std::shared_ptr<Namespace> self, std::int64_t before, Nanos at,
                                  std::uint64_t leaving) {
    const Nanos now = self->m_runtime.monotonic();
    if (at > now) co_await self->m_runtime.sleep(at - now, self->m_stop.get_token());
    // The record may have become readable again meanwhile, without any switch.
    if (self->m_active.epoch < before && (!self->m_leaving || self->m_leavings != leaving)) co_return;
    const auto afterwards = [self, before, leaving] { return untilNobodyGrants(self, before, leaving); };
    co_await self->loseHoldsBefore(before, QT_TRANSLATE_NOOP("Lock", "another engine is used for locks from now on"),
                                   afterwards);
}

/// Until no process grants any more on the engine that was left for another one. A hold that was given back sooner
/// would go to a waiter of a process that has not heard of the switch, and be taken away from it, too.
QCoro::Task<> Namespace::untilNobodyGrants(std::shared_ptr<Namespace> self, std::int64_t before,
                                           std::uint64_t leaving) {
    const Nanos leaseEnds = laterBy(self->m_runtime.monotonic(), self->m_config.options.lease);
    while (!self->stopped() && self->m_leaving && self->m_leavings == leaving && self->m_active.epoch < before &&
           self->m_leftFor >= before) {
        const Nanos left = leaseEnds - self->m_runtime.monotonic();
        if (left <= Nanos(0)) co_return;
        co_await self->changed(left, {});
    }
}

QCoro::Task<> Namespace::loseHoldsBefore(std::int64_t epoch, const char* reason, std::function<QCoro::Task<>()> pause) {
    const auto self = shared_from_this();
    {
        const UnderWay givingBack(m_givingBack);
        std::vector<QCoro::Task<>> telling;
        // Each lock tells its holders before it waits for anything. A listener may destroy locks: this walks over a
        // copy.
        for (const std::shared_ptr<ManagedCore>& lock : std::set(locks))
            telling.push_back(ManagedCore::loseBefore(lock, epoch, reason, pause));
        for (const QCoro::Task<>& task : telling)
            co_await task;
    }
    wakeAll(); // close() waits for this
}

} // namespace lockscope::detail
