// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <functional>

namespace lockscope::fuzz {

/// How a copy of this process ended.
struct Ended {
    bool inTime = true;
    int status = 0; ///< what it returned
    int signal = 0; ///< that ended it; 0: none
    QByteArray out, err;
};

/// Runs `work` in a copy of this process (fork): what it returns is the exit status. Its output is caught; it reads
/// nothing. After `seconds` it is killed with all that it has started. Precondition: this process has one thread.
Ended inChild(const std::function<int()>& work, int seconds);

} // namespace lockscope::fuzz
