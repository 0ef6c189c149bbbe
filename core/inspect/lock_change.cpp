// SPDX-License-Identifier: Apache-2.0
#include "inspect/lock_change.h"

#include "inspect/seen_by_waiters.h"
#include "ports/milliseconds.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

using What = LockChange::What;
using State = LockRow::State;

/// The holders, sorted: the server's order has no meaning among them.
std::vector<QByteArray> identitiesOf(const std::vector<Party>& parties) {
    std::vector<QByteArray> all;
    all.reserve(parties.size());
    for (const Party& party : parties)
        all.push_back(party.thread ? party.client + '\0' + *party.thread : party.client);
    std::ranges::sort(all);
    return all;
}

int holdsOf(const LockRow& row) {
    int all = 0;
    for (const Party& party : row.holders)
        all += party.holds.value_or(1);
    return all;
}

bool sameHolders(const LockRow& a, const LockRow& b) {
    if (a.holders == b.holders && a.moreHolders == b.moreHolders) return true;
    return a.moreHolders == b.moreHolders && holdsOf(a) == holdsOf(b) &&
           identitiesOf(a.holders) == identitiesOf(b.holders);
}

/// Tells whether two are one client that waits for one thing at one place. Times pass, and names of clients are asked
/// for now and then only.
bool sameWaiter(const Party& a, const Party& b) {
    return a.client == b.client && a.thread == b.thread && a.position == b.position && a.mode == b.mode &&
           a.dead == b.dead;
}

bool sameQueue(const LockRow& a, const LockRow& b) {
    if (a.waiterCount != b.waiterCount || a.deadWaiters != b.deadWaiters) return false;
    if (a.waiters.has_value() != b.waiters.has_value()) return false;
    return !a.waiters || std::ranges::equal(*a.waiters, *b.waiters, sameWaiter);
}

/// Compares all fields but those that change with time alone. Raw keys are left out: the other fields were read from
/// them.
bool sameBesidesTime(const LockRow& a, const LockRow& b) {
    return a.name == b.name && a.format == b.format && a.mode == b.mode && a.state == b.state && a.token == b.token &&
           a.expires() == b.expires() && a.holdersGone == b.holdersGone && sameHolders(a, b) && sameQueue(a, b) &&
           std::ranges::equal(a.copies, b.copies, sameBesidesTime);
}

/// Whether the end of a copy moved that way, by the clock of its server. An end that was not measured may have.
bool aCopyMoved(const LockRow& before, const LockRow& after, EndMoved way) {
    if (before.copies.empty() || before.copies.size() != after.copies.size()) return true;
    for (std::size_t i = 0; i < after.copies.size(); ++i) {
        const auto &was = before.copies[i].ends, &is = after.copies[i].ends;
        if (!was || !is || endMoved(*was, *is) == way) return true;
    }
    return false;
}

EndMoved endMovedBetween(const LockRow& before, const LockRow& after, Nanos passed, Nanos tolerance) {
    if (before.ends && after.ends) return endMoved(*before.ends, *after.ends);
    if (!before.ttlMs || !after.ttlMs) return EndMoved::Same;
    const Nanos moved = timeOfMs(*after.ttlMs - *before.ttlMs) + passed;
    if (std::chrono::abs(moved) <= tolerance) return EndMoved::Same;
    const EndMoved way = moved > 0ns ? EndMoved::Later : EndMoved::Earlier;
    // A lock on several servers is told when the slowest of them has answered: its time left is as old as that.
    return aCopyMoved(before, after, way) ? way : EndMoved::Same;
}

struct Looks {
    Nanos passed;    ///< between them
    Nanos tolerance; ///< of ends that were not measured
    bool dataLost;   ///< the lock's server lost its data in between, or is another one now
    bool failedOver; ///< the lock is on another server now
    bool searching;  ///< at the first of them not all keys had been looked at
};

What endOf(const LockRow& before, const Looks& looks) {
    constexpr auto kSlack = std::chrono::milliseconds(5); // whole milliseconds, and the way
    const bool held = before.state == State::Held;
    const bool over = held && before.ttlMs && timeOfMs(*before.ttlMs) <= looks.passed + kSlack;
    if (looks.dataLost) return over ? What::Expired : What::Lost; // a lease that is over has ended without that
    if (seenByItsWaiters(before)) return What::NoLongerWaited;
    if (!held) return What::Gone;
    return over ? What::Expired : What::Released;
}

