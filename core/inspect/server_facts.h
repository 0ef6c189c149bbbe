// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/key_reader.h"
#include "inspect/redis_recogniser.h"

#include <array>

namespace lockscope::inspect {

/// What a look at a server's keys needs to know of the server besides: its clock, how many keys there are, whether
/// other databases have some, who is subscribed, and whether reading a key leaves it as it was.
///
/// What the server refuses to tell is not known, and is not asked again for some minutes.
class ServerFacts {
public:
    ServerFacts(KeyReader& reader, Runtime& runtime) : m_reader(reader), m_runtime(runtime) {}

    /// Asks for everything that is due. Returns an error of the connection. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> ask(std::stop_token stop);

    /// The present in ms since 1970: by the server's clock, or by ours when it does not tell.
    std::int64_t wallMs() const { return m_wallMs; }
    /// Keys in this database; missing = not known.
    std::optional<std::int64_t> keys() const { return m_keys; }
    /// Other databases have keys, or may have.
    bool othersHaveKeys() const { return m_othersHaveKeys; }
    /// Subscribers of the channels on which clients wait for locks; missing = not known. Where it takes the server long
    /// to go through its channels, they are from some time ago.
    const std::optional<Subscriptions>& subscriptions() const { return m_subscriptions; }
    /// Reading a key makes it young for a server that evicts the oldest, and our connection can not be told apart.
    bool readingMakesYoung() const { return m_evictsOldest && !m_noTouch; }

private:
    enum Question : std::size_t { NoTouch, Time, Keyspace, Keys, Memory, kQuestions };
    QCoro::Task<std::optional<redis::Error>> askChannels(Nanos way, std::stop_token stop);
    void pauseChannels(Nanos began, Nanos way);
    void take(Question question, const redis::Reply& reply);
    void takeRefusal(Question question, const redis::Error& why, Nanos now);
    void readKeyspace(const QByteArray& info);

    KeyReader& m_reader;
    Runtime& m_runtime;
    std::array<Nanos, kQuestions> m_notBefore{}; ///< when each may be asked again
    std::int64_t m_wallMs = 0;
    std::optional<std::int64_t> m_keys;
    int m_databases = -1; ///< that have keys; -1 = not known
    bool m_othersHaveKeys = true;
    bool m_noTouch = false;
    bool m_evictsOldest = false;
    std::optional<Subscriptions> m_subscriptions;
    Nanos m_channelsTook{}; ///< the last time
    Nanos m_channelsNotBefore{};
};

} // namespace lockscope::inspect
