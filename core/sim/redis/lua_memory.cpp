// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/lua_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace lockscope::sim::redisd {

void* LuaMemory::resize(void* block, std::size_t size, std::size_t wanted) {
    // Nearly all of what Lua asks for: a new small block, or the end of one.
    if (!block && wanted - 1 < kLargest) return take(wanted);
    if (wanted == 0) {
        if (block) giveBack(block, size);
        return nullptr;
    }
    if (!block) size = 0;
    if (block && !isSmall(size) && !isSmall(wanted)) return std::realloc(block, wanted);
    void* const other = isSmall(wanted) ? take(wanted) : std::malloc(wanted);
    if (!other) return nullptr; // then the old block stays as it was
    if (size > 0) std::memcpy(other, block, std::min(size, wanted));
    if (block) giveBack(block, size);
    return other;
}

void* LuaMemory::take(std::size_t size) {
    Free*& list = listOf(size);
    if (list) return std::exchange(list, list->next);
    const std::size_t rounded = (size + kStep - 1) / kStep * kStep;
    if (m_left < rounded) {
        m_slabs.push_back(std::make_unique_for_overwrite<std::byte[]>(kSlab));
        m_left = kSlab;
    }
    std::byte* const block = m_slabs.back().get() + (kSlab - m_left);
    m_left -= rounded;
    return block;
}

void LuaMemory::giveBack(void* block, std::size_t size) {
    if (!isSmall(size)) {
        std::free(block);
    } else if (size > 0) {
        Free*& list = listOf(size);
        list = ::new (block) Free{list};
    }
}

} // namespace lockscope::sim::redisd
