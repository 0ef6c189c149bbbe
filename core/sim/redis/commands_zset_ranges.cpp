// SPDX-License-Identifier: Apache-2.0
// Sorted sets: ranges by rank, by score and by member.
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

using Zset = Call::Found<ZsetValue>;
using Items = std::vector<ZsetValue::Item>;

/// Ranks [first, last).
struct Ranks {
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last > first ? last - first : 0; }
};

enum class By : std::uint8_t { Rank, Score, Member };

struct LexBound {
    QByteArray member;
    bool exclusive = false;
    int infinite = 0; ///< -1 for "-", 1 for "+"
};

std::optional<LexBound> readLexBound(const QByteArray& text) {
    LexBound bound;
    if (text == "-" || text == "+") {
        bound.infinite = text == "-" ? -1 : 1;
        return bound;
    }
    if (!text.startsWith('[') && !text.startsWith('(')) return std::nullopt;
    bound.exclusive = text.startsWith('(');
    bound.member = text.mid(1);
    return bound;
}

/// A range command's arguments, before the key is looked at.
struct Range {
    By by = By::Rank;
    std::int64_t first = 0, last = 0;
    ScoreBound minScore, maxScore;
    LexBound minMember, maxMember;

    /// The error is the reply.
    static std::expected<Range, Reply> read(By by, const QByteArray& min, const QByteArray& max) {
        Range range;
        range.by = by;
        if (by == By::Rank) {
            const auto first = parseInteger(min), last = parseInteger(max);
            if (!first || !last) return std::unexpected(notInteger());
            range.first = *first;
            range.last = *last;
        } else if (by == By::Score) {
            const auto low = parseScoreBound(min), high = parseScoreBound(max);
            if (!low || !high) return std::unexpected(error("ERR min or max is not a float"));
            range.minScore = *low;
            range.maxScore = *high;
        } else {
            const auto low = readLexBound(min), high = readLexBound(max);
            if (!low || !high) return std::unexpected(error("ERR min or max not valid string range item"));
            range.minMember = *low;
            range.maxMember = *high;
        }
        return range;
    }

    bool below(const ZsetValue::Item& item) const {
        if (by == By::Score) return minScore.exclusive ? item.score <= minScore.value : item.score < minScore.value;
        if (minMember.infinite != 0) return minMember.infinite > 0;
        return minMember.exclusive ? item.member <= minMember.member : item.member < minMember.member;
    }
    bool above(const ZsetValue::Item& item) const {
        if (by == By::Score) return maxScore.exclusive ? item.score >= maxScore.value : item.score > maxScore.value;
        if (maxMember.infinite != 0) return maxMember.infinite < 0;
        return maxMember.exclusive ? item.member >= maxMember.member : item.member > maxMember.member;
    }

    /// The ranks it means in `items`; by rank, `reversed` counts them from the top.
    Ranks in(const Items& items, bool reversed) const {
        const auto size = std::int64_t(items.size());
        if (by == By::Rank) {
            const std::int64_t from = first < 0 ? std::max<std::int64_t>(0, first + size) : first;
            const std::int64_t to = std::min(last < 0 ? last + size : last, size - 1);
            if (from > to || from >= size) return {};
            if (reversed) return {std::size_t(size - 1 - to), std::size_t(size - from)};
            return {std::size_t(from), std::size_t(to + 1)};
        }
        const auto begin =
            std::partition_point(items.begin(), items.end(), [&](const auto& item) { return below(item); });
        const auto end = std::partition_point(begin, items.end(), [&](const auto& item) { return !above(item); });
        return {std::size_t(begin - items.begin()), std::size_t(end - items.begin())};
    }
};

struct RangeOptions {
    std::optional<By> by;
    std::optional<bool> reversed;
    bool withScores = false;
    std::int64_t offset = 0;
    std::int64_t limit = -1;
};

Reply answer(const Items& items, Ranks ranks, bool reversed, const RangeOptions& options) {
    std::vector<Reply> found;
    const std::size_t size = ranks.size();
    // A negative offset skips everything, a negative limit is none.
    const std::size_t skip = options.offset < 0 ? size : std::min(size, std::size_t(options.offset));
    const std::size_t wanted = options.limit < 0 ? size - skip : std::min(size - skip, std::size_t(options.limit));
    for (std::size_t i = skip; i < skip + wanted; ++i) {
        const auto& item = items[reversed ? ranks.last - 1 - i : ranks.first + i];
        found.push_back(Reply::bulk(item.member));
        if (options.withScores) found.push_back(Reply::bulk(formatDouble(item.score)));
    }
    return Reply::array(std::move(found));
}

