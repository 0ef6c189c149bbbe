// SPDX-License-Identifier: Apache-2.0
#include "heap_watch.h"

#include <QtGlobal>
#include <atomic>

namespace {

std::atomic<bool> g_watched = false;
std::atomic<std::size_t> g_largest = 0;

void note(std::size_t size) noexcept {
    if (!g_watched.load(std::memory_order_relaxed)) return;
    std::size_t seen = g_largest.load(std::memory_order_relaxed);
    while (size > seen && !g_largest.compare_exchange_weak(seen, size, std::memory_order_relaxed)) {
    }
}

} // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The sanitizers have an allocator of their own, and tell of what it gives.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
namespace {
const int g_installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { note(size); }, [](const volatile void*) {});
} // namespace
#else
// In front of glibc's, for the program and all of its libraries.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

void* malloc(std::size_t size) noexcept {
    note(size);
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
    std::size_t all = 0;
    if (!__builtin_mul_overflow(count, size, &all)) note(all);
    return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
    note(size);
    return __libc_realloc(old, size);
}
}
#endif

namespace lockscope::fuzz {

HeapWatch::HeapWatch() {
    g_largest = 0;
    [[maybe_unused]] const bool other = g_watched.exchange(true);
    Q_ASSERT(!other);
}

HeapWatch::~HeapWatch() {
    g_watched = false;
}

std::size_t HeapWatch::largest() const {
    return g_largest;
}

} // namespace lockscope::fuzz
