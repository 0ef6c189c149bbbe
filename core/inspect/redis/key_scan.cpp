// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_scan.h"

#include "inspect/redis/redisson_names.h"

namespace lockscope::inspect {

namespace {

/// The type when a key of it may belong to a lock; nullptr otherwise.
const char* typeOfCandidate(const QByteArray& key, const QByteArray& type) {
    if (type == "hash") return "hash";
    if (type == "string") return isHelperKey(key) ? nullptr : "string"; // read with their lock
    // Lists and sorted sets belong to locks only by their names.
    if (type == "list") return redisson::nameOfQueueKey(key) ? "list" : nullptr;
    if (type == "zset") return key.startsWith("semaphore:") || redisson::nameOfPermitsKey(key) ? "zset" : nullptr;
    return nullptr;
}

} // namespace

void KeyScan::restart() {
    m_cursor = "0";
    m_steps = 0;
    m_rounds = 0;
    m_calls = 0;
}

QCoro::Task<std::optional<redis::Error>> KeyScan::advance(std::vector<WantedKey>& out, std::stop_token stop) {
    std::vector<redis::Args> scan;
    scan.push_back(redis::argsOf("SCAN", m_cursor, "COUNT", QByteArray::number(m_keysPerCall)));
    if (!m_match.isEmpty()) {
        scan.front().push_back("MATCH");
        scan.front().push_back(m_match);
    }
    ++m_calls;
    const std::vector<redis::Result> slices = co_await m_reader.callAll(std::move(scan), stop);
    if (!slices.front()) co_return slices.front().error();
    const redis::Reply& slice = *slices.front();
    if (slice.items.size() != 2) co_return std::nullopt;

    std::vector<QByteArray> unknown;
    for (const redis::Reply& key : slice.items[1].items) {
        if (m_skip && m_skip(key.text)) continue;
        using enum LikeNames::Trait;
        const bool guessed = !isHelperKey(key.text);
        if (guessed && m_names.likely(String, key.text))
            out.push_back({key.text, "string", true});
        else if (guessed && m_names.likely(DullHash, key.text))
            out.push_back({key.text, "hash", true});
        else
            unknown.push_back(key.text);
    }
    auto error = co_await askTypes(std::move(unknown), out, stop);
    if (error) co_return error;
    m_cursor = slice.items[0].text;
    ++m_steps;
    if (m_cursor == "0") {
        m_steps = 0;
        ++m_rounds;
    }
    co_return std::nullopt;
}

QCoro::Task<std::optional<redis::Error>> KeyScan::askTypes(std::vector<QByteArray> keys, std::vector<WantedKey>& out,
                                                           std::stop_token stop) {
    std::vector<redis::Args> types;
    for (const QByteArray& key : keys)
        types.push_back(redis::argsOf("TYPE", key));
    const std::vector<redis::Result> told = co_await m_reader.callAll(std::move(types), stop);
    for (std::size_t i = 0; i < told.size(); ++i) {
        if (!told[i] && (told[i].error().kind != redis::Error::Kind::Refused || refusesCommand(told[i].error())))
            co_return told[i].error();
        if (!told[i]) { // no right to look at it: reading it will say so again
            out.push_back({std::move(keys[i]), "string", false});
            continue;
        }
        if (told[i]->text == "none") continue; // gone meanwhile
        m_names.learn(LikeNames::Trait::String, keys[i], told[i]->text == "string");
        if (told[i]->text != "hash") m_names.learn(LikeNames::Trait::DullHash, keys[i], false);
        const char* const type = typeOfCandidate(keys[i], told[i]->text);
        if (!type) continue;
        // Most strings are no locks, and most hashes.
        const bool doubtful = qstrcmp(type, "string") == 0 ||
                              (qstrcmp(type, "hash") == 0 && !m_names.likely(LikeNames::Trait::LockHash, keys[i]));
        out.push_back({std::move(keys[i]), type, doubtful});
    }
    co_return std::nullopt;
}

} // namespace lockscope::inspect
