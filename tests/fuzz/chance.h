// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QtGlobal>
#include <cstddef>
#include <cstdint>

namespace lockscope::fuzz {

/// Random numbers that are the same on every machine for the same seed (SplitMix64).
class Chance {
public:
    explicit Chance(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t next() {
        std::uint64_t z = m_state += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// From 0 to `limit` - 1. Precondition: limit > 0.
    std::size_t below(std::size_t limit) {
        Q_ASSERT(limit > 0);
        return std::size_t(next() % limit);
    }
    /// True once in `n` times.
    bool oneIn(std::size_t n) { return below(n) == 0; }
    /// One element of a container that has some.
    template <typename Container>
    const auto& of(const Container& container) {
        return container[static_cast<decltype(container.size())>(below(std::size_t(container.size())))];
    }

private:
    std::uint64_t m_state;
};

} // namespace lockscope::fuzz
