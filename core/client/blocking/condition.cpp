// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/service.h"

#include <QCoreApplication>
#include <lockscope/condition.h>

namespace lockscope::blocking {

namespace {
AnyCondition& conditionOf(detail::Service& service, detail::Entry& entry) {
    if (!entry.condition) entry.condition = service.source().makeCondition(*entry.lock, entry.space, entry.name);
    return *entry.condition;
}
} // namespace

bool Condition::await(std::unique_lock<Mutex>& lock, std::chrono::nanoseconds wait, std::stop_token stop) {
    if (lock.mutex() != &m_mutex || !lock.owns_lock())
        throwLockError({LockError::Kind::InvalidArgument,
                        QCoreApplication::translate(
                            "LockError", "A wait for a condition wants a lock that owns the condition's mutex.")});
    const QByteArray thread = detail::threadNumber();
    detail::Service& service = *m_mutex.m_handle.service();
    detail::Entry& entry = *m_mutex.m_handle.entry();
    return service.call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            if (!entry.lock) co_return std::unexpected(detail::closedError());
            co_return co_await conditionOf(service, entry).await(wait, thread, stopped);
        },
        std::move(stop));
}

int Condition::signal(int most) {
    const QByteArray thread = detail::threadNumber();
    detail::Service& service = *m_mutex.m_handle.service();
    detail::Entry& entry = *m_mutex.m_handle.entry();
    return service.call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        if (!entry.lock) co_return std::unexpected(detail::closedError());
        AnyCondition& condition = conditionOf(service, entry);
        if (most == 1) co_return co_await condition.signal(thread);
        co_return co_await condition.signalAll(thread);
    });
}

} // namespace lockscope::blocking
