// SPDX-License-Identifier: Apache-2.0
// Counters: strings that hold an integer.
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

#include <limits>

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

Reply add(Call& call, std::int64_t amount) {
    const auto found = call.get<StringValue>(call.arg(1));
    if (found.wrongType) return wrongType();
    std::int64_t value = 0;
    if (found.value) {
        const auto read = parseInteger(*found.value);
        if (!read) return notInteger();
        value = *read;
    }
    if (__builtin_add_overflow(value, amount, &value)) return error("ERR increment or decrement would overflow");
    (found.value ? *found.value : call.create<StringValue>(call.arg(1))) = formatInteger(value);
    call.changed(call.arg(1));
    return Reply::number(value);
}

Reply incr(Call& call) {
    return add(call, 1);
}

Reply decr(Call& call) {
    return add(call, -1);
}

Reply incrby(Call& call) {
    const auto amount = parseInteger(call.arg(2));
    return amount ? add(call, *amount) : notInteger();
}

Reply decrby(Call& call) {
    const auto amount = parseInteger(call.arg(2));
    if (!amount) return notInteger();
    if (*amount == std::numeric_limits<std::int64_t>::min()) return error("ERR decrement would overflow");
    return add(call, -*amount);
}

constexpr Command kCommands[] = {
    {"INCR", incr, 2, kWrites | kGrows},
    {"DECR", decr, 2, kWrites | kGrows},
    {"INCRBY", incrby, 3, kWrites | kGrows},
    {"DECRBY", decrby, 3, kWrites | kGrows},
};

} // namespace

std::span<const Command> counterCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
