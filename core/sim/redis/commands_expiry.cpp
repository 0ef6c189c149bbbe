// SPDX-License-Identifier: Apache-2.0
// Deadlines of keys: EXPIRE, TTL and their relatives.
#include "sim/redis/command.h"
#include "sim/redis/deadline.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

struct Conditions {
    bool nx = false, xx = false, gt = false, lt = false;

    bool allow(std::int64_t current, std::int64_t wanted) const {
        const bool bounded = current != kNoDeadline;
        if (nx && bounded) return false;
        if (xx && !bounded) return false;
        // A key without a deadline counts as one that lives for ever.
        if (gt && (!bounded || wanted <= current)) return false;
        return !(lt && bounded && wanted >= current);
    }
};

std::expected<Conditions, Reply> readConditions(const Call& call) {
    Conditions conditions;
    for (int i = 3; i < call.argc(); ++i) {
        const QByteArray& word = call.arg(i);
        if (equalsUpper(word, "NX"))
            conditions.nx = true;
        else if (equalsUpper(word, "XX"))
            conditions.xx = true;
        else if (equalsUpper(word, "GT"))
            conditions.gt = true;
        else if (equalsUpper(word, "LT"))
            conditions.lt = true;
        else
            return std::unexpected(Reply::error(oneLine("ERR Unsupported option " + printed(word, word.size()))));
    }
    if (conditions.nx && (conditions.xx || conditions.gt || conditions.lt))
        return std::unexpected(error("ERR NX and XX, GT or LT options at the same time are not compatible"));
    if (conditions.gt && conditions.lt)
        return std::unexpected(error("ERR GT and LT options at the same time are not compatible"));
    return conditions;
}

Reply expireAs(Call& call, TimeUnit unit) {
    const auto conditions = readConditions(call);
    if (!conditions) return conditions.error();
    const auto when = anyDeadline(call, call.arg(2), unit);
    if (!when) return when.error();
    Entry* entry = call.find(call.arg(1));
    if (!entry || !conditions->allow(entry->deadlineMs, *when)) return Reply::number(0);
    if (*when <= call.server.nowMs() && !call.server.applying()) {
        call.remove(call.arg(1));
    } else {
        call.database().setDeadline(call.arg(1), *entry, *when);
        call.changed(call.arg(1));
    }
    return Reply::number(1);
}

Reply expire(Call& call) {
    return expireAs(call, TimeUnit::Seconds);
}

Reply pexpire(Call& call) {
    return expireAs(call, TimeUnit::Milliseconds);
}

Reply expireat(Call& call) {
    return expireAs(call, TimeUnit::AtSeconds);
}

Reply pexpireat(Call& call) {
    return expireAs(call, TimeUnit::AtMilliseconds);
}

/// -2 without a key, -1 without a deadline, else the deadline counted from `origin` ms, in ms or rounded to seconds.
Reply lifeOf(Call& call, std::int64_t origin, bool seconds) {
    const Entry* entry = call.find(call.arg(1));
    if (!entry) return Reply::number(-2);
    if (entry->deadlineMs == kNoDeadline) return Reply::number(-1);
    const std::int64_t ms = std::max<std::int64_t>(0, entry->deadlineMs - origin);
    return Reply::number(seconds ? std::int64_t((std::uint64_t(ms) + 500) / 1000) : ms);
}

Reply ttl(Call& call) {
    return lifeOf(call, call.server.nowMs(), true);
}

Reply pttl(Call& call) {
    return lifeOf(call, call.server.nowMs(), false);
}

Reply expiretime(Call& call) {
    return lifeOf(call, 0, true);
}

Reply pexpiretime(Call& call) {
    return lifeOf(call, 0, false);
}

Reply persist(Call& call) {
    Entry* entry = call.find(call.arg(1));
    if (!entry || entry->deadlineMs == kNoDeadline) return Reply::number(0);
    call.database().setDeadline(call.arg(1), *entry, kNoDeadline);
    call.changed(call.arg(1));
    return Reply::number(1);
}

constexpr Command kCommands[] = {
    {"EXPIRE", expire, -3, kWrites},
    {"PEXPIRE", pexpire, -3, kWrites},
    {"EXPIREAT", expireat, -3, kWrites},
    {"PEXPIREAT", pexpireat, -3, kWrites},
    {"TTL", ttl, 2, kReads},
    {"PTTL", pttl, 2, kReads},
    {"EXPIRETIME", expiretime, 2, kReads},
    {"PEXPIRETIME", pexpiretime, 2, kReads},
    {"PERSIST", persist, 2, kWrites},
};

} // namespace

std::span<const Command> expiryCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
