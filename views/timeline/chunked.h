// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace lockscope::views {

/// An append-only array in blocks: growing to millions of elements copies at most one block and wastes at most one,
/// where a vector would copy and double in the middle of a frame. The first block begins small: of a hundred thousand
/// locks, most have one span.
template <typename T, std::size_t Shift = 8>
class Chunked {
public:
    static constexpr std::size_t kBlock = std::size_t(1) << Shift;

    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    const T& operator[](std::size_t i) const { return m_blocks[i >> Shift][i & (kBlock - 1)]; }
    T& operator[](std::size_t i) { return m_blocks[i >> Shift][i & (kBlock - 1)]; }
    const T& back() const { return (*this)[m_size - 1]; }
    T& back() { return (*this)[m_size - 1]; }
    void push_back(T value) {
        if (m_size == capacity()) grow();
        ++m_size;
        back() = std::move(value);
    }
    void pop_back() {
        --m_size;
        if ((m_size & (kBlock - 1)) != 0) return;
        m_blocks.pop_back();
        m_lastRoom = m_blocks.empty() ? 0 : kBlock;
    }
    std::size_t memoryBytes() const { return capacity() * sizeof(T) + m_blocks.capacity() * sizeof(m_blocks[0]); }

private:
    static constexpr std::size_t kFirst = kBlock < 4 ? kBlock : 4;
    std::size_t capacity() const { return m_blocks.empty() ? 0 : (m_blocks.size() - 1) * kBlock + m_lastRoom; }
    void grow() {
        if (m_blocks.size() == 1 && m_lastRoom < kBlock) {
            m_lastRoom = std::min(m_lastRoom * 4, kBlock);
            auto larger = std::make_unique_for_overwrite<T[]>(m_lastRoom);
            std::move(m_blocks[0].get(), m_blocks[0].get() + m_size, larger.get());
            m_blocks[0] = std::move(larger);
            return;
        }
        m_lastRoom = m_blocks.empty() ? kFirst : kBlock;
        m_blocks.push_back(std::make_unique_for_overwrite<T[]>(m_lastRoom));
    }

    std::size_t m_lastRoom = 0; ///< elements that the last block has room for
    std::vector<std::unique_ptr<T[]>> m_blocks;
    std::size_t m_size = 0;
};

} // namespace lockscope::views
