// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/majority.h"

#include <algorithm>
#include <limits>

namespace lockscope::inspect {

namespace {

bool sameParty(const Party& a, const Party& b) {
    return a.client == b.client && a.thread == b.thread;
}

std::size_t countOf(const HoldCopy& hold, std::span<const HoldCopy> copies) {
    return std::size_t(std::ranges::count_if(copies, [&hold](const HoldCopy& copy) { return sameHold(copy, hold); }));
}

} // namespace

bool sameHold(const HoldCopy& a, const HoldCopy& b) {
    if (!a.row->holders.empty() && !b.row->holders.empty())
        return sameParty(a.row->holders.front(), b.row->holders.front());
    return !a.raw->empty() && !b.raw->empty() && a.raw->front().value == b.raw->front().value;
}

Majority majorityOf(std::span<const HoldCopy> readable, std::span<const HoldCopy> hidden, std::size_t unknown,
                    std::size_t quorum) {
    Q_ASSERT(quorum > 0);
    for (std::size_t i = 0; i < readable.size(); ++i) {
        std::vector<std::int64_t> ends;
        for (const HoldCopy& copy : readable)
            if (sameHold(copy, readable[i])) ends.push_back(copy.end);
        if (ends.size() < quorum) continue;
        std::ranges::sort(ends, std::greater());
        Majority held{Majority::Says::Held, i, i};
        for (std::size_t k = 0; k < readable.size(); ++k)
            if (readable[k].end == ends[quorum - 1] && sameHold(readable[k], readable[i])) held.endsBy = k;
        return held;
    }
    // A hold without a majority among the copies that can be read needs a server that cannot.
    if (hidden.empty() && unknown == 0) return {};
    const auto mayBeHeld = [&](const HoldCopy& hold) {
        return countOf(hold, readable) + countOf(hold, hidden) + unknown >= quorum;
    };
    const bool perhaps = unknown >= quorum || std::ranges::any_of(hidden, mayBeHeld) ||
                         (unknown > 0 && std::ranges::any_of(readable, mayBeHeld));
    return {perhaps ? Majority::Says::NotKnown : Majority::Says::NotHeld, 0, 0};
}

LockRow logicalRow(std::vector<LockRow> copies, std::size_t quorum) {
    using State = LockRow::State;
    constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
    std::vector<HoldCopy> holds;
    for (const LockRow& copy : copies)
        if (copy.state == State::Held) holds.push_back({&copy, &copy.raw, copy.ttlMs.value_or(kNoEnd)});
    const auto unknown = std::size_t(std::ranges::count(copies, State::NotKnown, &LockRow::state));
    const Majority majority = majorityOf(holds, {}, unknown, quorum);

    LockRow all;
    if (majority.says == Majority::Says::Held) {
        all = *holds[majority.hold].row;
        const LockRow& endsBy = *holds[majority.endsBy].row;
        all.ttlMs = endsBy.ttlMs;
        all.neverExpires = endsBy.neverExpires;
        // Ends are measured by the clock of one server, and it is not always the same one that decides.
        all.ends.reset();
        for (Party& holder : all.holders) {
            holder.ttlMs.reset();
            holder.ends.reset();
        }
        all.waiters.reset(); // a client that waits asks again and again: no server knows of it
        all.waiterCount.reset();
        all.server.clear();
        // One random value on several servers that know nothing of each other is hardly chance.
        if (quorum > 1 && all.certainty == Certainty::Guess) all.certainty = Certainty::Likely;
    } else {
        const auto there = std::ranges::find_if(copies, [](const LockRow& copy) { return !copy.format.isEmpty(); });
        const LockRow& like = there == copies.end() ? copies.front() : *there;
        all.name = like.name;
        all.format = like.format;
        all.certainty = like.certainty;
        all.state = majority.says == Majority::Says::NotKnown ? State::NotKnown : State::Free;
    }
    all.copies = std::move(copies);
    all.quorum = quorum;
    return all;
}

} // namespace lockscope::inspect
