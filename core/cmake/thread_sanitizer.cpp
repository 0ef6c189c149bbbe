// SPDX-License-Identifier: Apache-2.0
// Qt starts processes by clone(CLONE_VM | CLONE_VFORK). The thread checker of GCC 12 wraps clone for a child that has a
// memory of its own, and undoes what it did before in both, the parent and the child: when they share their memory,
// that is once too often. Its count of reasons to look away is then -1 for the thread that started the process, and no
// lock that this thread takes is seen any more. So the programs that are checked go by the wrapper; the checker's own
// state needs no care, as such a child does nothing but exec.
#include <cstdarg>
#include <sched.h>
#include <sys/types.h>

extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's other name of clone
int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept;

int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
    va_list list;
    va_start(list, argument);
    auto* const parent = va_arg(list, pid_t*);
    void* const tls = va_arg(list, void*);
    auto* const child = va_arg(list, pid_t*);
    va_end(list);
    return __clone(function, stack, flags, argument, parent, tls, child);
}
}
