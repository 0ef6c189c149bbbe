// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

using Hash = Call::Found<HashValue>;

Hash hashOf(const Call& call) {
    return call.get<HashValue>(call.arg(1));
}

HashValue& existing(const Call& call, const Hash& hash) {
    return hash.value ? *hash.value : call.create<HashValue>(call.arg(1));
}

Reply hset(Call& call) {
    if (call.argc() % 2 != 0) return wrongArity(call.command);
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    HashValue& value = existing(call, hash);
    std::int64_t added = 0;
    for (int i = 2; i < call.argc(); i += 2)
        added += value.set(call.arg(i), call.arg(i + 1));
    call.changed(call.arg(1));
    return equalsUpper(call.arg(0), "HMSET") ? ok() : Reply::number(added);
}

Reply hsetnx(Call& call) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    if (hash.value && hash.value->find(call.arg(2))) return Reply::number(0);
    existing(call, hash).set(call.arg(2), call.arg(3));
    call.changed(call.arg(1));
    return Reply::number(1);
}

Reply bulkOrNil(const QByteArray* value) {
    return value ? Reply::bulk(*value) : Reply::nil();
}

Reply hget(Call& call) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    return bulkOrNil(hash.value ? hash.value->find(call.arg(2)) : nullptr);
}

Reply hmget(Call& call) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    std::vector<Reply> values;
    for (int i = 2; i < call.argc(); ++i)
        values.push_back(bulkOrNil(hash.value ? hash.value->find(call.arg(i)) : nullptr));
    return Reply::array(std::move(values));
}

Reply everything(Call& call, bool names, bool values) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    std::vector<Reply> all;
    if (hash.value)
        hash.value->each([&](const QByteArray& name, const QByteArray& value) {
            if (names) all.push_back(Reply::bulk(name));
            if (values) all.push_back(Reply::bulk(value));
        });
    return Reply::array(std::move(all));
}

Reply hgetall(Call& call) {
    return everything(call, true, true);
}

Reply hkeys(Call& call) {
    return everything(call, true, false);
}

Reply hvals(Call& call) {
    return everything(call, false, true);
}

Reply hdel(Call& call) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    std::int64_t removed = 0;
    for (int i = 2; hash.value && i < call.argc(); ++i)
        removed += hash.value->remove(call.arg(i));
    if (removed == 0) return Reply::number(0);
    if (hash.value->size() == 0)
        call.remove(call.arg(1));
    else
        call.changed(call.arg(1));
    return Reply::number(removed);
}

Reply hexists(Call& call) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    return Reply::number(hash.value && hash.value->find(call.arg(2)));
}

Reply hlen(Call& call) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    return Reply::number(hash.value ? std::int64_t(hash.value->size()) : 0);
}

Reply hstrlen(Call& call) {
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    const QByteArray* value = hash.value ? hash.value->find(call.arg(2)) : nullptr;
    return Reply::number(value ? value->size() : 0);
}

Reply hincrby(Call& call) {
    const auto amount = parseInteger(call.arg(3));
    if (!amount) return notInteger();
    const Hash hash = hashOf(call);
    if (hash.wrongType) return wrongType();
    std::int64_t value = 0;
    if (const QByteArray* known = hash.value ? hash.value->find(call.arg(2)) : nullptr) {
        const auto read = parseInteger(*known);
        if (!read) return error("ERR hash value is not an integer");
        value = *read;
    }
    if (__builtin_add_overflow(value, *amount, &value)) return error("ERR increment or decrement would overflow");
    existing(call, hash).set(call.arg(2), formatInteger(value));
    call.changed(call.arg(1));
    return Reply::number(value);
}

constexpr Command kCommands[] = {
    {"HSET", hset, -4, kWrites | kGrows},
    {"HMSET", hset, -4, kWrites | kGrows},
    {"HSETNX", hsetnx, 4, kWrites | kGrows},
    {"HGET", hget, 3, kReads},
    {"HMGET", hmget, -3, kReads},
    {"HGETALL", hgetall, 2, kReads},
    {"HDEL", hdel, -3, kWrites},
    {"HEXISTS", hexists, 3, kReads},
    {"HLEN", hlen, 2, kReads},
    {"HKEYS", hkeys, 2, kReads},
    {"HVALS", hvals, 2, kReads},
    {"HSTRLEN", hstrlen, 3, kReads},
    {"HINCRBY", hincrby, 4, kWrites | kGrows},
};

} // namespace

std::span<const Command> hashCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
