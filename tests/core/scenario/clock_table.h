// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>

namespace lockscope::test {

/// A wall clock that is wrong all at once.
struct ClockJump {
    enum class Whose : std::uint8_t { Client, Server };
    const char* name;
    Whose whose;
    Nanos by;
};
inline const ClockJump kClockJumps[] = {
    {"a client an hour ahead", ClockJump::Whose::Client, 1h},
    {"a client an hour behind", ClockJump::Whose::Client, -1h},
    {"the server an hour ahead", ClockJump::Whose::Server, 1h},
    {"the server an hour behind", ClockJump::Whose::Server, -1h},
};

/// The table: whether such a jump lets two hold it at once. For clients' clocks it covers all recipes: one goes by
/// them, and is broken by them. For servers' clocks it covers the recipes on Redis: the server's clock keeps the
/// leases, so a leap ends all of them at once, except for the one recipe that goes by the clients' clocks. For Redlock
/// the clock of a single master is enough, when no more than a majority has granted it.
inline bool clockBreaks(const QByteArray& recipe, const ClockJump& jump) {
    const bool clientsClock = recipe == "redis-setnx";
    if (jump.whose == ClockJump::Whose::Client) return clientsClock;
    return jump.by > 0s && !clientsClock;
}

} // namespace lockscope::test
