// SPDX-License-Identifier: Apache-2.0
// A session with its server: greeting, database, name, time.
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

#include <limits>

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

Reply ping(Call& call) {
    if (call.argc() > 2) return wrongArity(call.command);
    if (call.session.subscriptions() > 0) {
        std::vector<Reply> items;
        items.push_back(Reply::bulk("pong"));
        items.push_back(Reply::bulk(call.argc() == 2 ? call.arg(1) : QByteArray()));
        return Reply::array(std::move(items));
    }
    return call.argc() == 2 ? Reply::bulk(call.arg(1)) : Reply::status("PONG");
}

Reply echo(Call& call) {
    return Reply::bulk(call.arg(1));
}

Reply select(Call& call) {
    const auto db = parseInteger(call.arg(1));
    if (!db) return notInteger();
    if (*db < std::numeric_limits<int>::min() || *db > std::numeric_limits<int>::max())
        return error("ERR value is out of range, value must between -2147483648 and 2147483647");
    if (*db < 0 || *db >= kDatabases) return error("ERR DB index is out of range");
    call.session.db = int(*db);
    return ok();
}

bool isDefaultUser(const QByteArray& name) {
    return name == "default";
}

Reply wrongPass() {
    return error("WRONGPASS invalid username-password pair or user is disabled.");
}

Reply auth(Call& call) {
    if (call.argc() > 3) return syntaxError();
    if (call.argc() == 2)
        return error(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure your "
            "configuration is correct?");
    return isDefaultUser(call.arg(1)) ? ok() : wrongPass();
}

bool nameIsFine(const QByteArray& name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}

Reply badName() {
    return error("ERR Client names cannot contain spaces, newlines or special characters.");
}

Reply hello(Call& call) {
    if (call.argc() > 1) {
        const auto version = parseInteger(call.arg(1));
        if (!version) return error("ERR Protocol version is not an integer or out of range");
        if (*version != 2) return error("NOPROTO unsupported protocol version");
    }
    for (int i = 2; i < call.argc(); ++i) {
        const int more = call.argc() - 1 - i;
        if (equalsUpper(call.arg(i), "AUTH") && more >= 2) {
            if (!isDefaultUser(call.arg(i + 1))) return wrongPass();
            i += 2;
        } else if (equalsUpper(call.arg(i), "SETNAME") && more >= 1) {
            // At once, whatever words come after it.
            if (!nameIsFine(call.arg(++i))) return badName();
            call.session.name = call.arg(i);
        } else {
            return Reply::error(
                oneLine("ERR Syntax error in HELLO option '" + printed(call.arg(i), call.arg(i).size()) + "'"));
        }
    }
    std::vector<Reply> items;
    const auto add = [&](const char* field, Reply value) {
        items.push_back(Reply::bulk(field));
        items.push_back(std::move(value));
    };
    add("server", Reply::bulk("redis"));
    add("version", Reply::bulk("7.0.15"));
    add("proto", Reply::number(2));
    add("id", Reply::number(call.session.id));
    add("mode", Reply::bulk("standalone"));
    add("role", Reply::bulk("master"));
    add("modules", emptyArray());
    return Reply::array(std::move(items));
}

Reply clientSetname(Call& call) {
    if (!nameIsFine(call.arg(2))) return badName();
    call.session.name = call.arg(2);
    return ok();
}

Reply clientGetname(Call& call) {
    return call.session.name.isEmpty() ? Reply::nil() : Reply::bulk(call.session.name);
}

Reply clientId(Call& call) {
    return Reply::number(call.session.id);
}

Reply time(Call& call) {
    const std::int64_t us = call.server.nowUs();
    std::vector<Reply> items;
    items.push_back(Reply::bulk(formatInteger(us / 1000000)));
    items.push_back(Reply::bulk(formatInteger(us % 1000000)));
    return Reply::array(std::move(items));
}

Reply quit(Call&) {
    return ok();
}

Reply reset(Call& call) {
    Session& session = call.session;
    for (const QByteArray& channel : std::vector<QByteArray>(session.channels))
        call.server.unsubscribe(session, channel, false);
    for (const QByteArray& pattern : std::vector<QByteArray>(session.patterns))
        call.server.unsubscribe(session, pattern, true);
    call.server.leaveMulti(session);
    session.db = 0;
    session.name.clear();
    return Reply::status("RESET");
}

constexpr unsigned kAlways = kNoScript | kWhileSubscribed | kNotQueued;
constexpr Command kCommands[] = {
    {"PING", ping, -1, kWhileSubscribed},
    {"ECHO", echo, 2, 0},
    {"SELECT", select, 2, 0},
    {"AUTH", auth, -2, kNoScript},
    {"HELLO", hello, -1, kNoScript},
    {"CLIENT", nullptr, -2, kContainer},
    {"CLIENT|SETNAME", clientSetname, 3, kNoScript},
    {"CLIENT|GETNAME", clientGetname, 2, kNoScript},
    {"CLIENT|ID", clientId, 2, kNoScript},
    {"TIME", time, 1, 0},
    {"QUIT", quit, -1, kAlways},
    {"RESET", reset, 1, kAlways},
};

} // namespace

std::span<const Command> connectionCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
