// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/woken_lock.h"

#include <utility>

namespace lockscope::recipes {

namespace {
/// Woken and too late so many times in a row, a waiter also looks between two messages.
constexpr int kBeaten = 3;
constexpr Nanos kOffBeat = 2ms;
/// A client that asks again this soon after its release is ahead of the waiters that the release has woken: they need a
/// round trip.
constexpr Nanos kAtOnce = 50us;
/// A lock without an end is looked at this often without a message.
constexpr Nanos kEndless = 5s;
} // namespace

RecipeInfo redissonInfo(const char* id, const QString& summary) {
    RecipeInfo info;
    info.id = id;
    info.backend = "redis";
    info.summary = summary;
    info.workStep = WokenLock::Step::Hold;
    info.reentrant = true;
    info.watchdog = true;
    info.condition = true;
    info.layout = "Redisson";
    info.simulated = true;
    return info;
}

void WokenLock::gaveUp(const QByteArray& thread, std::int64_t waiting) {
    m_lastHolder = {thread, waiting, waiting > 0 ? m_lock.port.runtime().monotonic() : Nanos(0)};
}

std::int64_t WokenLock::politeness(const Request& request, Nanos now) {
    if (m_lastHolder.waiting == 0 || m_lastHolder.thread != request.thread) return 0;
    const std::int64_t waiting = std::exchange(m_lastHolder.waiting, 0);
    return now - m_lastHolder.at < kAtOnce && request.wait > Nanos(0) && request.held == 0 ? waiting : 0;
}

void WokenLock::leftBehind(redis::Args command, Nanos lease) {
    const Nanos now = m_lock.port.runtime().monotonic();
    std::erase_if(m_leftBehind, [now](const LeftBehind& left) { return left.ends <= now; });
    m_leftBehind.push_back({std::move(command), laterBy(now, lease)});
}

QCoro::Task<> WokenLock::takeBack() {
    std::vector<LeftBehind> all = std::exchange(m_leftBehind, {});
    bool answers = true;
    for (LeftBehind& left : all) {
        if (answers) {
            const redis::Result undone = co_await m_lock.port.call(left.command);
            answers = undone.has_value();
        }
        // It may have ended while the server was asked in vain: then nothing is left to take back.
        if (!answers && left.ends > m_lock.port.runtime().monotonic()) m_leftBehind.push_back(std::move(left));
    }
}

Outcome<void> WokenLock::listen(Grant, CallList::Callback ask, std::stop_token stop) {
    const std::expected<void, LockError> ended =
        co_await listenForForce(m_lock.port, forcedChannel(), std::move(ask), std::move(stop));
    co_return ended;
}

WokenLock::Contender::Contender(WokenLock& lock, Request asked)
    : LockContender(lock.m_lock.port.runtime(), std::move(asked)),
      m_lock(lock),
      m_before(lock.politeness(request, runtime.monotonic())) {
    m_first = m_before == 0;
}

// The first try comes before the subscription: a free lock costs nothing else.
Outcome<Tried<Grant>> WokenLock::Contender::attempt(std::stop_token stop) {
    m_trying = std::exchange(m_first, false);
    if (m_trying) request.steps.at(Step::Try);
    // Mostly nothing comes before the try; a crowd that is woken would notice another frame.
    const bool prepared =
        (m_subscription || m_alone) && (m_before <= 0 || !m_subscription) && m_lock.m_leftBehind.empty();
    if (!m_trying && !prepared) return attemptAgain(std::move(stop));
    m_trying = true;
    return tryOnce(std::move(stop));
}

Outcome<Tried<Grant>> WokenLock::Contender::attemptAgain(std::stop_token stop) {
    if (!m_subscription && !m_alone) {
        const std::expected<void, LockError> heard = co_await subscribe(stop);
        if (!heard) co_return std::unexpected(heard.error());
    }
    // Where the lock goes round quickly, each of them releases it in its turn. Else somebody works, or nobody wants it.
    while (m_before > 0 && m_subscription) {
        const auto message = co_await (*m_subscription)->next(within(kOffBeat), stop);
        m_before = message ? m_before - 1 : 0;
    }
    if (!m_lock.m_leftBehind.empty()) co_await m_lock.takeBack();
    m_trying = true;
    co_return co_await tryOnce(std::move(stop));
}

QCoro::Task<> WokenLock::Contender::undo(Then then) {
    return m_trying ? undoTry(then) : takeBack();
}

/// Without the right to subscribe, some locks go without.
Outcome<void> WokenLock::Contender::subscribe(std::stop_token stop) {
    request.steps.at(Step::Subscribe);
    auto subscribed = co_await m_lock.m_lock.port.subscribe(m_lock.channel(request.thread), std::move(stop));
    if (subscribed) {
        m_subscription.emplace(*std::move(subscribed));
        co_return {};
    }
    redis::Error error = subscribed.error();
    // Whether we would have been told of a release is not known; that nothing is ours is.
    if (error.outcomeUnknown()) error.kind = redis::Error::Kind::Unreachable;
    const LockError failure = lockError(error, m_lock.m_lock.name);
    m_alone = failure.kind == LockError::Kind::Refused && m_lock.doesWithoutMessages();
    if (m_alone) co_return {};
    co_return std::unexpected(failure);
}

// When the key of a lock without a lease is deleted, by hand or for want of memory, no message tells the waiters.
Nanos WokenLock::Contender::longestRest(const Tried<Grant>& tried) {
    return tried.rest == kNever ? runtime.random(kEndless, kEndless + 1s) : tried.rest;
}

QCoro::Task<> WokenLock::Contender::rest(Tried<Grant> tried, std::stop_token stop) {
    if (!m_subscription && !m_alone) co_return; // a release since the try reached nobody: subscribe, then look again
    pauses();
    Nanos nap = within(longestRest(tried));
    // A client that releases and asks again at once is the first to know, and is back before us each time: look once
    // more at another moment than right after the message. (Once more, not instead: newcomers would always be before
    // us.) Messages do not cut that short: where the lock goes round quickly the next one is always sooner.
    const bool offBeat = std::exchange(m_woken, false) && m_beaten >= kBeaten;
    if (offBeat) nap = std::min(nap, runtime.random(Nanos(0), kOffBeat));
    if (offBeat || !m_subscription) {
        Waiter sleep(runtime, nap, stop);
        co_await sleep.end();
        co_return;
    }
    const auto message = co_await (*m_subscription)->next(nap, stop);
    m_woken = message.has_value();
    if (m_woken) ++m_beaten;
}

} // namespace lockscope::recipes
