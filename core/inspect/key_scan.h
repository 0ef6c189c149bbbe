// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/key_reader.h"

namespace lockscope::inspect {

/// Goes round and round through a server's keyspace by SCAN, a bounded slice at a time, looking only at the types in
/// which locks are kept. Never KEYS: a slice costs the server about a millisecond however many keys there are.
class KeyScan {
public:
    /// `keysPerCall`: SCAN's COUNT, how many keys the server looks at for one answer.
    explicit KeyScan(KeyReader& reader, int keysPerCall = 500) : m_reader(reader), m_keysPerCall(keysPerCall) {}

    /// At most `calls` SCANs further. Appends candidates: a key may come twice, and one that lives through a whole
    /// round comes at least once in it. Returns the error that ended it early. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> advance(int calls, std::vector<WantedKey>& out, std::stop_token stop);

    /// Begins again, as if nothing had been seen.
    void restart();
    /// Whole rounds so far.
    int rounds() const { return m_rounds; }

private:
    KeyReader& m_reader;
    int m_keysPerCall;
    std::size_t m_kind = 0; ///< which type is being gone through
    QByteArray m_cursor = "0";
    int m_rounds = 0;
};

} // namespace lockscope::inspect
