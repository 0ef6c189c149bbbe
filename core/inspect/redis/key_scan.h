// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_reader.h"
#include "inspect/redis/like_names.h"

namespace lockscope::inspect {

/// Goes round and round through a server's keyspace by SCAN, a bounded slice at a time. Never KEYS: a slice costs the
/// server about a millisecond however many keys there are. One SCAN goes past all types, and TYPE tells them apart: a
/// SCAN by TYPE for each type would look at every key four times. Where a name tells what a key most likely is, not
/// even TYPE is asked: reading the key says so if it is of another type.
class KeyScan {
public:
    /// `keysPerCall`: SCAN's COUNT, how many keys the server looks at for one answer.
    KeyScan(KeyReader& reader, LikeNames& names, int keysPerCall = 500)
        : m_reader(reader), m_names(names), m_keysPerCall(keysPerCall) {}

    /// Only keys that match; empty: all.
    void setMatch(QByteArray glob) { m_match = std::move(glob); }
    /// Keys that need not be looked at.
    void setSkip(std::function<bool(const QByteArray& key)> skip) { m_skip = std::move(skip); }

    /// The next slice. Appends candidates: a key may come twice, and one that lives through a whole round comes at
    /// least once in it. Returns the error that it ended by. Throws Cancelled.
    ///
    /// A doubtful key may turn out to be of another type when it is read: give it to askTypes() then.
    QCoro::Task<std::optional<redis::Error>> advance(std::vector<WantedKey>& out, std::stop_token stop);
    /// Appends those of these keys that are candidates by their type. Returns an error as above. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> askTypes(std::vector<QByteArray> keys, std::vector<WantedKey>& out,
                                                      std::stop_token stop);

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
    LikeNames& m_names;
    int m_keysPerCall;
    QByteArray m_match;
    std::function<bool(const QByteArray&)> m_skip;
    QByteArray m_cursor = "0";
    int m_steps = 0;
    int m_rounds = 0;
    std::uint64_t m_calls = 0;
};

} // namespace lockscope::inspect
