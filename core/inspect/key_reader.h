// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/port.h"
#include "inspect/key_snapshot.h"

#include <functional>
#include <span>

namespace lockscope::inspect {

/// A key whose content is wanted, and what type it should have.
struct WantedKey {
    QByteArray key;
    const char* type = "string"; ///< "string", "hash", "list", "zset"
    bool doubtful = false;       ///< a string that is most likely no lock: its TTL is asked only when it may be one
};

/// Reads the content of many keys in few round trips, and of a long one only the first elements: of a queue that is
/// long, of many readers or permits, it knows then how many more there are. A big hash is not read at all unless it
/// says that it is a read/write lock.
class KeyReader {
public:
    explicit KeyReader(redis::Port& port, int mostElements = 256) : m_port(port), m_mostElements(mostElements) {}

    /// Tells whether a doubtful string may be a lock, before its TTL is known. Without it, each may.
    void setDoubt(std::function<bool(const KeySnapshot&)> mayBeLock) { m_mayBeLock = std::move(mayBeLock); }

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
    /// The second question about a key, after its first answer; empty: there is none.
    redis::Args questionAbout(const KeySnapshot& key, bool doubtful) const;
    /// The first elements of big hashes that are read/write locks.
    QCoro::Task<std::optional<redis::Error>> readBigHashes(std::vector<KeySnapshot> hashes,
                                                           std::vector<KeySnapshot>& out, std::stop_token stop);

    redis::Port& m_port;
    int m_mostElements;
    std::function<bool(const KeySnapshot&)> m_mayBeLock;
    std::uint64_t m_commands = 0;
};

} // namespace lockscope::inspect
