// SPDX-License-Identifier: Apache-2.0
#include "connections.h"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace lockscope::torture {

namespace {
std::atomic<JournalWriter*> theJournal{nullptr};
std::chrono::steady_clock::time_point theOrigin;

void note(int socket, std::chrono::steady_clock::time_point asked) {
    JournalWriter* journal = theJournal.load(std::memory_order_acquire);
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (!journal || ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0) return;
    Entry entry;
    entry.what = Entry::What::Port;
    entry.event.at = (asked - theOrigin).count();
    if (own.ss_family == AF_INET)
        entry.event.value = ntohs(reinterpret_cast<const sockaddr_in*>(&own)->sin_port);
    else if (own.ss_family == AF_INET6)
        entry.event.value = ntohs(reinterpret_cast<const sockaddr_in6*>(&own)->sin6_port);
    else
        return;
    journal->write(entry);
}
} // namespace

void noteConnections(JournalWriter& journal, std::chrono::steady_clock::time_point origin) {
    theOrigin = origin;
    theJournal.store(&journal, std::memory_order_release);
}

} // namespace lockscope::torture

/// Stands before the C library's, for all libraries of this program. The port is known even while it is connecting.
extern "C" __attribute__((visibility("default"))) int connect(int socket, const sockaddr* address, socklen_t length) {
    using Connect = int (*)(int, const sockaddr*, socklen_t);
    static const auto real = reinterpret_cast<Connect>(::dlsym(RTLD_NEXT, "connect"));
    const auto asked = std::chrono::steady_clock::now(); // before the server can have seen it
    const int result = real(socket, address, length);
    const int error = errno;
    if (result == 0 || error == EINPROGRESS) lockscope::torture::note(socket, asked);
    errno = error;
    return result;
}