/// ZRANGE and its older relatives, which fix some of the options by their name.
Reply rangeWith(Call& call, RangeOptions options) {
    const bool mayReverse = !options.reversed;
    for (int i = 4; i < call.argc(); ++i) {
        const QByteArray& word = call.arg(i);
        if (equalsUpper(word, "WITHSCORES")) {
            options.withScores = true;
        } else if (equalsUpper(word, "LIMIT") && i + 2 < call.argc()) {
            const auto offset = parseInteger(call.arg(i + 1)), limit = parseInteger(call.arg(i + 2));
            if (!offset || !limit) return notInteger();
            options.offset = *offset;
            options.limit = *limit;
            i += 2;
        } else if (mayReverse && !options.reversed && equalsUpper(word, "REV")) {
            options.reversed = true;
        } else if (!options.by && equalsUpper(word, "BYLEX")) {
            options.by = By::Member;
        } else if (!options.by && equalsUpper(word, "BYSCORE")) {
            options.by = By::Score;
        } else {
            return syntaxError();
        }
    }
    const By by = options.by.value_or(By::Rank);
    const bool reversed = options.reversed.value_or(false);
    if (options.limit != -1 && by == By::Rank)
        return error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    if (options.withScores && by == By::Member)
        return error("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
    if (by == By::Rank) options.offset = 0; // "LIMIT 5 -1" gets here, and means nothing
    const bool swapped = reversed && by != By::Rank;
    const auto range = Range::read(by, call.arg(swapped ? 3 : 2), call.arg(swapped ? 2 : 3));
    if (!range) return range.error();
    const Zset zset = call.get<ZsetValue>(call.arg(1));
    if (zset.wrongType) return wrongType();
    if (!zset.value) return emptyArray();
    return answer(zset.value->items(), range->in(zset.value->items(), reversed), reversed, options);
}

Reply zrange(Call& call) {
    return rangeWith(call, {});
}

Reply zrevrange(Call& call) {
    return rangeWith(call, {By::Rank, true});
}

Reply zrangebyscore(Call& call) {
    return rangeWith(call, {By::Score, false});
}

Reply zrevrangebyscore(Call& call) {
    return rangeWith(call, {By::Score, true});
}

Reply zcount(Call& call) {
    const auto range = Range::read(By::Score, call.arg(2), call.arg(3));
    if (!range) return range.error();
    const Zset zset = call.get<ZsetValue>(call.arg(1));
    if (zset.wrongType) return wrongType();
    return Reply::number(zset.value ? std::int64_t(range->in(zset.value->items(), false).size()) : 0);
}

Reply removeRange(Call& call, By by) {
    const auto range = Range::read(by, call.arg(2), call.arg(3));
    if (!range) return range.error();
    const Zset zset = call.get<ZsetValue>(call.arg(1));
    if (zset.wrongType) return wrongType();
    if (!zset.value) return Reply::number(0);
    const Ranks ranks = range->in(zset.value->items(), false);
    if (ranks.size() == 0) return Reply::number(0);
    zset.value->removeRanks(ranks.first, ranks.last);
    if (zset.value->size() == 0)
        call.remove(call.arg(1));
    else
        call.changed(call.arg(1));
    return Reply::number(std::int64_t(ranks.size()));
}

Reply zremrangebyscore(Call& call) {
    return removeRange(call, By::Score);
}

Reply zremrangebyrank(Call& call) {
    return removeRange(call, By::Rank);
}

constexpr Command kCommands[] = {
    {"ZRANGE", zrange, -4, kReads},
    {"ZREVRANGE", zrevrange, -4, kReads},
    {"ZRANGEBYSCORE", zrangebyscore, -4, kReads},
    {"ZREVRANGEBYSCORE", zrevrangebyscore, -4, kReads},
    {"ZCOUNT", zcount, 4, kReads},
    {"ZREMRANGEBYSCORE", zremrangebyscore, 4, kWrites},
    {"ZREMRANGEBYRANK", zremrangebyrank, 4, kWrites},
};

} // namespace

std::span<const Command> zsetRangeCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
