// SPDX-License-Identifier: Apache-2.0
#include "inspect/key_reader.h"

#include <cstring>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Reply;
using redis::Result;

// As many keys at a time as keep a slow server's reply short.
constexpr std::size_t kBatch = 250;
constexpr int kLongestString = 512;

bool is(const char* type, const char* other) {
    return std::strcmp(type, other) == 0;
}

// An error about one key (another type by now, no permission) leaves the others readable.
bool aboutOneKey(const Error& error) {
    return error.kind == Error::Kind::Refused && error.code != "BUSY";
}

Args contentCommand(const WantedKey& wanted, int mostElements) {
    if (is(wanted.type, "string")) return {"GETRANGE", wanted.key, "0", QByteArray::number(kLongestString)};
    if (is(wanted.type, "hash")) return {"HLEN", wanted.key};
    if (is(wanted.type, "list")) return {"LRANGE", wanted.key, "0", QByteArray::number(mostElements)};
    return {"ZRANGE", wanted.key, "0", QByteArray::number(mostElements), "WITHSCORES"};
}

// Cuts what was read to the length that is kept. One element more is asked for, so that it shows that there are more.
template <typename List>
std::int64_t cut(List& list, int mostElements) {
    const auto length = std::min(list.size(), std::size_t(mostElements));
    const auto more = std::int64_t(list.size() - length);
    list.resize(length);
    return more;
}

void fillContent(KeySnapshot& key, const Reply& content, int mostElements) {
    if (key.type == "string") {
        key.string = content.text;
        key.tooBig = content.text.size() > kLongestString;
    } else if (key.type == "list") {
        for (const Reply& item : content.items)
            key.list.push_back(item.text);
        key.more = cut(key.list, mostElements);
    } else if (key.type == "zset") {
        for (std::size_t i = 0; i + 1 < content.items.size(); i += 2)
            key.zset.emplace_back(content.items[i].text, content.items[i + 1].text.toDouble());
        key.more = cut(key.zset, mostElements);
    } else if (content.integer > mostElements) { // HLEN
        key.tooBig = true;
        key.more = content.integer;
    }
}

void fillFields(KeySnapshot& key, const std::vector<Reply>& items) {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        key.hash.emplace_back(items[i].text, items[i + 1].text);
}

bool saysReadWrite(const Reply& mode) {
    return mode.text == "read" || mode.text == "write";
}

/// What the second answer says. False: the key is gone.
bool takeAnswer(KeySnapshot& key, const Reply& answer) {
    if (key.type == "string") {
        if (answer.integer >= 0) key.ttlMs = answer.integer;
        return answer.integer != -2;
    }
    if (key.type == "hash") {
        fillFields(key, answer.items);
        return !key.hash.empty();
    }
    const auto read = std::int64_t(key.list.size() + key.zset.size());
    key.more = std::max(key.more, answer.integer - read);
    return true;
}

} // namespace

QCoro::Task<std::vector<Result>> KeyReader::callAll(std::vector<Args> commands, std::stop_token stop) {
    m_commands += commands.size();
    std::vector<QCoro::Task<Result>> calls;
    calls.reserve(commands.size());
    for (Args& command : commands)
        calls.push_back(m_port.call(std::move(command), stop));
    std::vector<Result> results;
    results.reserve(calls.size());
    for (QCoro::Task<Result>& call : calls)
        results.push_back(co_await std::move(call));
    co_return results;
}

QCoro::Task<std::optional<Error>> KeyReader::read(std::vector<WantedKey> wanted, std::vector<KeySnapshot>& out,
                                                  std::stop_token stop) {
    for (std::size_t at = 0; at < wanted.size(); at += kBatch) {
        const auto batch = std::span(wanted).subspan(at, std::min(kBatch, wanted.size() - at));
        auto error = co_await readBatch(batch, out, stop);
        if (error) co_return error;
    }
    co_return std::nullopt;
}

