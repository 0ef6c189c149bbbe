// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>

namespace lockscope::cli {

/// The terminal that this process belongs to, if to any: whatever its input and outputs are. All of it may be called
/// between fork() and exec().
class Terminal {
public:
    Terminal() : m_descriptor(::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)) {}
    ~Terminal() {
        if (m_descriptor >= 0) ::close(m_descriptor);
    }
    Terminal(Terminal&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    Terminal& operator=(Terminal&& other) noexcept {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }

    /// False for a daemon, a cron job, a service.
    bool there() const { return m_descriptor >= 0; }
    /// The process group that may read from it and that its keys reach; negative when there is none.
    pid_t foreground() const { return there() ? ::tcgetpgrp(m_descriptor) : -1; }
    /// Makes another group of this session that one. The caller has SIGTTOU blocked: to ask for this from the
    /// background would stop it.
    void give(pid_t group) const { ::tcsetpgrp(m_descriptor, group); }

private:
    int m_descriptor;
};

} // namespace lockscope::cli
