// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace lockscope::sim {

/// A stream's own seed from a run's seed: SplitMix64's finaliser (Steele, Lea, Flood 2014), so that neighbouring seeds
/// and streams have nothing in common, and one more client does not shift the others' randomness.
constexpr std::uint64_t mixSeed(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL * (stream + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

} // namespace lockscope::sim
