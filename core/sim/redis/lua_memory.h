// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace lockscope::sim::redisd {

/// The memory of one Lua state. A script makes and drops dozens of small blocks, so those are kept by size for the next
/// one; large blocks come from the heap. Destroy it after the state.
class LuaMemory {
public:
    /// As lua_Alloc: a block of `wanted` bytes with the content of `block`, which has `size` bytes (nullptr: 0 bytes)
    /// and is gone then. `wanted` 0 only frees it. nullptr: there is no memory.
    void* resize(void* block, std::size_t size, std::size_t wanted);

private:
    static constexpr std::size_t kStep = 16;      ///< sizes are rounded up to multiples of this, and so aligned
    static constexpr std::size_t kLargest = 512;  ///< larger blocks come from the heap
    static constexpr std::size_t kSlab = 1 << 14; ///< bytes that are cut into small blocks
    struct Free {
        Free* next;
    };
    static bool isSmall(std::size_t size) { return size <= kLargest; }
    /// Precondition: 0 < size <= kLargest.
    Free*& listOf(std::size_t size) { return m_free[(size - 1) / kStep]; }
    void* take(std::size_t size);
    void giveBack(void* block, std::size_t size);

    std::array<Free*, kLargest / kStep> m_free{};
    std::vector<std::unique_ptr<std::byte[]>> m_slabs;
    std::size_t m_left = 0; ///< bytes of the last slab that were never used
};

} // namespace lockscope::sim::redisd
