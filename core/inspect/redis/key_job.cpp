// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_job.h"

#include "inspect/redis/redisson_names.h"

#include <algorithm>
#include <cstring>

namespace lockscope::inspect {

namespace {

using redis::argsOf;
using redis::Error;
using redis::Reply;
using redis::Result;

// An entry of a hash costs the server some forty bytes before it has any content: a hash as small as this has fewer
// entries than MEMORY USAGE looks at, so that its size is exact and nothing long hides in it.
constexpr std::int64_t kSmallBytes = 8 * 1024;
// A lock with as many holders or waiters as are read at once stays below this.
constexpr std::int64_t kReadableBytes = 64 * 1024;
constexpr std::int64_t kLongestElement = 512; // bytes of one field or element, on average and with its overhead
constexpr qsizetype kLongestMode = 5;         // "write"

// An answer about one key leaves the others readable.
bool aboutOneKey(const Error& error) {
    static constexpr const char* kCodes[] = {"WRONGTYPE", "NOPERM", "MOVED", "ASK", "TRYAGAIN", "CROSSSLOT"};
    return error.kind == Error::Kind::Refused &&
           std::ranges::any_of(kCodes, [&error](const char* code) { return error.code == code; });
}

/// The key's slot has moved, or its keys are moving one by one and this one is not here.
bool isElsewhere(const Error& error) {
    return error.code == "MOVED" || error.code == "ASK" || error.code == "TRYAGAIN";
}

void fillFields(KeySnapshot& key, const std::vector<Reply>& items) {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        key.hash.emplace_back(items[i].text, items[i + 1].text);
}

} // namespace

bool refusesCommand(const Error& error) {
    // Redis 6: "… to run the 'type' command or its subcommand", 7: "… to run the 'type' command".
    return error.kind == Error::Kind::Refused && error.code == "NOPERM" &&
           error.message.contains(QLatin1String("permissions to run"));
}

KeyJob::KeyJob(WantedKey wanted, int mostElements)
    : m_type(wanted.type), m_mostElements(mostElements), m_doubtful(wanted.doubtful) {
    m_key.key = std::move(wanted.key);
    m_key.type = m_type;
    // GETRANGE is bounded by itself; asking for a doubtful key's size first spares the server the reading of keys that
    // are no locks. A fencing counter is read together with its lock's hash, whose size is asked for first: else it
    // might be the former holder's.
    const bool withItsHash = redisson::nameOfTokenKey(m_key.key).has_value();
    m_step = is("string") && !m_doubtful && !withItsHash ? Step::Content : Step::Size;
}

bool KeyJob::is(const char* type) const {
    return std::strcmp(m_type, type) == 0;
}

void KeyJob::readAtOnce() {
    Q_ASSERT(m_end == End::Open);
    if (m_doubtful && is("string")) m_step = Step::Content;
}

std::size_t KeyJob::questions() const {
    switch (m_step) {
    case Step::Size:
    case Step::Ttl:
        return 1;
    case Step::Count:
        return is("hash") ? 2 : 1;
    case Step::Content:
        if (is("string")) return m_doubtful ? 1 : 2;
        if (is("hash")) return m_doubtful ? 1 : 2;
        return 3;
    case Step::FirstFields:
        return 3;
    }
    return 0;
}

void KeyJob::ask(std::vector<redis::Args>& commands) const {
    Q_ASSERT(m_end == End::Open);
    const QByteArray& key = m_key.key;
    const auto most = [this] { return QByteArray::number(m_mostElements - 1); };
    switch (m_step) {
    case Step::Size:
        commands.push_back(is("string") ? argsOf("STRLEN", key) : argsOf("MEMORY", "USAGE", key, "SAMPLES", "256"));
        return;
    case Step::Count:
        commands.push_back(is("hash") ? argsOf("HLEN", key) : is("list") ? argsOf("LLEN", key) : argsOf("ZCARD", key));
        if (is("hash")) commands.push_back(argsOf("HSTRLEN", key, "mode"));
        return;
    case Step::Content:
        if (is("string")) {
            commands.push_back(argsOf("GETRANGE", key, "0", QByteArray::number(kLongestString)));
            if (!m_doubtful) commands.push_back(argsOf("PTTL", key));
            return;
        }
        if (is("hash")) {
            commands.push_back(argsOf("HGETALL", key));
            if (m_doubtful) return;
        } else if (is("list")) {
            commands.push_back(argsOf("LRANGE", key, "0", most()));
            commands.push_back(argsOf("LLEN", key));
        } else {
            commands.push_back(argsOf("ZRANGE", key, "0", most(), "WITHSCORES"));
            commands.push_back(argsOf("ZCARD", key));
        }
        commands.push_back(argsOf("PTTL", key));
        return;
    case Step::Ttl:
        commands.push_back(argsOf("PTTL", key));
        return;
    case Step::FirstFields:
        commands.push_back(argsOf("HGET", key, "mode"));
        commands.push_back(argsOf("HSCAN", key, "0", "COUNT", QByteArray::number(2 * m_mostElements)));
        commands.push_back(argsOf("PTTL", key));
        return;
    }
}

std::optional<Error> KeyJob::failed(const Error& error) {
    if (m_step == Step::Size && !is("string") && error.kind == Error::Kind::Refused &&
        (error.code == "ERR" || refusesCommand(error))) {
        m_end = End::SizeRefused;
        return std::nullopt;
    }
    if (!aboutOneKey(error)) return error;
    m_end = error.code == "NOPERM" ? End::Refused
            : error.wrongType()    ? End::OtherType
            : isElsewhere(error)   ? End::Elsewhere
                                   : End::Gone;
    m_key.refused = m_end == End::Refused;
    return std::nullopt;
}

std::optional<Error> KeyJob::take(std::span<const Result> results, const EndsWithin& span, const KeyDoubt& doubt) {
    Q_ASSERT(results.size() == questions());
    for (const Result& result : results)
        if (!result) return failed(result.error());
    switch (m_step) {
    case Step::Size:
        takeSize(*results[0], doubt);
        break;
    case Step::Count:
        takeCounts(results);
        break;
    case Step::Content:
        if (results.size() == 3) m_count = results[1]->integer;
        if (results.size() > 1) takeTtl(*results.back(), span);
        if (m_end == End::Open) takeContent(*results[0], doubt);
        break;
    case Step::Ttl:
        takeTtl(*results[0], span);
        if (m_end == End::Open) m_end = End::Read;
        break;
    case Step::FirstFields:
        takeTtl(*results[2], span);
        if (m_end == End::Open) takeFirstFields(*results[0], *results[1]);
        break;
    }
    return std::nullopt;
}

void KeyJob::takeSize(const Reply& size, const KeyDoubt& doubt) {
    m_step = Step::Content;
    m_bytes = size.integer;
    if (is("string")) {
        if (m_doubtful) judgeLength(m_bytes, doubt);
    } else if (size.isNil()) {
        m_end = End::Gone;
    } else if (m_bytes > (is("hash") ? kSmallBytes : kReadableBytes)) {
        m_step = Step::Count;
    }
}

void KeyJob::judgeLength(std::int64_t length, const KeyDoubt& doubt) {
    if (length <= 0)
        m_end = End::Dull; // gone, or empty
    else if (length > kLongestString)
        m_end = End::LongValue;
    else if (doubt.mayHaveLength && !doubt.mayHaveLength(m_key.key, length))
        m_end = End::Dull;
}

void KeyJob::takeCounts(std::span<const Result> results) {
    m_count = results[0]->integer;
    const bool shortOnes = m_count > 0 && m_bytes / m_count <= kLongestElement;
    m_step = Step::Content;
    if (!is("hash")) {
        if (!shortOnes) m_end = End::LongFields;
        return;
    }
    if (m_count <= m_mostElements && m_bytes <= kReadableBytes) return;
    const std::int64_t mode = results[1]->integer;
    if (shortOnes && (mode == kLongestMode || mode == kLongestMode - 1))
        m_step = Step::FirstFields;
    else
        m_end = m_count > m_mostElements ? End::LargeHash : End::LongFields;
}

void KeyJob::takeContent(const Reply& content, const KeyDoubt& doubt) {
    if (is("string")) {
        takeString(content.text, doubt);
        return;
    }
    m_end = End::Read;
    if (is("hash")) {
        fillFields(m_key, content.items);
        if (m_key.hash.empty())
            m_end = End::Gone;
        else if (m_doubtful)
            doubtContent(doubt);
    } else if (is("list")) {
        for (const Reply& item : content.items)
            m_key.list.push_back(item.text);
        m_key.more = std::max<std::int64_t>(0, m_count - std::int64_t(m_key.list.size()));
    } else {
        for (std::size_t i = 0; i + 1 < content.items.size(); i += 2)
            m_key.zset.emplace_back(content.items[i].text, content.items[i + 1].text.toDouble());
        m_key.more = std::max<std::int64_t>(0, m_count - std::int64_t(m_key.zset.size()));
    }
}

void KeyJob::takeString(const QByteArray& text, const KeyDoubt& doubt) {
    const bool lengthAsked = m_bytes > 0;
    if (m_doubtful && !lengthAsked)
        judgeLength(text.size(), doubt);
    else if (text.size() > kLongestString)
        m_end = End::LongValue;
    if (m_end != End::Open) return;
    m_key.string = text;
    m_end = End::Read;
    if (m_doubtful) doubtContent(doubt);
}

void KeyJob::doubtContent(const KeyDoubt& doubt) {
    m_end = doubt.mayBeLock && !doubt.mayBeLock(m_key) ? End::Dull : End::Open;
    m_step = Step::Ttl;
}

void KeyJob::takeFirstFields(const Reply& mode, const Reply& fields) {
    if (mode.text != "read" && mode.text != "write") {
        m_end = End::LargeHash;
        return;
    }
    m_end = End::Read;
    if (fields.items.size() == 2) fillFields(m_key, fields.items[1].items);
    std::erase_if(m_key.hash, [](const auto& field) { return field.first == "mode"; });
    m_key.hash.emplace_back("mode", mode.text);
    m_key.more = std::max<std::int64_t>(0, m_count - std::int64_t(m_key.hash.size()));
}

void KeyJob::takeTtl(const Reply& ttl, const EndsWithin& span) {
    if (ttl.integer == -2) m_end = End::Gone;
    if (ttl.integer < 0) return;
    m_key.ttlMs = ttl.integer;
    m_key.ends = EndsWithin{span.fromMs + ttl.integer, span.toMs + ttl.integer};
}

} // namespace lockscope::inspect
