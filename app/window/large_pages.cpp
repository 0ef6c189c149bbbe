// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/large_pages.h"

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace lockscope::app {

void preferLargePages() {
#ifdef __GLIBC__
    constexpr int kMega = 1 << 20;
    constexpr std::size_t kLargePage = std::size_t(2) << 20;
    // The picture comes from the heap, not from a mapping of its own, and goes back there when the window is resized.
    mallopt(M_MMAP_THRESHOLD, 16 * kMega);
    mallopt(M_TRIM_THRESHOLD, 32 * kMega);
    // Room for it and for what else is made at the start, as one piece.
    mallopt(M_TOP_PAD, 12 * kMega);
    const auto end = [] { return static_cast<char*>(sbrk(0)); };
    char* const before = end();
    void* volatile more = std::malloc(kMega); // more than the heap has left: it grows. Volatile, or it is left out
    char* const after = end();
    std::free(more);
    mallopt(M_TOP_PAD, kMega);
    // Another allocator than the C library's leaves the heap as it was.
    char* const begin = before + (kLargePage - reinterpret_cast<std::uintptr_t>(before) % kLargePage) % kLargePage;
    if (begin < after) madvise(begin, std::size_t(after - begin), MADV_HUGEPAGE); // advice: may be refused
#endif
}

} // namespace lockscope::app
