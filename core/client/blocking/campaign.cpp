// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/campaign.h"

#include "client/blocking/service.h"
#include "client/election_rules.h"
#include "lock/listener_call.h"
#include "lock/lock_exception.h"

namespace lockscope::blocking::detail {

namespace {
template <typename Listener, typename... Arguments>
void call(const Listener& listener, const Arguments&... arguments) {
    if (listener) lockscope::detail::callListener(listener, arguments...);
}
} // namespace

Campaign::Campaign(const Client& client, std::string_view name, LockOptions options)
    : m_seat(client, name, std::move(options)) {
    const recipes::RecipeInfo* const recipe = m_seat.handle().entry()->recipe;
    if (const auto wrong = recipe ? wrongForElections(*recipe) : std::nullopt) throwLockError(*wrong);
    m_seat.onLost([this](const std::string& reason) {
        const std::lock_guard held(m_guard);
        m_reason = reason;
    });
}

Campaign::~Campaign() {
    resign();
    m_seat.onLost(nullptr); // others of this client may have the lock, and lose it, while the guard goes
}

bool Campaign::ofThisProcess() const {
    return m_seat.handle().service()->ofThisProcess();
}

void Campaign::listen(const std::function<void(Listeners&)>& change) {
    const std::lock_guard held(m_guard);
    change(m_listeners);
}

Campaign::Listeners Campaign::listeners() const {
    const std::lock_guard held(m_guard);
    return m_listeners;
}

void Campaign::begin() {
    if (!ofThisProcess()) throwLockError(copiedError());
    if (m_seat.handle().service()->closed()) throwLockError(closedError());
    if (onOwnThread()) return; // it campaigns, or has been asked to end
    const std::lock_guard running(m_running);
    std::stop_source resigned;
    {
        const std::lock_guard held(m_guard);
        if (m_thread.joinable() && !m_resigned.stop_requested()) return;
        m_resigned = resigned;
    }
    if (m_thread.joinable()) m_thread.join();
    m_thread = std::thread([this, token = resigned.get_token()] {
        m_own = std::this_thread::get_id();
        run(token);
        m_own = std::thread::id();
    });
}

void Campaign::resign() {
    if (!ofThisProcess()) return;
    std::stop_source resigned;
    {
        const std::lock_guard held(m_guard);
        resigned = m_resigned;
    }
    resigned.request_stop(); // its callbacks take the guard
    if (onOwnThread()) return;
    const std::lock_guard running(m_running);
    if (m_thread.joinable()) m_thread.join();
}

void Campaign::run(const std::stop_token& resigned) {
    while (!resigned.stop_requested()) {
        try {
            lead(m_seat.acquire(resigned), resigned);
        } catch (const InterruptedException&) {
            if (resigned.stop_requested()) return;
            fail(closedError().message.toStdString(), resigned);
            return;
        } catch (const LockException& refused) {
            fail(refused.what(), resigned);
            if (refused.kind() == ErrorKind::Unreachable && m_seat.handle().service()->closed()) return;
        }
    }
}

void Campaign::lead(Hold hold, const std::stop_token& resigned) {
    const std::stop_token lost = hold.lost();
    const std::int64_t term = hold.token();
    std::stop_source leadership;
    {
        const std::lock_guard held(m_guard);
        m_hold = std::move(hold);
        m_lost = false;
        m_reason.clear();
        m_leadership = leadership;
    }
    m_changed.notify_all();
    // On the service's thread, which must not wait for this one.
    const std::stop_callback onLost(lost, [this, leadership]() mutable {
        {
            const std::lock_guard held(m_guard);
            m_lost = true;
        }
        m_changed.notify_all();
        leadership.request_stop();
    });
    call(listeners().elected, term);
    Hold ended;
    bool wasLost = false;
    {
        std::unique_lock held(m_guard);
        m_changed.wait(held, resigned, [this] { return m_lost; });
        wasLost = m_lost;
        ended = std::move(m_hold);
    }
    leadership.request_stop();
    if (!wasLost) { // its work has stopped before another one leads
        call(listeners().deposed, std::string());
        ended = Hold();
        return;
    }
    std::string reason;
    try {
        ended.unlock();
    } catch (const LockException& problem) {
        reason = problem.what();
    }
    {
        const std::lock_guard held(m_guard);
        if (!m_reason.empty()) reason = m_reason;
    }
    call(listeners().deposed, reason);
}

void Campaign::fail(const std::string& reason, const std::stop_token& resigned) {
    call(listeners().failed, reason);
    std::unique_lock held(m_guard);
    m_changed.wait_for(held, resigned, kElectionRest, [] { return false; });
}

bool Campaign::waitUntilLeader(std::chrono::nanoseconds wait, std::stop_token stop) const {
    if (!ofThisProcess()) throwLockError(copiedError());
    const auto leads = [this] { return m_hold.stillMine(); };
    std::unique_lock held(m_guard);
    if (wait == kForever) return m_changed.wait(held, std::move(stop), leads);
    const std::chrono::steady_clock::time_point until(steadyAfter(wait));
    return m_changed.wait_until(held, std::move(stop), until, leads);
}

bool Campaign::leads() const {
    if (!ofThisProcess()) return false;
    const std::lock_guard held(m_guard);
    return m_hold.stillMine();
}

std::int64_t Campaign::term() const {
    if (!ofThisProcess()) return 0;
    const std::lock_guard held(m_guard);
    return m_hold.stillMine() ? m_hold.token() : 0;
}

std::stop_token Campaign::leadership() const {
    if (!ofThisProcess()) return {};
    const std::lock_guard held(m_guard);
    return m_hold.stillMine() ? m_leadership.get_token() : std::stop_token();
}

} // namespace lockscope::blocking::detail
