// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_reader.h"

namespace lockscope::inspect {

/// Goes round and round through a server's keyspace by SCAN, a bounded slice at a time. Never KEYS: a slice costs the
/// server about a millisecond however many keys there are. One SCAN goes past all types, and TYPE, which is cheap,
/// tells them apart: a SCAN by TYPE for each type would look at every key four times.
class KeyScan {
public:
    /// `keysPerCall`: SCAN's COUNT, how many keys the server looks at for one answer.
    explicit KeyScan(KeyReader& reader, int keysPerCall = 500) : m_reader(reader), m_keysPerCall(keysPerCall) {}

    /// Only keys that match; empty: all.
    void setMatch(QByteArray glob) { m_match = std::move(glob); }
    /// Keys that need not be looked at.
    void setSkip(std::function<bool(const QByteArray& key)> skip) { m_skip = std::move(skip); }

    /// The next slice. Appends candidates: a key may come twice, and one that lives through a whole round comes at
    /// least once in it. Returns the error that it ended by. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> advance(std::vector<WantedKey>& out, std::stop_token stop);

    /// Begins again, as if nothing had been seen.
    void restart();
    /// Whole rounds so far.
    int rounds() const { return m_rounds; }
    /// SCANs sent so far.
    std::uint64_t calls() const { return m_calls; }
    /// About how many keys of the keyspace this round has gone past; 0 between two rounds.
    std::int64_t keysPassed() const { return std::int64_t(m_steps) * m_keysPerCall; }

private:
    KeyReader& m_reader;
    int m_keysPerCall;
    QByteArray m_match;
    std::function<bool(const QByteArray&)> m_skip;
    QByteArray m_cursor = "0";
    int m_steps = 0;
    int m_rounds = 0;
    std::uint64_t m_calls = 0;
};

} // namespace lockscope::inspect
