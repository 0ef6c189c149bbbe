// SPDX-License-Identifier: Apache-2.0
#include "inspect/key_scan.h"

namespace lockscope::inspect {

namespace {

struct Kind {
    const char* type;
    const char* match; ///< null: all names
};

// Hashes first: they are few, and most locks are among them. Lists and sorted sets belong to locks only by their names.
constexpr Kind kKinds[] = {
    {"hash", nullptr}, {"list", "redisson_lock_queue:*"}, {"zset", "semaphore:*"}, {"string", nullptr}};

} // namespace

void KeyScan::restart() {
    m_kind = 0;
    m_cursor = "0";
    m_rounds = 0;
}

QCoro::Task<std::optional<redis::Error>> KeyScan::advance(int calls, std::vector<WantedKey>& out,
                                                          std::stop_token stop) {
    for (int call = 0; call < calls; ++call) {
        const Kind& kind = kKinds[m_kind];
        redis::Args command{"SCAN", m_cursor, "COUNT", QByteArray::number(m_keysPerCall), "TYPE", kind.type};
        if (kind.match) command.insert(command.end(), {"MATCH", kind.match});
        std::vector<redis::Args> commands;
        commands.push_back(std::move(command));
        const std::vector<redis::Result> results = co_await m_reader.callAll(std::move(commands), stop);
        if (!results[0]) co_return results[0].error();
        if (results[0]->items.size() != 2) co_return std::nullopt;
        for (const redis::Reply& key : results[0]->items[1].items)
            out.push_back({key.text, kind.type});
        m_cursor = results[0]->items[0].text;
        if (m_cursor != "0") continue;
        m_kind = (m_kind + 1) % std::size(kKinds);
        if (m_kind != 0) continue;
        ++m_rounds;
        break; // what is seen next belongs to another round
    }
    co_return std::nullopt;
}

} // namespace lockscope::inspect
