// SPDX-License-Identifier: Apache-2.0
// When a Redis is looked at: a search goes on in between, and both stay within the budget.
#include "inspect/redis/key_events.h"
#include "inspect/redis/watcher.h"
#include "ports/milliseconds.h"
#include "runtime/waits_here.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

constexpr double kShareOfALook = 0.3;     // while it lasts; it is paid for by a longer pause
constexpr double kPartOfLooks = 0.5;      // of the time of watch(): known locks again; the rest is for finding others
constexpr int kRestAfterFirstLooks = 3;   // at least so many times as long as such a look took
constexpr auto kRoundBeforeALook = 100ms; // what has come up since the last look is wanted in this one
constexpr auto kTogether = 50ms;          // changes that are told together are one look

Nanos nanosOf(double seconds) {
    return std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(seconds));
}

} // namespace

QCoro::Task<> RedisWatcher::watch(Callback callback, std::stop_token stop) {
    Runtime& runtime = m_client.runtime();
    std::stop_source ending;
    const std::stop_callback<std::function<void()>> stopToo(stop, [&ending] { ending.request_stop(); });
    struct StopListening {
        std::stop_source& source;
        ~StopListening() { source.request_stop(); }
    } stopListening{ending};
    runtime.spawn([this, token = ending.get_token()]() {
        return hearKeyEvents(
            m_client, m_reader, [this] { wake(m_notified); }, token);
    });
    // A server forgets with a connection which keys it should tell of.
    const auto reconnects = m_client.onReconnect([this] { wake(m_told); });
    runtime.spawn([this, token = ending.get_token()]() { return m_tracked.listen([this] { wake(m_told); }, token); });

    Nanos period = m_options.shortestPeriod;
    bool troubled = false;
    for (;;) {
        const double share = m_complete ? m_options.share : std::max(m_options.share, m_options.firstShare);
        // Until every key was looked at, the search may have all that the looks leave.
        const double lookPart = m_complete ? kPartOfLooks : 1;
        const double searchShare = m_complete ? share * (1 - kPartOfLooks) : share;
        m_notified = false;
        const bool told = std::exchange(m_told, false);
        bool small = false;
        if (m_complete && !troubled && !told) { // a change that was told needs no search
            m_reader.setShare(searchShare);
            small = co_await search(runtime.monotonic() + kRoundBeforeALook, stop);
        }
        const Nanos spent = m_reader.serverTime();
        const std::uint64_t sent = m_reader.commands();
        m_reader.setShare(kShareOfALook);
        const Nanos began = runtime.monotonic();
        // As many new ones as are known: where there are many, a look takes long anyway.
        const std::size_t candidates = std::max(m_options.candidatesOfALook, m_known.size());
        LockReport report = co_await look(candidates, stop);

        // Renewals come all the time; what somebody waits to see is who holds, and who waits.
        const bool changed = report.trouble || m_changed;
        period = changed ? m_options.shortestPeriod : std::min(period * 3 / 2, m_options.longestPeriod);
        // The budget comes last: many locks are looked at less often, not more expensively.
        const Nanos affordable =
            std::max(nanosOf(std::chrono::duration<double>(m_reader.serverTime() - spent).count() / (share * lookPart)),
                     nanosOf(double(m_reader.commands() - sent) / m_options.commandsPerSecond));
        // Our own work counts, too. With many locks a look takes long although it costs the server next to nothing, and
        // a first search would get no further than a slice between two of them.
        const Nanos ours = m_complete ? Nanos(0) : kRestAfterFirstLooks * (runtime.monotonic() - began);
        const Nanos rest = std::max(affordable, ours);
        report.period = std::max(period, rest);
        if (!(report.trouble && troubled)) callback(report);
        troubled = report.trouble.has_value();
        Nanos end = began + report.period;
        if (const auto ends = m_tracked.nextEnd()) {
            const Nanos left = timeOfMs(std::max<std::int64_t>(*ends + 1 - nowMs(), 0));
            end = std::min(end, std::max(runtime.monotonic() + left, began + std::max<Nanos>(rest, kTogether)));
        }
        // New locks' keys are followed from the next look on.
        if (std::exchange(m_fresh, false) && m_tracked.tells())
            end = std::min(end, began + std::max<Nanos>(rest, kTogether));
        if (!troubled) {
            m_lastLocks = std::move(report.locks);
            if (m_complete)
                m_reader.setShare(searchShare);
            else
                m_reader.setShare(searchShare, began, spent); // the look counts, too
            if (!small) co_await search(end, stop);
        }
        // The locks of a first search are reported at once, and so is its end.
        const bool waiting = !m_complete && (m_search.hasCandidates() || m_search.wentThrough());
        const Nanos until = waiting ? began + rest : end;
        if (!m_notified && !m_told) co_await pause(std::max<Nanos>(until - runtime.monotonic(), 1ms), stop);
        if (m_notified || m_told) {
            // Not a guess at when something happens, which was told just now: the budget pays for the look before this
            // one first, and changes that come together become one look.
            const Nanos soonest = began + std::max<Nanos>(affordable, kTogether);
            co_await runtime.sleep(std::max<Nanos>(soonest - runtime.monotonic(), 0ns), stop);
        }
    }
}

QCoro::Task<bool> RedisWatcher::search(Nanos end, std::stop_token stop) {
    Runtime& runtime = m_client.runtime();
    const int rounds = m_search.rounds();
    // One round between two looks is enough, and a slice at least, so that it never stands still.
    do {
        if (m_search.isEndless()) co_return true;
        const auto error = co_await m_search.advance(stop);
        // Every other error shows in the next look, which does not search.
        m_searchRefused = error && error->code == "NOPERM";
        if (error) co_return true;
        co_await m_reader.keepShare(stop);
    } while (!m_notified && !m_told && m_search.rounds() == rounds && runtime.monotonic() < end);
    co_return m_search.rounds() != rounds;
}

QCoro::Task<> RedisWatcher::pause(Nanos period, std::stop_token stop) {
    Waiter waiter(m_client.runtime(), period, std::move(stop));
    const WaitsHere here(m_pausing, waiter);
    co_await waiter.end();
}

void RedisWatcher::wake(bool& why) {
    why = true;
    if (m_pausing) m_pausing->wake();
}

} // namespace lockscope::inspect
