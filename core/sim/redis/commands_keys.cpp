// SPDX-License-Identifier: Apache-2.0
// Keys as such, whatever they hold. (Deadlines are in commands_expiry.cpp, SCAN in commands_scan.cpp.)
#include "sim/redis/command.h"
#include "sim/redis/glob.h"
#include "sim/redis/numbers.h"
#include "sim/redis/type_names.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

Reply del(Call& call) {
    std::int64_t removed = 0;
    for (int i = 1; i < call.argc(); ++i) {
        if (!call.find(call.arg(i))) continue;
        call.remove(call.arg(i));
        ++removed;
    }
    return Reply::number(removed);
}

Reply exists(Call& call) {
    std::int64_t found = 0;
    for (int i = 1; i < call.argc(); ++i)
        found += call.find(call.arg(i)) != nullptr;
    return Reply::number(found);
}

Reply type(Call& call) {
    const Entry* entry = call.find(call.arg(1));
    return Reply::status(entry ? QByteArray(typeName(entry->value)) : QByteArrayLiteral("none"));
}

Reply rename(Call& call) {
    const QByteArray &from = call.arg(1), &to = call.arg(2);
    Entry* entry = call.find(from);
    if (!entry) return noSuchKey();
    const bool onlyNew = equalsUpper(call.arg(0), "RENAMENX");
    if (from == to) return onlyNew ? Reply::number(0) : ok();
    if (call.find(to)) {
        if (onlyNew) return Reply::number(0);
        call.database().erase(to);
    }
    Value value = std::move(entry->value);
    const std::int64_t deadline = entry->deadlineMs;
    call.database().erase(from);
    Entry& target = call.database().obtain(to);
    target.value = std::move(value);
    call.database().setDeadline(to, target, deadline);
    call.changed(from);
    call.changed(to);
    return onlyNew ? Reply::number(1) : ok();
}

Reply randomkey(Call& call) {
    call.server.removeDue(call.session.db);
    const auto& order = call.database().inOrder();
    if (order.empty()) return Reply::nil();
    const std::uint64_t first = order.begin()->first, last = order.rbegin()->first;
    const QByteArray& key = order.lower_bound(first + call.server.random() % (last - first + 1))->second;
    return call.server.hidden(*call.database().find(key)) ? Reply::nil() : Reply::bulk(key);
}

Reply dbsize(Call& call) {
    call.server.removeDue(call.session.db);
    return Reply::number(std::int64_t(call.database().size()));
}

Reply keys(Call& call) {
    call.server.removeDue(call.session.db);
    std::vector<Reply> found;
    for (const auto& [id, key] : call.database().inOrder())
        if (globMatches(call.arg(1), key) && !call.server.hidden(*call.database().find(key)))
            found.push_back(Reply::bulk(key));
    return Reply::array(std::move(found));
}

bool flushOptionsAreFine(const Call& call) {
    return call.argc() == 1 ||
           (call.argc() == 2 && (equalsUpper(call.arg(1), "SYNC") || equalsUpper(call.arg(1), "ASYNC")));
}

Reply flushdb(Call& call) {
    if (!flushOptionsAreFine(call)) return syntaxError();
    call.server.eraseAll(call.session.db);
    return ok();
}

Reply flushall(Call& call) {
    if (!flushOptionsAreFine(call)) return syntaxError();
    for (int db = 0; db < kDatabases; ++db)
        call.server.eraseAll(db);
    return ok();
}

Reply objectEncoding(Call& call) {
    const Entry* entry = call.find(call.arg(2));
    return entry ? Reply::bulk(encodingName(entry->value)) : Reply::nil();
}

constexpr Command kCommands[] = {
    {"DEL", del, -2, kWrites},
    {"UNLINK", del, -2, kWrites},
    {"EXISTS", exists, -2, 0},
    {"TOUCH", exists, -2, 0},
    {"TYPE", type, 2, kReads},
    {"RENAME", rename, 3, kWrites},
    {"RENAMENX", rename, 3, kWrites},
    {"RANDOMKEY", randomkey, 1, 0},
    {"DBSIZE", dbsize, 1, 0},
    {"KEYS", keys, 2, 0},
    {"FLUSHDB", flushdb, -1, kWrites},
    {"FLUSHALL", flushall, -1, kWrites},
    {"OBJECT", nullptr, -2, kContainer},
    {"OBJECT|ENCODING", objectEncoding, 3, 0},
};

} // namespace

std::span<const Command> keyCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
