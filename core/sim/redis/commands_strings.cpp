// SPDX-License-Identifier: Apache-2.0
// Strings: SET and its relatives. (Counting is in commands_counters.cpp.)
#include "sim/redis/command.h"
#include "sim/redis/deadline.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

/// The string's reply for GET-like commands: bulk, nil or WRONGTYPE.
Reply bulkOf(const Call::Found<StringValue>& found) {
    if (found.wrongType) return wrongType();
    return found.value ? Reply::bulk(*found.value) : Reply::nil();
}

/// Overwrites whatever the key holds.
void put(Call& call, const QByteArray& key, const QByteArray& value, bool keepDeadline = false) {
    Entry& entry = call.database().obtain(key);
    entry.value.emplace<StringValue>(value);
    if (!keepDeadline) call.database().setDeadline(key, entry, kNoDeadline);
    call.changed(key);
}

struct SetOptions {
    bool nx = false, xx = false, get = false, keepTtl = false, persist = false;
    std::optional<TimeUnit> unit; ///< of `amount`, as EX, PX, EXAT, PXAT say
    const QByteArray* amount = nullptr;
};

/// Reads the words after the fixed arguments of SET (`isGetex` = false) or GETEX; nullopt is a syntax error.
std::optional<SetOptions> readOptions(const Call& call, int first, bool isGetex) {
    SetOptions options;
    for (int i = first; i < call.argc(); ++i) {
        const QByteArray& word = call.arg(i);
        const bool more = i + 1 < call.argc();
        const bool timeFree = !options.keepTtl && !options.persist;
        const auto takesTime = [&](const char* name, TimeUnit unit) {
            return equalsUpper(word, name) && more && timeFree && (!options.unit || *options.unit == unit);
        };
        if (!isGetex && equalsUpper(word, "NX") && !options.xx) {
            options.nx = true;
        } else if (!isGetex && equalsUpper(word, "XX") && !options.nx) {
            options.xx = true;
        } else if (!isGetex && equalsUpper(word, "GET")) {
            options.get = true;
        } else if (!isGetex && equalsUpper(word, "KEEPTTL") && !options.persist && !options.unit) {
            options.keepTtl = true;
        } else if (isGetex && equalsUpper(word, "PERSIST") && !options.unit) {
            options.persist = true;
        } else if (takesTime("EX", TimeUnit::Seconds)) {
            options.unit = TimeUnit::Seconds;
            options.amount = &call.arg(++i);
        } else if (takesTime("PX", TimeUnit::Milliseconds)) {
            options.unit = TimeUnit::Milliseconds;
            options.amount = &call.arg(++i);
        } else if (takesTime("EXAT", TimeUnit::AtSeconds)) {
            options.unit = TimeUnit::AtSeconds;
            options.amount = &call.arg(++i);
        } else if (takesTime("PXAT", TimeUnit::AtMilliseconds)) {
            options.unit = TimeUnit::AtMilliseconds;
            options.amount = &call.arg(++i);
        } else {
            return std::nullopt;
        }
    }
    return options;
}

Reply get(Call& call) {
    return bulkOf(call.get<StringValue>(call.arg(1)));
}

Reply set(Call& call) {
    const auto options = readOptions(call, 3, false);
    if (!options) return syntaxError();
    std::int64_t deadline = kNoDeadline;
    if (options->unit) {
        const auto read = positiveDeadline(call, *options->amount, *options->unit);
        if (!read) return read.error();
        deadline = *read;
    }
    const QByteArray& key = call.arg(1);
    Reply reply = ok();
    if (options->get) {
        reply = get(call);
        if (reply.isError()) return reply;
    }
    const bool exists = call.find(key) != nullptr;
    if ((options->nx && exists) || (options->xx && !exists)) return options->get ? reply : Reply::nil();
    put(call, key, call.arg(2), options->keepTtl);
    if (options->unit) call.database().setDeadline(key, *call.database().find(key), deadline);
    return reply;
}

Reply setnx(Call& call) {
    if (call.find(call.arg(1))) return Reply::number(0);
    put(call, call.arg(1), call.arg(2));
    return Reply::number(1);
}

Reply setWithLife(Call& call, TimeUnit unit) {
    const auto deadline = positiveDeadline(call, call.arg(2), unit);
    if (!deadline) return deadline.error();
    call.find(call.arg(1));
    put(call, call.arg(1), call.arg(3));
    call.database().setDeadline(call.arg(1), *call.database().find(call.arg(1)), *deadline);
    return ok();
}

Reply setex(Call& call) {
    return setWithLife(call, TimeUnit::Seconds);
}

