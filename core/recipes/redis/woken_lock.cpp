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

// Waiting is a coroutine of its own: what most acquisitions do without need not be made room for.
Outcome<std::optional<Grant>> WokenLock::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos begun = runtime.monotonic();
    const Nanos giveUpAt = laterBy(begun, request.wait);
    if (const std::int64_t before = politeness(request, begun); before > 0)
        co_return co_await waitFor(std::move(request), giveUpAt, std::move(stop), before);

    request.steps.at(Step::Try);
    auto first = co_await attempt(request, stop);
    if (!first && !waitsOut(first.error(), giveUpAt)) co_return std::unexpected(first.error());
    if (!first) co_return co_await waitFor(std::move(request), giveUpAt, std::move(stop), 0, true);
    if (first->grant) co_return std::move(first->grant);
    if (runtime.monotonic() >= giveUpAt) {
        request.steps.leave();
        co_return std::nullopt;
    }
    co_return co_await waitFor(std::move(request), giveUpAt, std::move(stop), 0);
}

void WokenLock::leftBehind(redis::Args command, Nanos lease) {
    const Nanos now = m_lock.port.runtime().monotonic();
    std::erase_if(m_leftBehind, [now](const LeftBehind& left) { return left.ends <= now; });
    m_leftBehind.push_back({std::move(command), laterBy(now, lease)});
}

QCoro::Task<> WokenLock::takeBack(Request) {
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

/// Subscribes; false when we may not, and it goes without.
Outcome<bool> WokenLock::listen(std::optional<redis::OwnedSubscription>& subscription, QByteArray thread,
                                std::stop_token stop) {
    auto subscribed = co_await m_lock.port.subscribe(channel(thread), std::move(stop));
    if (subscribed) {
        subscription.emplace(*std::move(subscribed));
        co_return true;
    }
    redis::Error error = subscribed.error();
    // Whether we would have been told of a release is not known; that nothing is ours is.
    if (error.outcomeUnknown()) error.kind = redis::Error::Kind::Unreachable;
    const LockError failure = lockError(error, m_lock.name);
    if (failure.kind == LockError::Kind::Refused && doesWithoutMessages()) co_return false;
    co_return std::unexpected(failure);
}

Outcome<std::optional<Grant>> WokenLock::waitFor(Request request, Nanos giveUpAt, std::stop_token stop,
                                                 std::int64_t before, bool troubled) {
    Runtime& runtime = m_lock.port.runtime();
    std::optional<redis::OwnedSubscription> subscription;
    bool alone = false; // we may not listen
    int beaten = 0;
    bool woken = false;
    Backoff backoff;
    bool trying = false;
    try {
        for (;;) {
            if (std::exchange(troubled, false)) {
                request.steps.at(Step::Wait);
                co_await runtime.sleep(backoff.next(runtime, giveUpAt), stop);
            }
            if (!subscription && !alone) {
                request.steps.at(Step::Subscribe);
                const std::expected<bool, LockError> heard = co_await listen(subscription, request.thread, stop);
                troubled = !heard && waitsOut(heard.error(), giveUpAt);
                if (troubled) continue;
                if (!heard) co_return std::unexpected(heard.error());
                alone = !*heard;
            }
            // Where the lock goes round quickly, each of them releases it in its turn. Else somebody works, or nobody
            // wants it.
            while (before > 0 && subscription) {
                const Nanos most = giveUpAt == kNever ? kOffBeat : std::min(kOffBeat, giveUpAt - runtime.monotonic());
                const auto message = co_await (*subscription)->next(most, stop);
                before = message ? before - 1 : 0;
            }
            if (!m_leftBehind.empty()) co_await takeBack(request);
            trying = true;
            auto answer = co_await attempt(request, stop);
            trying = false;
            troubled = !answer && waitsOut(answer.error(), giveUpAt);
            if (troubled) continue;
            if (!answer) co_return std::unexpected(answer.error());
            if (answer->grant) co_return std::move(answer->grant);
            backoff.reset();
            const Nanos now = runtime.monotonic();
            if (now >= giveUpAt) {
                request.steps.leave();
                co_return std::nullopt;
            }
            request.steps.at(Step::Wait);
            // Who deletes the key of a lock without an end, by hand or for want of memory, tells nobody.
            if (answer->again == kNever) answer->again = runtime.random(kEndless, kEndless + 1s);
            const Nanos left = giveUpAt == kNever ? kNever : giveUpAt - now;
            Nanos nap = std::min(answer->again, left);
            // Whoever releases and asks again at once hears of it first, and is back before us each time: look once
            // more at another moment than right after the message. (Once more, not instead: newcomers would always be
            // before us.) Messages do not cut that short: where the lock goes round quickly the next one is always
            // sooner.
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
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
    }
    if (!trying) co_await takeBack(request); // a try that is stopped sees to that itself
    throw Cancelled(Cancelled::Why::Stopped);
}

} // namespace lockscope::recipes
