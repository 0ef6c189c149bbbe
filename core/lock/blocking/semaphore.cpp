// SPDX-License-Identifier: Apache-2.0
#include "lock/blocking/semaphore.h"

#include "lock/blocking/service.h"

namespace lockscope::blocking {

Permit Semaphore::take(int permits, Nanos wait, std::stop_token stop, std::optional<Nanos> lease) {
    const QByteArray thread = detail::threadNumber();
    detail::Service& service = *m_handle.service();
    detail::Entry& entry = *m_handle.entry();
    Permit permit;
    service.call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            if (!entry.lock) co_return std::unexpected(detail::closedError());
            LockRequest request;
            request.mode = recipes::Mode::Permit;
            request.permits = permits;
            request.wait = wait;
            request.thread = thread;
            request.lease = lease;
            auto guard = co_await entry.lock->acquire(request, stopped);
            if (!guard) co_return std::unexpected(guard.error());
            if (!*guard && wait == kNever) throw Cancelled(Cancelled::Why::Stopped); // as Handle::take()
            if (!*guard) co_return false;
            auto view = guard->view();
            permit.m_box = service.box(*std::move(guard), std::move(view), thread, entry.name);
            permit.m_service = m_handle.service();
            co_return true;
        },
        std::move(stop));
    return permit;
}

Permit& Permit::operator=(Permit&& other) noexcept {
    const Permit old(std::move(*this)); // given back when it goes
    m_service = std::move(other.m_service);
    m_box = std::move(other.m_box);
    return *this;
}

Permit::~Permit() {
    if (!m_box) return;
    const QByteArray name = m_box->name;
    try {
        release();
    } catch (const std::exception& problem) {
        qWarning("Lockscope: permits of “%s” could not be given back: %s", name.constData(), problem.what());
    }
}

bool Permit::stillMine() const {
    return m_box && m_box->view->stillMineAt(m_service->now());
}

Nanos Permit::remaining() const {
    if (!stillMine()) return Nanos(0);
    const Nanos deadline(m_box->view->deadline.load());
    return deadline == kNever ? kNever : std::max(Nanos(0), deadline - m_service->now());
}

void Permit::release() {
    if (!m_box) return;
    const std::shared_ptr<detail::GuardBox> box = std::exchange(m_box, nullptr);
    const std::shared_ptr<detail::Service> service = std::exchange(m_service, nullptr);
    service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        const detail::Service::Heard heard(*service, box->thread);
        const auto left = co_await box->guard.unlock();
        co_return left;
    });
}

} // namespace lockscope::blocking