Reply psetex(Call& call) {
    return setWithLife(call, TimeUnit::Milliseconds);
}

Reply getset(Call& call) {
    Reply reply = get(call);
    if (!reply.isError()) put(call, call.arg(1), call.arg(2));
    return reply;
}

Reply getdel(Call& call) {
    Reply reply = get(call);
    if (reply.type == Reply::Type::Bulk) call.remove(call.arg(1));
    return reply;
}

Reply getex(Call& call) {
    const auto options = readOptions(call, 2, true);
    if (!options) return syntaxError();
    const auto found = call.get<StringValue>(call.arg(1));
    Reply reply = bulkOf(found);
    if (!found.value) return reply;
    if (options->unit) {
        const auto deadline = positiveDeadline(call, *options->amount, *options->unit);
        if (!deadline) return deadline.error();
        const bool absolute = *options->unit == TimeUnit::AtSeconds || *options->unit == TimeUnit::AtMilliseconds;
        if (absolute && *deadline <= call.server.nowMs()) {
            call.remove(call.arg(1));
        } else {
            call.database().setDeadline(call.arg(1), *found.entry, *deadline);
            call.changed(call.arg(1));
        }
    } else if (options->persist && found.entry->deadlineMs != kNoDeadline) {
        call.database().setDeadline(call.arg(1), *found.entry, kNoDeadline);
        call.changed(call.arg(1));
    }
    return reply;
}

Reply mget(Call& call) {
    std::vector<Reply> values;
    values.reserve(call.args.size() - 1);
    for (int i = 1; i < call.argc(); ++i) {
        const auto found = call.get<StringValue>(call.arg(i));
        values.push_back(found.value ? Reply::bulk(*found.value) : Reply::nil());
    }
    return Reply::array(std::move(values));
}

Reply mset(Call& call) {
    if (call.argc() % 2 == 0) return wrongArity(call.command);
    for (int i = 1; i < call.argc(); i += 2) {
        call.find(call.arg(i));
        put(call, call.arg(i), call.arg(i + 1));
    }
    return ok();
}

Reply msetnx(Call& call) {
    if (call.argc() % 2 == 0) return wrongArity(call.command);
    for (int i = 1; i < call.argc(); i += 2)
        if (call.find(call.arg(i))) return Reply::number(0);
    mset(call);
    return Reply::number(1);
}

Reply append(Call& call) {
    const auto found = call.get<StringValue>(call.arg(1));
    if (found.wrongType) return wrongType();
    StringValue& value = found.value ? *found.value : call.create<StringValue>(call.arg(1));
    value += call.arg(2);
    call.changed(call.arg(1));
    return Reply::number(value.size());
}

Reply strlen(Call& call) {
    const auto found = call.get<StringValue>(call.arg(1));
    if (found.wrongType) return wrongType();
    return Reply::number(found.value ? found.value->size() : 0);
}

/// Bytes [first, last], negative ones counted from the end.
Reply getrange(Call& call) {
    const auto first = parseInteger(call.arg(2)), last = parseInteger(call.arg(3));
    if (!first || !last) return notInteger();
    const auto found = call.get<StringValue>(call.arg(1));
    if (found.wrongType) return wrongType();
    const std::int64_t size = found.value ? found.value->size() : 0;
    if (*first < 0 && *last < 0 && *first > *last) return Reply::bulk({});
    const std::int64_t from = *first < 0 ? std::max<std::int64_t>(0, *first + size) : *first;
    const std::int64_t to = std::min(*last < 0 ? std::max<std::int64_t>(0, *last + size) : *last, size - 1);
    return Reply::bulk(from > to ? QByteArray() : found.value->mid(from, to - from + 1));
}

constexpr Command kCommands[] = {
    {"GET", get, 2, kReads},
    {"SET", set, -3, kWrites | kGrows},
    {"SETNX", setnx, 3, kWrites | kGrows},
    {"SETEX", setex, 4, kWrites | kGrows},
    {"PSETEX", psetex, 4, kWrites | kGrows},
    {"GETSET", getset, 3, kWrites | kGrows},
    {"GETDEL", getdel, 2, kWrites},
    {"GETEX", getex, -2, kWrites},
    {"MGET", mget, -2, 0},
    {"MSET", mset, -3, kWrites | kGrows},
    {"MSETNX", msetnx, -3, kWrites | kGrows},
    {"APPEND", append, 3, kWrites | kGrows},
    {"STRLEN", strlen, 2, kReads},
    {"GETRANGE", getrange, 4, kReads},
};

} // namespace

std::span<const Command> stringCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