Args KeyReader::questionAbout(const KeySnapshot& key, bool doubtful) const {
    if (key.type == "hash") return key.tooBig ? Args{"HGET", key.key, "mode"} : Args{"HGETALL", key.key};
    if (key.more > 0) return {key.type == "list" ? "LLEN" : "ZCARD", key.key};
    if (doubtful) return {"PTTL", key.key};
    return {};
}

QCoro::Task<std::optional<Error>> KeyReader::readBatch(std::span<const WantedKey> wanted, std::vector<KeySnapshot>& out,
                                                       std::stop_token stop) {
    std::vector<Args> commands;
    for (const WantedKey& key : wanted) {
        commands.push_back(contentCommand(key, m_mostElements));
        if (!key.doubtful) commands.push_back({"PTTL", key.key});
    }
    const std::vector<Result> results = co_await callAll(std::move(commands), stop);

    std::vector<KeySnapshot> keys;
    std::vector<Args> questions;
    auto next = results.begin();
    for (const WantedKey& each : wanted) {
        const Result& content = *next++;
        const Result& ttl = each.doubtful ? content : *next++;
        for (const Result* result : {&content, &ttl})
            if (!*result && !aboutOneKey(result->error())) co_return result->error();
        if (!content || !ttl || (!each.doubtful && ttl->integer == -2)) continue; // gone, or another type
        KeySnapshot key;
        key.key = each.key;
        key.type = each.type;
        if (!each.doubtful && ttl->integer >= 0) key.ttlMs = ttl->integer;
        fillContent(key, *content, m_mostElements);
        const bool dull = each.doubtful && m_mayBeLock && !m_mayBeLock(key);
        Args question = dull ? Args() : questionAbout(key, each.doubtful);
        if (question.empty()) {
            // Without its TTL it cannot be told from one that is not there.
            if (!dull || !key.string.isEmpty()) out.push_back(std::move(key));
            continue;
        }
        keys.push_back(std::move(key));
        questions.push_back(std::move(question));
    }

    const std::vector<Result> answers = co_await callAll(std::move(questions), stop);
    std::vector<KeySnapshot> readWrite;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Result& answer = answers[i];
        if (!answer && !aboutOneKey(answer.error())) co_return answer.error();
        KeySnapshot& key = keys[i];
        if (key.tooBig) {
            std::vector<KeySnapshot>& place = answer && saysReadWrite(*answer) ? readWrite : out;
            if (&place == &readWrite) key.hash.emplace_back("mode", answer->text);
            place.push_back(std::move(key));
        } else if (answer ? takeAnswer(key, *answer) : key.more > 0) {
            out.push_back(std::move(key));
        }
    }
    if (readWrite.empty()) co_return std::nullopt;
    auto error = co_await readBigHashes(std::move(readWrite), out, stop);
    co_return error;
}

QCoro::Task<std::optional<Error>> KeyReader::readBigHashes(std::vector<KeySnapshot> hashes,
                                                           std::vector<KeySnapshot>& out, std::stop_token stop) {
    std::vector<Args> commands;
    commands.reserve(hashes.size());
    for (const KeySnapshot& hash : hashes)
        commands.push_back({"HSCAN", hash.key, "0", "COUNT", QByteArray::number(2 * m_mostElements)});
    const std::vector<Result> results = co_await callAll(std::move(commands), stop);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const Result& result = results[i];
        if (!result && !aboutOneKey(result.error())) co_return result.error();
        KeySnapshot& hash = hashes[i];
        if (result && result->items.size() == 2) {
            const std::pair<QByteArray, QByteArray> mode = hash.hash.front();
            hash.hash.clear();
            fillFields(hash, result->items[1].items);
            std::erase_if(hash.hash, [](const auto& field) { return field.first == "mode"; });
            hash.hash.push_back(mode);
            hash.more = std::max<std::int64_t>(0, hash.more - std::int64_t(hash.hash.size()));
            hash.tooBig = false;
        }
        out.push_back(std::move(hash));
    }
    co_return std::nullopt;
}

} // namespace lockscope::inspect
