// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <array>
#include <span>

namespace lockscope::trace {

/// The flags and the value of an event, in the words of exports and scenario files: "expiry" of a RecordFreed,
/// "promoted" of a FailoverStep, "by-hand" of a fault. Stable; none is translated.
class EventWords {
public:
    explicit EventWords(const Event& event);
    /// From none to four, in a fixed order.
    std::span<const char* const> all() const { return {m_words.data(), m_size}; }

private:
    std::array<const char*, 4> m_words{};
    std::size_t m_size = 0;
};

} // namespace lockscope::trace
