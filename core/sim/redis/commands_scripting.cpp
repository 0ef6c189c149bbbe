// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"
#include "sim/redis/lua_host.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

constexpr int kFirstKey = 3;

/// EVAL and its relatives from the number of keys on; `sha1` finds the script, or says why there is none.
template <typename Find>
Reply evaluate(Call& call, bool readOnly, Find sha1) {
    const auto keys = parseInteger(call.arg(2));
    if (!keys) return notInteger();
    if (*keys > call.argc() - kFirstKey) return error("ERR Number of keys can't be greater than number of args");
    if (*keys < 0) return error("ERR Number of keys can't be negative");
    const std::expected<QByteArray, Reply> found = sha1();
    if (!found) return found.error();
    return call.server.lua().run(call, *found, kFirstKey, int(*keys), readOnly);
}

Reply evalText(Call& call, bool readOnly) {
    return evaluate(call, readOnly, [&] { return call.server.lua().load(call.arg(1)); });
}

std::expected<QByteArray, Reply> known(Call& call) {
    if (!call.server.lua().knows(call.arg(1)))
        return std::unexpected(error("NOSCRIPT No matching script. Please use EVAL."));
    return call.arg(1);
}

Reply evalHash(Call& call, bool readOnly) {
    // The length comes first: without 40 digits the number of keys is not even looked at.
    if (call.arg(1).size() != 40) return error("NOSCRIPT No matching script. Please use EVAL.");
    return evaluate(call, readOnly, [&] { return known(call); });
}

Reply eval(Call& call) {
    return evalText(call, false);
}

Reply evalRo(Call& call) {
    return evalText(call, true);
}

Reply evalsha(Call& call) {
    return evalHash(call, false);
}

Reply evalshaRo(Call& call) {
    return evalHash(call, true);
}

Reply scriptLoad(Call& call) {
    const auto sha1 = call.server.lua().load(call.arg(2));
    return sha1 ? Reply::bulk(*sha1) : sha1.error();
}

Reply scriptExists(Call& call) {
    std::vector<Reply> found;
    for (int i = 2; i < call.argc(); ++i)
        found.push_back(Reply::number(call.server.lua().knows(call.arg(i))));
    return Reply::array(std::move(found));
}

Reply scriptFlush(Call& call) {
    if (call.argc() > 3 ||
        (call.argc() == 3 && !equalsUpper(call.arg(2), "SYNC") && !equalsUpper(call.arg(2), "ASYNC")))
        return error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    call.server.lua().flush();
    return ok();
}

constexpr Command kCommands[] = {
    {"EVAL", eval, -3, kNoScript | kWraps},
    {"EVAL_RO", evalRo, -3, kNoScript | kWraps},
    {"EVALSHA", evalsha, -3, kNoScript | kWraps},
    {"EVALSHA_RO", evalshaRo, -3, kNoScript | kWraps},
    {"SCRIPT", nullptr, -2, kContainer},
    {"SCRIPT|LOAD", scriptLoad, 3, kNoScript},
    {"SCRIPT|EXISTS", scriptExists, -3, kNoScript},
    {"SCRIPT|FLUSH", scriptFlush, -2, kNoScript},
};

} // namespace

std::span<const Command> scriptCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
