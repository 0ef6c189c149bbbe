// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_reader.h"

#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Reply;
using redis::Result;

// As many keys at a time as keep a slow server's reply short.
constexpr std::size_t kBatch = 250;
// Strings are hardly ever locks, so little is asked of them and answers are short: one question for what a SCAN found.
constexpr std::size_t kDoubtfulBatch = 500;
// The time that a slow server needs for one command. A longer answer spent the rest elsewhere, for example on our
// machine.
constexpr Nanos kMostForACommand = std::chrono::microseconds(5);
constexpr Nanos kMostForAScan = std::chrono::milliseconds(1);
constexpr Nanos kEnoughToWeigh = std::chrono::milliseconds(5); // a server counts its time in ticks
constexpr double kLeastWeight = 0.1;

std::int64_t msOfTime(const Reply& time) {
    if (time.items.size() != 2) return 0;
    return time.items[0].text.toLongLong() * 1000 + time.items[1].text.toLongLong() / 1000;
}

std::int64_t msOf(Nanos time) {
    return std::chrono::floor<std::chrono::milliseconds>(time).count();
}

} // namespace

QCoro::Task<std::vector<Result>> KeyReader::callAll(std::vector<Args> commands, std::stop_token stop) {
    m_commands += commands.size();
    Runtime& runtime = m_port.runtime();
    const bool scans = !commands.empty() && commands.front().front() == "SCAN";
    const Nanos most = std::int64_t(commands.size()) * (scans ? kMostForAScan : kMostForACommand);
    const Nanos asked = runtime.monotonic();
    if (!m_askedSince) m_askedSince = asked;
    std::vector<Result> results = co_await m_port.callAll(std::move(commands), std::move(stop));
    const Nanos took = runtime.monotonic() - asked;
    // An answer that did not come is none of the server's work, and one that came late is not ours: it may have been
    // stopped, or the network.
    const auto lost = [](const Result& result) { return !result && result.error().kind != Error::Kind::Refused; };
    if (std::ranges::any_of(results, lost)) co_return results;
    m_askedSince.reset();
    if (results.empty()) co_return results;
    m_way = std::min(m_way, took);
    const Nanos cost = std::min(took - m_way, most);
    m_measured += cost;
    m_serverTime += std::chrono::duration_cast<Nanos>(m_weight * std::chrono::duration<double>(cost));
    co_return results;
}

void KeyReader::weighBy(Nanos processorTime) {
    const Nanos measured = m_measured - m_weighedAt, worked = processorTime - m_worked;
    const bool sameServer = m_worked > 0ns && worked >= 0ns;
    if (sameServer && measured < kEnoughToWeigh) return;
    m_weight = sameServer ? std::min(std::chrono::duration<double>(worked) / measured, 1.0) : 1.0;
    m_weight = std::max(m_weight, kLeastWeight);
    m_weighedAt = m_measured;
    m_worked = processorTime;
}

void KeyReader::setShare(double share, Nanos since, Nanos spent) {
    Q_ASSERT(share > 0 && share <= 1);
    m_share = share;
    m_shareSince = since;
    m_spentBefore = spent;
}

QCoro::Task<> KeyReader::keepShare(std::stop_token stop) {
    constexpr auto kWorthIt = std::chrono::milliseconds(2); // a timer is not more exact than that
    const auto needed = std::chrono::duration<double>(m_serverTime - m_spentBefore) / m_share;
    const Nanos rest = m_shareSince + std::chrono::duration_cast<Nanos>(needed) - m_port.runtime().monotonic();
    if (rest >= kWorthIt) co_await m_port.runtime().sleep(rest, std::move(stop));
}

QCoro::Task<std::optional<Error>> KeyReader::read(std::vector<WantedKey> wanted, KeysRead& out, std::stop_token stop) {
    out.looked += std::int64_t(wanted.size());
    const bool likelyShort = std::ranges::all_of(
        wanted, [](const WantedKey& key) { return key.doubtful && qstrcmp(key.type, "string") == 0; });
    const std::size_t batch = likelyShort ? kDoubtfulBatch : kBatch;
    for (std::size_t at = 0; at < wanted.size(); at += batch) {
        std::vector<KeyJob> jobs;
        const std::size_t end = std::min(at + batch, wanted.size());
        jobs.reserve(end - at);
        for (std::size_t i = at; i < end; ++i) {
            const bool atOnce = wanted[i].doubtful && m_doubt.isReadable && m_doubt.isReadable(wanted[i].key);
            jobs.emplace_back(std::move(wanted[i]), m_mostElements);
            if (atOnce) jobs.back().readAtOnce();
        }
        auto error = co_await readBatch(jobs, stop);
        for (KeyJob& job : jobs) {
            using End = KeyJob::End;
            if (job.end() == End::Read || job.end() == End::Refused)
                out.keys.push_back(std::move(job.key()));
            else if (job.end() == End::OtherType)
                out.ofOtherTypes.push_back(std::move(job.key().key));
            else if (job.end() == End::Elsewhere)
                out.elsewhere.push_back(std::move(job.key().key));
            else if (job.end() != End::Gone && job.end() != End::Open)
                out.notRead.emplace_back(std::move(job.key().key), job.end());
        }
        if (error) co_return error;
        co_await keepShare(stop);
    }
    co_return std::nullopt;
}

QCoro::Task<std::optional<Error>> KeyReader::readBatch(std::vector<KeyJob>& jobs, std::stop_token stop) {
    for (;;) {
        std::vector<Args> commands;
        bool ttl = false;
        for (const KeyJob& job : jobs)
            ttl = ttl || (job.end() == KeyJob::End::Open && job.asksTtl());
        const bool clock = ttl && !m_clockRefused;
        if (clock) commands.push_back(redis::argsOf("TIME"));
        std::vector<KeyJob*> open;
        for (KeyJob& job : jobs) {
            if (job.end() != KeyJob::End::Open) continue;
            job.ask(commands);
            open.push_back(&job);
        }
        if (open.empty()) co_return std::nullopt;
        if (clock) commands.push_back(redis::argsOf("TIME"));

        const Nanos asked = m_port.runtime().monotonic();
        const std::vector<Result> results = co_await callAll(std::move(commands), stop);
        // PTTL is in whole milliseconds, and so are these.
        EndsWithin span{msOf(asked) - 1, msOf(m_port.runtime().monotonic()) + 1};
        const Result& first = results.front();
        const Result& last = results.back();
        if (clock && (!first || !last)) {
            const Error& error = first ? last.error() : first.error();
            if (error.kind != Error::Kind::Refused) co_return error;
            m_clockRefused = true;
        } else if (clock) {
            span = {msOfTime(*first) - 1, msOfTime(*last) + 1};
        }
        auto next = std::span<const Result>(results).subspan(clock ? 1 : 0);
        for (KeyJob* job : open) {
            const std::size_t count = job->questions();
            if (auto error = job->take(next.first(count), span, m_doubt)) co_return error;
            next = next.subspan(count);
        }
    }
}

} // namespace lockscope::inspect
