// SPDX-License-Identifier: Apache-2.0
#include "inspect/key_scan.h"

#include <algorithm>
#include <cstring>

namespace lockscope::inspect {

namespace {

struct Kind {
    const char* type;
    const char* match; ///< null: all names
};

// Lists and sorted sets belong to locks only by their names.
constexpr std::array kTypes{Kind{"hash", nullptr}, Kind{"list", "redisson_lock_queue:*"}, Kind{"zset", "semaphore:*"},
                            Kind{"string", nullptr}};

} // namespace

void KeyScan::restart() {
    m_places = {};
    m_steps = 0;
    m_rounds = 0;
    m_calls = 0;
}

QCoro::Task<std::optional<redis::Error>> KeyScan::advance(std::vector<WantedKey>& out, std::stop_token stop) {
    static_assert(kTypes.size() == kKinds);
    std::vector<redis::Args> commands;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < kKinds; ++i) {
        if (m_places[i].done) continue;
        const Kind& kind = kTypes[i];
        redis::Args command{"SCAN", m_places[i].cursor, "COUNT", QByteArray::number(m_keysPerCall), "TYPE", kind.type};
        if (kind.match) command.insert(command.end(), {"MATCH", kind.match});
        commands.push_back(std::move(command));
        asked.push_back(i);
    }
    m_calls += commands.size();
    const std::vector<redis::Result> results = co_await m_reader.callAll(std::move(commands), stop);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const redis::Result& result = results[i];
        if (!result) co_return result.error();
        if (result->items.size() != 2) continue;
        const Kind& kind = kTypes[asked[i]];
        // Most strings are anything but locks.
        const bool doubtful = std::strcmp(kind.type, "string") == 0;
        for (const redis::Reply& key : result->items[1].items)
            out.push_back({key.text, kind.type, doubtful});
        Place& place = m_places[asked[i]];
        place.cursor = result->items[0].text;
        place.done = place.cursor == "0";
    }
    ++m_steps;
    if (std::ranges::all_of(m_places, &Place::done)) {
        m_places = {};
        m_steps = 0;
        ++m_rounds;
    }
    co_return std::nullopt;
}

} // namespace lockscope::inspect
