// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/key_reader.h"

#include <array>

namespace lockscope::inspect {

/// Goes round and round through a server's keyspace by SCAN, a bounded slice at a time, looking only at the types in
/// which locks are kept. Never KEYS: a slice costs the server about a millisecond however many keys there are. The
/// types are gone through side by side, so that no kind of lock has to wait for the others' end.
class KeyScan {
public:
    /// `keysPerCall`: SCAN's COUNT, how many keys the server looks at for one answer.
    explicit KeyScan(KeyReader& reader, int keysPerCall = 500) : m_reader(reader), m_keysPerCall(keysPerCall) {}

    /// One SCAN of each type that has not been gone through in this round, in one round trip. Appends candidates: a key
    /// may come twice, and one that lives through a whole round comes at least once in it. Returns the error that it
    /// ended by. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> advance(std::vector<WantedKey>& out, std::stop_token stop);

    /// Begins again, as if nothing had been seen.
    void restart();
    /// Whole rounds so far.
    int rounds() const { return m_rounds; }
    /// SCANs sent so far. Each is a lot more work for the server than another command.
    std::uint64_t calls() const { return m_calls; }
    /// About how many keys of the keyspace this round has gone past; 0 between two rounds.
    std::int64_t keysPassed() const { return std::int64_t(m_steps) * m_keysPerCall; }

private:
    struct Place {
        QByteArray cursor = "0";
        bool done = false; ///< in this round
    };
    static constexpr std::size_t kKinds = 4;

    KeyReader& m_reader;
    int m_keysPerCall;
    std::array<Place, kKinds> m_places;
    int m_steps = 0;
    int m_rounds = 0;
    std::uint64_t m_calls = 0;
};

} // namespace lockscope::inspect
