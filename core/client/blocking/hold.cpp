// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/service.h"
#include "lock/hold_keeper.h"
#include "lock/warning.h"

#include <QCoreApplication>
#include <lockscope/hold.h>

namespace lockscope::blocking {

Hold& Hold::operator=(Hold&& other) noexcept {
    const Hold old(std::move(*this)); // given back when it goes
    m_entry = std::move(other.m_entry);
    m_service = std::move(other.m_service);
    m_box = std::move(other.m_box);
    return *this;
}

Hold::~Hold() {
    if (!m_box) return;
    const QString name = QString::fromUtf8(m_box->name);
    try {
        unlock();
    } catch (const InterruptedException&) {
        // The client is being closed: what was held ends with its lease, session or connection, as close() says.
    } catch (const std::exception& problem) {
        lockscope::detail::warn(QCoreApplication::translate("Lock", "a hold of “%1” could not be given back: %2")
                                    .arg(name, QString::fromUtf8(problem.what())));
    }
}

bool Hold::stillMine() const {
    // In a forked child it is the other process that holds.
    return m_box && m_service->ofThisProcess() && m_box->view->stillMineAt(m_service->now());
}

std::stop_token Hold::lost() const {
    if (!m_box || !m_service->ofThisProcess()) return {};
    const std::lock_guard held(m_entry->guard);
    return m_box->loss.token(m_box->view->lost);
}

std::chrono::nanoseconds Hold::remaining() const {
    return m_box && m_service->ofThisProcess() ? m_service->remaining(*m_box->view) : Nanos(0);
}

std::int64_t Hold::token() const {
    return m_box && m_service->ofThisProcess() ? m_box->view->token.load() : 0;
}

std::vector<std::int64_t> Hold::tokens() const {
    using Tokens = std::vector<std::int64_t>;
    if (!m_box) return {};
    return m_service->call<Tokens>(
        [&](std::stop_token) -> recipes::Outcome<Tokens> { co_return m_box->guard.tokens(); });
}

void Hold::extend(std::chrono::nanoseconds lease) {
    if (!m_box) throwLockError(lockscope::detail::notHeld(nullptr));
    detail::callFor(*m_service, [&](std::stop_token) { return m_box->guard.extend(lease); });
}

void Hold::unlock() {
    if (!m_box) return;
    const std::shared_ptr<detail::Entry> entry = std::exchange(m_entry, nullptr);
    const std::shared_ptr<detail::GuardBox> box = std::exchange(m_box, nullptr);
    const std::shared_ptr<detail::Service> service = std::exchange(m_service, nullptr);
    service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        const detail::Service::Heard heard(*service, box->thread);
        const bool lost = box->view->lost;
        const auto left = co_await box->guard.unlock();
        if (!lost) service->measure(detail::endOf(left.has_value()), box->name, service->now() - box->since);
        co_return left;
    });
}

int Hold::permits() const {
    return m_box ? m_box->view->permits.load() : 0;
}

void Hold::release(int permits) {
    if (!m_box) throwLockError(lockscope::detail::notHeld(nullptr));
    if (permits == this->permits()) {
        unlock();
        return;
    }
    m_service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        const detail::Service::Heard heard(*m_service, m_box->thread);
        co_return co_await m_box->guard.release(permits);
    });
}

} // namespace lockscope::blocking
