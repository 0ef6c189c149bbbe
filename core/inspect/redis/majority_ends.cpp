// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/majority_ends.h"

#include <algorithm>
#include <chrono>

namespace lockscope::inspect {

namespace {
constexpr std::int64_t kSeveralServersMs = 100; // which were looked at one after the other
}

bool MajorityEnds::countMoves(Hold& hold, const LockRow& row) {
    hold.copies.resize(row.copies.size());
    for (std::size_t i = 0; i < row.copies.size(); ++i) {
        const LockRow& now = row.copies[i];
        Copy& copy = hold.copies[i];
        const bool has =
            now.state == LockRow::State::Held && !now.holders.empty() && identityOf(now.holders.front()) == hold.holder;
        if (has && !now.ends) return false;
        if (has && copy.ends && endMoved(*copy.ends, *now.ends) != EndMoved::Same)
            copy.moves = std::max(copy.moves + 1, hold.moves);
        else if (has && !copy.ends)
            copy.moves = hold.moves;
        copy.ends = has ? now.ends : std::nullopt;
    }
    return true;
}

void MajorityEnds::settle(LockRow& row, Nanos at) {
    if (row.state == LockRow::State::NotKnown) return; // it may be held as before
    if (row.state != LockRow::State::Held || !row.ttlMs || row.holders.empty()) {
        m_holds.erase(row.name);
        return;
    }
    const std::int64_t endMs = std::chrono::floor<std::chrono::milliseconds>(at).count() + *row.ttlMs;
    Hold& hold = m_holds[row.name];
    const QByteArray holder = identityOf(row.holders.front());
    if (hold.holder != holder) hold = Hold{.holder = holder, .copies = {}, .moves = 0, .endMs = endMs};
    if (!countMoves(hold, row)) {
        m_holds.erase(row.name);
        return;
    }
    std::vector<std::size_t> moves;
    for (const Copy& copy : hold.copies)
        if (copy.ends) moves.push_back(copy.moves);
    Q_ASSERT(row.quorum > 0 && moves.size() >= row.quorum);
    std::ranges::sort(moves, std::greater());
    const bool moved = moves[row.quorum - 1] > hold.moves;
    hold.moves = std::max(hold.moves, moves[row.quorum - 1]);
    // An end that comes earlier, such as that of a majority which lost a copy, is told in any case.
    if (moved || endMs < hold.endMs - kSeveralServersMs) hold.endMs = endMs;
    row.ends = EndsWithin{hold.endMs, hold.endMs};
}

void MajorityEnds::keepOnly(const std::set<QByteArray>& names) {
    std::erase_if(m_holds, [&](const auto& each) { return !names.contains(each.first); });
}

} // namespace lockscope::inspect
