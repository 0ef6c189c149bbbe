// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/chunked.h"

#include <cstdint>

namespace lockscope::views {

/// Numbers for labels of 24 bits. Fencing tokens have 64 (a ZooKeeper transaction, a revision, a counter that is old):
/// the large ones are kept here, and the label says where.
class LabelNumbers {
public:
    /// The label of a number; 0 for those below 0.
    std::uint32_t labelOf(std::int64_t number) {
        if (number < kKept) return number > 0 ? std::uint32_t(number) : 0;
        // A grant, its writes and its release come one after the other: mostly it is the last one again.
        if (m_kept.empty() || m_kept.back() != number) {
            if (m_kept.size() == kKept) return 0; // eight million of them: better none than another one's
            m_kept.push_back(number);
        }
        return kKept | std::uint32_t(m_kept.size() - 1);
    }
    /// The number of a label from labelOf().
    std::int64_t numberOf(std::uint32_t label) const { return label < kKept ? label : m_kept[label & (kKept - 1)]; }
    std::size_t memoryBytes() const { return m_kept.memoryBytes(); }

private:
    static constexpr std::uint32_t kKept = 1u << 23; ///< labels from here on stand for kept numbers
    Chunked<std::int64_t> m_kept;
};

} // namespace lockscope::views
