// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/port.h"
#include "inspect/key_snapshot.h"

#include <span>

namespace lockscope::inspect {

/// A key whose content is wanted, and what type it should have.
struct WantedKey {
    QByteArray key;
    const char* type = "string"; ///< "string", "hash", "list", "zset"
};

/// Reads the content of many keys in few round trips, and never more of one than a lock can have.
class KeyReader {
public:
    explicit KeyReader(redis::Port& port, int mostElements = 256) : m_port(port), m_mostElements(mostElements) {}

    /// Appends a snapshot for each key that is there and has the type. Returns the first error that is not about one
    /// key; what was read before it stays. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> read(std::vector<WantedKey> wanted, std::vector<KeySnapshot>& out,
                                                  std::stop_token stop);
    /// Commands sent so far.
    std::uint64_t commands() const { return m_commands; }

    /// Runs commands in one go; their results in order. Throws Cancelled.
    QCoro::Task<std::vector<redis::Result>> callAll(std::vector<redis::Args> commands, std::stop_token stop);

private:
    QCoro::Task<std::optional<redis::Error>> readBatch(std::span<const WantedKey> wanted, std::vector<KeySnapshot>& out,
                                                       std::stop_token stop);
    redis::Port& m_port;
    int m_mostElements;
    std::uint64_t m_commands = 0;
};

} // namespace lockscope::inspect
