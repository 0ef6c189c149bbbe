// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/woken_lock.h"

#include <utility>

namespace lockscope::recipes {

namespace {
/// Woken and too late so many times in a row, a waiter also looks between two messages.
constexpr int kBeaten = 3;
constexpr Nanos kOffBeat = 2ms;
/// Whoever asks again within this is there before those whom its release has woken: they need a way there and back.
constexpr Nanos kAtOnce = 50us;
} // namespace

void WokenLock::gaveUp(const QByteArray& thread, std::int64_t waiting) {
    m_lastHolder = {thread, waiting, waiting > 0 ? m_lock.port.runtime().monotonic() : Nanos(0)};
}

std::int64_t WokenLock::politeness(const Request& request, Nanos now) {
    if (m_lastHolder.waiting == 0 || m_lastHolder.thread != request.thread) return 0;
    const std::int64_t waiting = std::exchange(m_lastHolder.waiting, 0);
    return now - m_lastHolder.at < kAtOnce && request.wait > Nanos(0) && request.held == 0 ? waiting : 0;
}

// Waiting is a coroutine of its own: what most acquisitions do without need not be made room for.
Outcome<std::optional<Grant>> WokenLock::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos begun = runtime.monotonic();
    const Nanos giveUpAt = laterBy(begun, request.wait);
    if (const std::int64_t before = politeness(request, begun); before > 0)
        co_return co_await waitFor(std::move(request), giveUpAt, std::move(stop), before);

    request.steps.at(kTry);
    auto first = co_await attempt(request, stop);
    if (!first) co_return std::unexpected(first.error());
    if (first->grant) co_return std::move(first->grant);
    if (runtime.monotonic() >= giveUpAt) {
        request.steps.at(kNowhere);
        co_return std::nullopt;
    }
    co_return co_await waitFor(std::move(request), giveUpAt, std::move(stop), 0);
}

Outcome<std::optional<Grant>> WokenLock::waitFor(Request request, Nanos giveUpAt, std::stop_token stop,
                                                 std::int64_t before) {
    Runtime& runtime = m_lock.port.runtime();
    request.steps.at(kSubscribe);
    auto subscription = co_await m_lock.port.subscribe(channel(request.thread), stop);
    const bool mayNot = !subscription && subscription.error().kind == redis::Error::Kind::Refused;
    if (!subscription && !(mayNot && doesWithoutMessages())) {
        redis::Error error = subscription.error();
        // Whether we would have been told of a release is not known; that nothing is ours is.
        if (error.outcomeUnknown()) error.kind = redis::Error::Kind::Unreachable;
        co_return std::unexpected(lockError(error, m_lock.name));
    }
    int beaten = 0;
    bool woken = false;
    for (;;) {
        // Where the lock goes round quickly, each of them releases it in its turn. Else somebody works, or nobody wants
        // it.
        while (before > 0 && subscription) {
            const Nanos most = giveUpAt == kNever ? kOffBeat : std::min(kOffBeat, giveUpAt - runtime.monotonic());
            const auto message = co_await (*subscription)->next(most, stop);
            before = message ? before - 1 : 0;
        }
        auto answer = co_await attempt(request, stop);
        if (!answer) co_return std::unexpected(answer.error());
        if (answer->grant) co_return std::move(answer->grant);
        const Nanos now = runtime.monotonic();
        if (now >= giveUpAt) {
            request.steps.at(kNowhere);
            co_return std::nullopt;
        }
        request.steps.at(kWait);
        const Nanos left = giveUpAt == kNever ? kNever : giveUpAt - now;
        Nanos nap = std::min(answer->again, left);
        // Whoever releases and asks again at once hears of it first, and is back before us each time: look once more at
        // another moment than right after the message. (Once more, not instead: newcomers would always be before us.)
        // Messages do not cut that short: where the lock goes round quickly the next one is always sooner.
        const bool offBeat = std::exchange(woken, false) && beaten >= kBeaten;
        if (offBeat) nap = std::min(nap, runtime.random(Nanos(0), kOffBeat));
        if (offBeat || !subscription) {
            co_await runtime.sleep(nap, stop);
            continue;
        }
        const auto message = co_await (*subscription)->next(nap, stop);
        woken = message.has_value();
        if (woken) ++beaten;
    }
}

} // namespace lockscope::recipes