What changeOfHolders(const LockRow& before, const LockRow& after) {
    const std::vector<QByteArray> was = identitiesOf(before.holders), is = identitiesOf(after.holders);
    if (was == is && before.moreHolders == after.moreHolders)
        return holdsOf(after) > holdsOf(before) ? What::Reentered : What::HeldLess;
    const bool several = before.holders.size() > 1 || after.holders.size() > 1; // whatever their mode is called
    if (!several && after.mode == "exclusive" && before.mode == "exclusive") return What::ChangedHands;
    const bool grown = std::ranges::includes(is, was) && after.moreHolders >= before.moreHolders;
    const bool shrunk = std::ranges::includes(was, is) && after.moreHolders <= before.moreHolders;
    if (grown || shrunk) return grown ? What::Joined : What::Left;
    std::vector<QByteArray> both;
    std::ranges::set_intersection(was, is, std::back_inserter(both));
    return both.empty() ? What::ChangedHands : What::Joined;
}

/// nullopt: nothing happened.
std::optional<What> between(const LockRow& before, const LockRow& after, const Looks& looks) {
    // While no server could tell, it is as it was before.
    const bool held = before.state == State::Held || (before.state == State::NotKnown && !before.holders.empty());
    const bool stays = held && after.state == State::Held && sameHolders(before, after);
    if (looks.failedOver && stays) return What::FailedOver;
    const EndMoved end = endMovedBetween(before, after, looks.passed, looks.tolerance);
    if (sameBesidesTime(before, after)) {
        if (end == EndMoved::Same) return std::nullopt;
        return end == EndMoved::Later ? What::Renewed : What::Shortened;
    }
    const bool was = before.state == State::Held, is = after.state == State::Held;
    if (after.state == State::NotKnown) return What::Other;
    if (before.state == State::NotKnown) return What::Found; // it may have been so all the time
    if (!was && is) return looks.failedOver ? What::Found : What::Taken;
    if (was && !is) return endOf(before, looks);
    // Other data may know less than what was seen: the new holder need not have got it from the one before.
    if (!sameHolders(before, after)) return looks.dataLost ? What::Found : changeOfHolders(before, after);
    return sameQueue(before, after) ? What::Other : What::Queue;
}

What beginningOf(const LockRow& row, bool searching) {
    if (searching || seenByItsWaiters(row)) return What::Found;
    if (row.state == State::Held) return What::Taken;
    return row.state == State::Queued ? What::Queue : What::Found;
}

} // namespace

const char* nameOf(What what) {
    switch (what) {
    case What::Found:
        return "found";
    case What::Taken:
        return "taken";
    case What::Renewed:
        return "renewed";
    case What::Shortened:
        return "shortened";
    case What::Reentered:
        return "re-entered";
    case What::HeldLess:
        return "held-less";
    case What::ChangedHands:
        return "changed-hands";
    case What::Joined:
        return "joined";
    case What::Left:
        return "left";
    case What::Expired:
        return "expired";
    case What::Released:
        return "released";
    case What::Forced:
        return "forced";
    case What::RenewalMissed:
        return "renewal-missed";
    case What::RenewalsStopped:
        return "renewals-stopped";
    case What::Lost:
        return "lost";
    case What::FailedOver:
        return "failed-over";
    case What::NoLongerWaited:
        return "no-longer-waited";
    case What::Queue:
        return "queue";
    case What::Gone:
        return "gone";
    case What::Other:
        break;
    }
    return "changed";
}

std::vector<LockChange> changesBetween(const LockReport& before, const LockReport& after, Nanos tolerance) {
    using Kind = LockChange::Kind;
    const auto looksAt = [&](const LockRow& row) {
        return Looks{after.at - before.at, tolerance, after.concerns(row), after.failedOver(row), !before.complete};
    };
    std::vector<LockChange> changes;
    auto was = before.locks.begin();
    auto is = after.locks.begin();
    while (was != before.locks.end() || is != after.locks.end()) {
        if (is == after.locks.end() || (was != before.locks.end() && was->name < is->name)) {
            changes.push_back({Kind::Vanished, *was, endOf(*was, looksAt(*was))});
            ++was;
        } else if (was == before.locks.end() || is->name < was->name) {
            changes.push_back({Kind::Appeared, *is, beginningOf(*is, !before.complete || after.failedOver(*is))});
            ++is;
        } else {
            const auto what = between(*was, *is, looksAt(*was));
            if (what == What::Lost && is->state == State::Queued) { // its waiters are left: who held it goes first
                changes.push_back({Kind::Vanished, *was, What::Lost});
                changes.push_back({Kind::Appeared, *is, What::Queue});
            } else if (what) {
                changes.push_back({Kind::Changed, *is, *what});
            }
            ++was;
            ++is;
        }
    }
    return changes;
}

bool changedBesidesTime(const std::vector<LockRow>& before, const std::vector<LockRow>& after) {
    return !std::ranges::equal(before, after, sameBesidesTime);
}

} // namespace lockscope::inspect
