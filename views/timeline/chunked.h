// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace lockscope::views {

/// An append-only array in blocks that never move: growing to millions of elements copies nothing and wastes at most
/// one block, where a vector would copy and double in the middle of a frame.
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
    void push_back(const T& value) {
        if ((m_size & (kBlock - 1)) == 0) m_blocks.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
        ++m_size;
        back() = value;
    }
    void pop_back() {
        --m_size;
        if ((m_size & (kBlock - 1)) == 0) m_blocks.pop_back();
    }
    std::size_t memoryBytes() const {
        return m_blocks.size() * kBlock * sizeof(T) + m_blocks.capacity() * sizeof(m_blocks[0]);
    }

private:
    std::vector<std::unique_ptr<T[]>> m_blocks;
    std::size_t m_size = 0;
};

} // namespace lockscope::views
