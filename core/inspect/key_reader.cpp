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

const Reply* answer(const Result& result) {
    return result ? &*result : nullptr;
}

Args contentCommand(const WantedKey& wanted, int mostElements) {
    if (is(wanted.type, "string")) return {"GETRANGE", wanted.key, "0", QByteArray::number(kLongestString)};
    if (is(wanted.type, "hash")) return {"HLEN", wanted.key};
    if (is(wanted.type, "list")) return {"LRANGE", wanted.key, "0", QByteArray::number(mostElements)};
    return {"ZRANGE", wanted.key, "0", QByteArray::number(mostElements), "WITHSCORES"};
}

void fillContent(KeySnapshot& key, const Reply& content, int mostElements) {
    if (key.type == "string") {
        key.string = content.text;
        key.tooBig = content.text.size() > kLongestString;
    } else if (key.type == "list") {
        for (const Reply& item : content.items)
            key.list.push_back(item.text);
        key.tooBig = key.list.size() > std::size_t(mostElements);
    } else if (key.type == "zset") {
        for (std::size_t i = 0; i + 1 < content.items.size(); i += 2)
            key.zset.emplace_back(content.items[i].text, content.items[i + 1].text.toDouble());
        key.tooBig = key.zset.size() > std::size_t(mostElements);
    } else {
        key.tooBig = content.integer > mostElements; // HLEN
    }
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

QCoro::Task<std::optional<Error>> KeyReader::readBatch(std::span<const WantedKey> wanted, std::vector<KeySnapshot>& out,
                                                       std::stop_token stop) {
    std::vector<Args> commands;
    for (const WantedKey& key : wanted) {
        commands.push_back(contentCommand(key, m_mostElements));
        commands.push_back({"PTTL", key.key});
    }
    const std::vector<Result> results = co_await callAll(std::move(commands), stop);

    std::vector<KeySnapshot> hashes;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        for (const Result* result : {&results[2 * i], &results[2 * i + 1]})
            if (!*result && !aboutOneKey(result->error())) co_return result->error();
        const Reply* content = answer(results[2 * i]);
        const Reply* ttl = answer(results[2 * i + 1]);
        if (!content || !ttl || ttl->integer == -2) continue; // gone, or another type
        KeySnapshot key;
        key.key = wanted[i].key;
        key.type = wanted[i].type;
        if (ttl->integer >= 0) key.ttlMs = ttl->integer;
        fillContent(key, *content, m_mostElements);
        if (key.type == "hash" && !key.tooBig)
            hashes.push_back(std::move(key));
        else
            out.push_back(std::move(key));
    }

    std::vector<Args> hashCommands;
    hashCommands.reserve(hashes.size());
    for (const KeySnapshot& hash : hashes)
        hashCommands.push_back({"HGETALL", hash.key});
    const std::vector<Result> contents = co_await callAll(std::move(hashCommands), stop);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (!contents[i] && !aboutOneKey(contents[i].error())) co_return contents[i].error();
        const Reply* content = answer(contents[i]);
        if (!content || content->items.empty()) continue;
        for (std::size_t f = 0; f + 1 < content->items.size(); f += 2)
            hashes[i].hash.emplace_back(content->items[f].text, content->items[f + 1].text);
        out.push_back(std::move(hashes[i]));
    }
    co_return std::nullopt;
}

} // namespace lockscope::inspect
