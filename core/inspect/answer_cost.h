// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <algorithm>
#include <array>

namespace lockscope::inspect {

/// Charges a server's answers by the time that they took. An answer that took many times as long as the ones before was
/// late for another reason than work: the server stood still, or the network did. It is charged as a dear one of its
/// kind. Where answers stay dear, they are charged in full after a few.
class AnswerCost {
public:
    /// The part of `took` that the server is taken to have worked. The first answer is charged in full.
    Nanos charged(Nanos took) {
        const Nanos most = m_known > 0 ? std::max<Nanos>(usual() * kDear, kAlwaysBelieved) : took;
        m_last[m_next] = took;
        m_next = (m_next + 1) % m_last.size();
        m_known = std::min(m_known + 1, m_last.size());
        return std::min(took, most);
    }

private:
    static constexpr int kDear = 4;
    static constexpr Nanos kAlwaysBelieved = std::chrono::milliseconds(20);

    Nanos usual() const {
        auto sorted = m_last;
        const auto end = sorted.begin() + std::ptrdiff_t(m_known);
        const auto middle = sorted.begin() + std::ptrdiff_t(m_known / 2);
        std::nth_element(sorted.begin(), middle, end);
        return *middle;
    }

    std::array<Nanos, 7> m_last{};
    std::size_t m_next = 0, m_known = 0;
};

} // namespace lockscope::inspect
