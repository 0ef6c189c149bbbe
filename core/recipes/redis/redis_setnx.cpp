// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_setnx.h"

namespace lockscope::recipes {

Outcome<bool> RedisSetnx::attempt(Request& request, QByteArray& value) {
    Runtime& runtime = m_lock.port.runtime();
    const auto lease = std::chrono::duration_cast<std::chrono::milliseconds>(request.lease).count();
    const auto expiryFromNow = [&] { return QByteArray::number(qlonglong(runtime.wallMs() + lease)); };

    request.steps.at(1);
    value = expiryFromNow();
    const redis::Result set = co_await m_lock.port.call(redis::argsOf("SETNX", m_lock.name, value));
    if (!set) co_return std::unexpected(lockError(set.error(), m_lock.name));
    if (set->integer == 1) co_return true;

    request.steps.at(2);
    const redis::Result found = co_await m_lock.port.call(redis::argsOf("GET", m_lock.name));
    if (!found) {
        const LockError error = co_await explainedError(m_lock.port, found.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (found->isNil()) co_return false; // freed meanwhile
    bool isNumber = false;
    const std::int64_t expiry = found->text.toLongLong(&isNumber);
    if (!isNumber) {
        const LockError error = co_await foreignFormat(m_lock.port, m_lock.name);
        co_return std::unexpected(error);
    }
    if (expiry >= runtime.wallMs()) co_return false;

    request.steps.at(3);
    value = expiryFromNow();
    const redis::Result old = co_await m_lock.port.call(redis::argsOf("GETSET", m_lock.name, value));
    if (!old) co_return std::unexpected(lockError(old.error(), m_lock.name));
    // Another was quicker: the lock is its own, but with our expiry time now. That is the flaw.
    co_return old->text == found->text;
}

Outcome<bool> RedisSetnx::isLocked(std::stop_token stop) {
    const redis::Result found = co_await m_lock.port.call(redis::argsOf("GET", m_lock.name), std::move(stop));
    if (!found) {
        const LockError error = co_await explainedError(m_lock.port, found.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (found->isNil()) co_return false;
    bool isNumber = false;
    const std::int64_t expiry = found->text.toLongLong(&isNumber);
    if (!isNumber) {
        const LockError error = co_await foreignFormat(m_lock.port, m_lock.name);
        co_return std::unexpected(error);
    }
    co_return expiry >= m_lock.port.runtime().wallMs(); // else whoever comes next takes it over
}

Outcome<bool> RedisSetnxExpire::attempt(Request& request, QByteArray& value) {
    request.steps.at(1);
    value = m_lock.client + ':' + request.thread;
    const redis::Result set = co_await m_lock.port.call(redis::argsOf("SETNX", m_lock.name, value));
    if (!set) co_return std::unexpected(lockError(set.error(), m_lock.name));
    if (set->integer == 0) co_return false;

    // Until this has run, the lock has no end: the flaw.
    request.steps.at(2);
    const redis::Result expire =
        co_await m_lock.port.call(redis::argsOf("PEXPIRE", m_lock.name, milliseconds(request.lease)));
    if (!expire) {
        LockError error = lockError(expire.error(), m_lock.name);
        if (error.kind == LockError::Kind::Unreachable) error.kind = LockError::Kind::OutcomeUnknown; // it is there
        co_return std::unexpected(error);
    }
    co_return true;
}

} // namespace lockscope::recipes
