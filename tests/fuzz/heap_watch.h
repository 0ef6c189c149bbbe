// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace lockscope::fuzz {

/// Sees the largest piece of memory that the process asks for while this object lives, on any thread. One at a time.
class HeapWatch {
public:
    HeapWatch();
    ~HeapWatch();
    HeapWatch(const HeapWatch&) = delete;
    HeapWatch& operator=(const HeapWatch&) = delete;

    /// Bytes; 0 when nothing was asked for.
    std::size_t largest() const;
};

} // namespace lockscope::fuzz
