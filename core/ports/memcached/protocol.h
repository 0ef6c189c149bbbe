// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/client.h"

namespace lockscope::memcached {

/// A command for a server.
struct Command {
    enum class Kind : std::uint8_t { Add, CompareAndSet, Get, Lifetime, Remove, Version, Statistics, List };
    Kind kind = Kind::Get;
    QByteArray key = {}, value = {};
    Expiry expiry = 0;
    std::uint64_t unique = 0; ///< CompareAndSet: the number of the item meant; not 0
    bool look = false;        ///< Add, CompareAndSet: also read the item afterwards, as a second reply
    WantsKey wants = {};      ///< List: the keys that the reply shall have

    /// The number of replies to it.
    int replies() const { return look ? 2 : 1; }
};

/// A server's answer to one command.
struct Reply {
    enum class Word : std::uint8_t {
        Stored,
        NotStored,
        Exists,
        NotFound,
        Deleted,
        End,
        Version,
        LoginWanted,
        Busy,
        Error
    };
    Word word = Word::End;
    QByteArray text = {};                    ///< with Version, LoginWanted (the SASL mechanisms, if known) and Error
    std::optional<Item> item = std::nullopt; ///< with End: the item read
    KeyList list = {};                       ///< with End: the keys listed
    std::optional<memcached::Lifetime> lifetime = std::nullopt; ///< with End: when the item ends
};

/// Encodes commands and decodes replies, for one connection.
class Protocol {
public:
    virtual ~Protocol() = default;

    /// The first message on a connection. It changes nothing and contains no secrets. The reply tells whether this is a
    /// usable memcached: End, LoginWanted or Error.
    virtual QByteArray greeting() const = 0;
    /// Encodes a login; the reply is Stored when it is accepted.
    virtual QByteArray login(const QByteArray& user, const QByteArray& password) const = 0;
    virtual void append(QByteArray& out, const Command& command) = 0;

    /// Feeds bytes from the server.
    void feed(const char* bytes, qsizetype size);
    /// The next complete reply; nullopt: more bytes are needed. The error describes in a few words what is wrong.
    virtual std::expected<std::optional<Reply>, QString> next() = 0;

    /// The server's words when it answered Command::Kind::Statistics last, without its address.
    Statistics statistics() const;
    /// Mark::runBegan, once the server has answered Command::Kind::Statistics; 0 before.
    std::int64_t runBegan() const { return m_time > 0 && m_uptime >= 0 ? m_time - m_uptime : 0; }

protected:
    /// Takes one line of the server's statistics.
    void takeStatistic(QByteArrayView name, QByteArrayView value);

    static constexpr std::uint64_t kLargestItem = 16ULL * 1024 * 1024;
    qsizetype left() const { return m_in.size() - m_at; }
    QByteArray m_in;
    qsizetype m_at = 0; ///< everything before it is read

private:
    std::optional<Nanos> m_user, m_system;  ///< the server's processor time
    std::int64_t m_time = 0, m_uptime = -1; ///< the server's clock and uptime, in seconds; -1 = unknown
    std::int64_t m_process = 0, m_flushes = 0;
    QByteArray m_version;
};

} // namespace lockscope::memcached
