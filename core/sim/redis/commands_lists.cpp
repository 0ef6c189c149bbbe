// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

#include <limits>

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

using List = Call::Found<ListValue>;

List listOf(const Call& call) {
    return call.get<ListValue>(call.arg(1));
}

/// Notes the change, and removes the key when nothing is left in it.
void settle(Call& call, const ListValue& list) {
    if (list.empty())
        call.remove(call.arg(1));
    else
        call.changed(call.arg(1));
}

Reply push(Call& call, bool left, bool onlyExisting) {
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    if (!list.value && onlyExisting) return Reply::number(0);
    ListValue& value = list.value ? *list.value : call.create<ListValue>(call.arg(1));
    for (int i = 2; i < call.argc(); ++i) {
        if (left)
            value.push_front(call.arg(i));
        else
            value.push_back(call.arg(i));
    }
    call.changed(call.arg(1));
    return Reply::number(std::int64_t(value.size()));
}

Reply lpush(Call& call) {
    return push(call, true, false);
}

Reply rpush(Call& call) {
    return push(call, false, false);
}

Reply lpushx(Call& call) {
    return push(call, true, true);
}

Reply rpushx(Call& call) {
    return push(call, false, true);
}

QByteArray take(ListValue& list, bool left) {
    QByteArray taken = std::move(left ? list.front() : list.back());
    left ? list.pop_front() : list.pop_back();
    return taken;
}

Reply pop(Call& call, bool left) {
    if (call.argc() > 3) return wrongArity(call.command);
    std::int64_t count = 1;
    const bool counted = call.argc() == 3;
    if (counted) {
        const auto read = parseInteger(call.arg(2));
        if (!read || *read < 0) return notPositive();
        count = *read;
    }
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    if (!list.value) return Reply::nil();
    if (!counted) {
        Reply reply = Reply::bulk(take(*list.value, left));
        settle(call, *list.value);
        return reply;
    }
    if (count == 0) return emptyArray();
    std::vector<Reply> taken;
    for (; count > 0 && !list.value->empty(); --count)
        taken.push_back(Reply::bulk(take(*list.value, left)));
    settle(call, *list.value);
    return Reply::array(std::move(taken));
}

Reply lpop(Call& call) {
    return pop(call, true);
}

Reply rpop(Call& call) {
    return pop(call, false);
}

Reply llen(Call& call) {
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    return Reply::number(list.value ? std::int64_t(list.value->size()) : 0);
}

/// [first, last] of a list of `size`, negative ones counted from the end; false when there is nothing in between.
bool clampRange(std::int64_t& first, std::int64_t& last, std::int64_t size) {
    if (first < 0) first = std::max<std::int64_t>(0, first + size);
    if (last < 0) last += size;
    last = std::min(last, size - 1);
    return first <= last && first < size;
}

Reply lrange(Call& call) {
    auto first = parseInteger(call.arg(2)), last = parseInteger(call.arg(3));
    if (!first || !last) return notInteger();
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    std::vector<Reply> found;
    if (list.value && clampRange(*first, *last, std::int64_t(list.value->size())))
        for (std::int64_t i = *first; i <= *last; ++i)
            found.push_back(Reply::bulk((*list.value)[std::size_t(i)]));
    return Reply::array(std::move(found));
}

Reply ltrim(Call& call) {
    auto first = parseInteger(call.arg(2)), last = parseInteger(call.arg(3));
    if (!first || !last) return notInteger();
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    if (!list.value) return ok();
    ListValue& value = *list.value;
    if (clampRange(*first, *last, std::int64_t(value.size()))) {
        value.erase(value.begin() + *last + 1, value.end());
        value.erase(value.begin(), value.begin() + *first);
    } else {
        value.clear();
    }
    settle(call, value);
    return ok();
}

/// The place that a (perhaps negative) index means; nullopt outside of the list.
std::optional<std::size_t> placeOf(std::int64_t index, const ListValue& list) {
    const auto size = std::int64_t(list.size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) return std::nullopt;
    return std::size_t(index);
}

Reply lindex(Call& call) {
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    if (!list.value) return Reply::nil();
    const auto index = parseInteger(call.arg(2));
    if (!index) return notInteger();
    const auto place = placeOf(*index, *list.value);
    return place ? Reply::bulk((*list.value)[*place]) : Reply::nil();
}

Reply lset(Call& call) {
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    if (!list.value) return noSuchKey();
    const auto index = parseInteger(call.arg(2));
    if (!index) return notInteger();
    const auto place = placeOf(*index, *list.value);
    if (!place) return error("ERR index out of range");
    (*list.value)[*place] = call.arg(3);
    call.changed(call.arg(1));
    return ok();
}

Reply lrem(Call& call) {
    const auto count = parseInteger(call.arg(2));
    if (!count) return notInteger();
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    if (!list.value) return Reply::number(0);
    ListValue& value = *list.value;
    // None, and what has no positive counterpart, means all.
    const bool all = *count == 0 || *count == std::numeric_limits<std::int64_t>::min();
    std::int64_t left = all ? std::numeric_limits<std::int64_t>::max() : std::abs(*count);
    const auto unwanted = [&](const QByteArray& item) {
        if (left == 0 || item != call.arg(3)) return false;
        --left;
        return true;
    };
    const std::size_t before = value.size();
    if (*count < 0)
        value.erase(value.begin(), std::remove_if(value.rbegin(), value.rend(), unwanted).base());
    else
        value.erase(std::remove_if(value.begin(), value.end(), unwanted), value.end());
    const auto removed = std::int64_t(before - value.size());
    if (removed > 0) settle(call, value);
    return Reply::number(removed);
}

Reply linsert(Call& call) {
    const bool after = equalsUpper(call.arg(2), "AFTER");
    if (!after && !equalsUpper(call.arg(2), "BEFORE")) return syntaxError();
    const List list = listOf(call);
    if (list.wrongType) return wrongType();
    if (!list.value) return Reply::number(0);
    ListValue& value = *list.value;
    const auto pivot = std::find(value.begin(), value.end(), call.arg(3));
    if (pivot == value.end()) return Reply::number(-1);
    value.insert(after ? pivot + 1 : pivot, call.arg(4));
    call.changed(call.arg(1));
    return Reply::number(std::int64_t(value.size()));
}

constexpr Command kCommands[] = {
    {"LPUSH", lpush, -3, kWrites | kGrows},
    {"RPUSH", rpush, -3, kWrites | kGrows},
    {"LPUSHX", lpushx, -3, kWrites | kGrows},
    {"RPUSHX", rpushx, -3, kWrites | kGrows},
    {"LPOP", lpop, -2, kWrites},
    {"RPOP", rpop, -2, kWrites},
    {"LLEN", llen, 2, kReads},
    {"LRANGE", lrange, 4, kReads},
    {"LTRIM", ltrim, 4, kWrites},
    {"LINDEX", lindex, 3, kReads},
    {"LSET", lset, 4, kWrites | kGrows},
    {"LREM", lrem, 4, kWrites},
    {"LINSERT", linsert, 5, kWrites | kGrows},
};

} // namespace

std::span<const Command> listCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
