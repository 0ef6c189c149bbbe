// SPDX-License-Identifier: Apache-2.0
// Sorted sets: members and their scores. (Ranges are in commands_zset_ranges.cpp.)
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

#include <cmath>

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

using Zset = Call::Found<ZsetValue>;

Zset zsetOf(const Call& call) {
    return call.get<ZsetValue>(call.arg(1));
}

struct AddOptions {
    bool nx = false, xx = false, gt = false, lt = false, ch = false, incr = false;
};

enum class Added : std::uint8_t { Nothing, Same, Moved, New, NotANumber };

/// Adds one member by the rules of ZADD; `score` becomes the member's score.
Added addOne(ZsetValue& zset, const AddOptions& options, const QByteArray& member, double& score) {
    const auto current = zset.score(member);
    if (!current) {
        if (options.xx) return Added::Nothing;
        zset.set(member, score);
        return Added::New;
    }
    if (options.nx) return Added::Nothing;
    if (options.incr) score += *current;
    if (std::isnan(score)) return Added::NotANumber;
    if ((options.lt && score >= *current) || (options.gt && score <= *current)) return Added::Nothing;
    if (score == *current) return Added::Same;
    zset.set(member, score);
    return Added::Moved;
}

/// ZADD from its first score on.
Reply add(Call& call, const AddOptions& options, int first) {
    const int words = call.argc() - first;
    if (words <= 0 || words % 2 != 0) return syntaxError();
    if (options.nx && options.xx) return error("ERR XX and NX options at the same time are not compatible");
    if ((options.gt && options.nx) || (options.lt && options.nx) || (options.gt && options.lt))
        return error("ERR GT, LT, and/or NX options at the same time are not compatible");
    if (options.incr && words > 2) return error("ERR INCR option supports a single increment-element pair");
    std::vector<double> scores;
    for (int i = first; i < call.argc(); i += 2) {
        const auto score = parseDouble(call.arg(i));
        if (!score) return notFloat();
        scores.push_back(*score);
    }
    const Zset zset = zsetOf(call);
    if (zset.wrongType) return wrongType();
    if (!zset.value && options.xx) return options.incr ? Reply::nil() : Reply::number(0);
    ZsetValue& value = zset.value ? *zset.value : call.create<ZsetValue>(call.arg(1));
    std::int64_t added = 0, moved = 0;
    bool processed = false;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const Added outcome = addOne(value, options, call.args[std::size_t(first) + 2 * i + 1], scores[i]);
        if (outcome == Added::NotANumber) return error("ERR resulting score is not a number (NaN)");
        added += outcome == Added::New;
        moved += outcome == Added::Moved;
        processed |= outcome != Added::Nothing;
    }
    if (added + moved > 0) call.changed(call.arg(1));
    if (options.incr) return processed ? Reply::bulk(formatDouble(scores[0])) : Reply::nil();
    return Reply::number(options.ch ? added + moved : added);
}

Reply zadd(Call& call) {
    AddOptions options;
    int i = 2;
    for (; i < call.argc(); ++i) {
        const QByteArray& word = call.arg(i);
        if (equalsUpper(word, "NX"))
            options.nx = true;
        else if (equalsUpper(word, "XX"))
            options.xx = true;
        else if (equalsUpper(word, "CH"))
            options.ch = true;
        else if (equalsUpper(word, "INCR"))
            options.incr = true;
        else if (equalsUpper(word, "GT"))
            options.gt = true;
        else if (equalsUpper(word, "LT"))
            options.lt = true;
        else
            break;
    }
    return add(call, options, i);
}

Reply zincrby(Call& call) {
    AddOptions options;
    options.incr = true;
    return add(call, options, 2);
}

/// Notes the change, and removes the key when nothing is left in it.
void settle(Call& call, const ZsetValue& zset) {
    if (zset.size() == 0)
        call.remove(call.arg(1));
    else
        call.changed(call.arg(1));
}

Reply zrem(Call& call) {
    const Zset zset = zsetOf(call);
    if (zset.wrongType) return wrongType();
    std::int64_t removed = 0;
    for (int i = 2; zset.value && i < call.argc(); ++i)
        removed += zset.value->remove(call.arg(i));
    if (removed > 0) settle(call, *zset.value);
    return Reply::number(removed);
}

Reply scoreOrNil(const Zset& zset, const QByteArray& member) {
    const auto score = zset.value ? zset.value->score(member) : std::nullopt;
    return score ? Reply::bulk(formatDouble(*score)) : Reply::nil();
}

Reply zscore(Call& call) {
    const Zset zset = zsetOf(call);
    return zset.wrongType ? wrongType() : scoreOrNil(zset, call.arg(2));
}

Reply zmscore(Call& call) {
    const Zset zset = zsetOf(call);
    if (zset.wrongType) return wrongType();
    std::vector<Reply> scores;
    for (int i = 2; i < call.argc(); ++i)
        scores.push_back(scoreOrNil(zset, call.arg(i)));
    return Reply::array(std::move(scores));
}

Reply zcard(Call& call) {
    const Zset zset = zsetOf(call);
    if (zset.wrongType) return wrongType();
    return Reply::number(zset.value ? std::int64_t(zset.value->size()) : 0);
}

Reply rank(Call& call, bool fromTop) {
    const Zset zset = zsetOf(call);
    if (zset.wrongType) return wrongType();
    const auto found = zset.value ? zset.value->rank(call.arg(2)) : std::nullopt;
    if (!found) return Reply::nil();
    return Reply::number(std::int64_t(fromTop ? zset.value->size() - 1 - *found : *found));
}

Reply zrank(Call& call) {
    return rank(call, false);
}

Reply zrevrank(Call& call) {
    return rank(call, true);
}

Reply pop(Call& call, bool fromTop) {
    if (call.argc() > 3) return syntaxError();
    std::int64_t count = 1;
    if (call.argc() == 3) {
        const auto read = parseInteger(call.arg(2));
        if (!read || *read < 0) return notPositive();
        count = *read;
    }
    const Zset zset = zsetOf(call);
    if (zset.wrongType) return wrongType();
    if (!zset.value || count == 0) return emptyArray();
    const std::size_t size = zset.value->size();
    const std::size_t taken = std::min(size, std::size_t(count));
    std::vector<Reply> popped;
    for (std::size_t i = 0; i < taken; ++i) {
        const auto& item = zset.value->items()[fromTop ? size - 1 - i : i];
        popped.push_back(Reply::bulk(item.member));
        popped.push_back(Reply::bulk(formatDouble(item.score)));
    }
    zset.value->removeRanks(fromTop ? size - taken : 0, fromTop ? size : taken);
    settle(call, *zset.value);
    return Reply::array(std::move(popped));
}

Reply zpopmin(Call& call) {
    return pop(call, false);
}

Reply zpopmax(Call& call) {
    return pop(call, true);
}

constexpr Command kCommands[] = {
    {"ZADD", zadd, -4, kWrites | kGrows}, {"ZINCRBY", zincrby, 4, kWrites | kGrows}, {"ZREM", zrem, -3, kWrites},
    {"ZSCORE", zscore, 3, kReads},        {"ZMSCORE", zmscore, -3, kReads},          {"ZCARD", zcard, 2, kReads},
    {"ZRANK", zrank, 3, kReads},          {"ZREVRANK", zrevrank, 3, kReads},         {"ZPOPMIN", zpopmin, -2, kWrites},
    {"ZPOPMAX", zpopmax, -2, kWrites},
};

} // namespace

std::span<const Command> zsetCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
