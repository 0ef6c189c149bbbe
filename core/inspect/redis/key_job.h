// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_snapshot.h"
#include "ports/redis/port.h"

#include <functional>
#include <span>

namespace lockscope::inspect {

/// A key whose content is wanted, and the type that it should have.
struct WantedKey {
    QByteArray key;
    const char* type = "string"; ///< "string", "hash", "list", "zset"
    /// A string or hash that is most likely no lock: a string is read only when its length may be one's, and only a
    /// content that may be a lock's is asked for its TTL.
    bool doubtful = false;
};

/// The tests that decide which doubtful keys are read and kept.
struct KeyDoubt {
    /// Asked about a string before anything of it is read.
    std::function<bool(const QByteArray& key, std::int64_t length)> mayHaveLength;
    std::function<bool(const KeySnapshot&)> mayBeLock; ///< asked before its TTL is
    /// Missing, or whether a string's length is most likely one: then it is not asked for, the first bytes are read at
    /// once.
    std::function<bool(const QByteArray& key)> isReadable;
};

/// The user may not run this command at all, whichever key it is about.
bool refusesCommand(const redis::Error& error);

/// Reads one key in a few steps, never more of it than a lock has: the server is asked for sizes first (STRLEN, MEMORY
/// USAGE, HLEN, HSTRLEN, LLEN, ZCARD), and a value that is too long is not read. Each step is a few commands, so that
/// the steps of many keys go out together.
class KeyJob {
public:
    /// How it ended. All but Read leave the content unknown.
    enum class End : std::uint8_t {
        Open,        ///< there is another step
        Read,        ///< key() is whole, or says how much more there is
        Dull,        ///< certainly no lock
        Gone,        ///< no such key
        Elsewhere,   ///< another node of the cluster answers for its slot, or is about to
        OtherType,   ///< the key has another type than wanted
        LongValue,   ///< a string longer than any lock's
        LargeHash,   ///< more fields than a lock has, and nothing says that it is a read/write lock
        LongFields,  ///< fields or elements longer than any lock's
        Refused,     ///< this user has no right to read it
        SizeRefused, ///< this user has no right to ask how large it is
    };
    /// `mostElements`: of a long list, sorted set or read/write lock only so many are read.
    KeyJob(WantedKey wanted, int mostElements);

    /// Appends the commands of the next step. Precondition: end() is Open.
    void ask(std::vector<redis::Args>& commands) const;
    /// Asks for no size, where the key is a doubtful string: what is read of it is bounded all the same. Precondition:
    /// nothing was asked yet.
    void readAtOnce();
    /// Takes their results. `span`: when the server answered, in ms of a clock that does not change between looks.
    /// Returns an error that is not about this key alone.
    std::optional<redis::Error> take(std::span<const redis::Result> results, const EndsWithin& span,
                                     const KeyDoubt& doubt);

    End end() const { return m_end; }
    /// How many commands ask() appends.
    std::size_t questions() const;
    /// Whether one of them asks for the TTL.
    bool asksTtl() const { return m_step == Step::Content || m_step == Step::Ttl || m_step == Step::FirstFields; }
    KeySnapshot& key() { return m_key; }

    static constexpr int kLongestString = 512; ///< bytes of a string lock's value, at most

private:
    enum class Step : std::uint8_t { Size, Count, Content, Ttl, FirstFields };
    void takeSize(const redis::Reply& size, const KeyDoubt& doubt);
    void judgeLength(std::int64_t length, const KeyDoubt& doubt);
    void takeCounts(std::span<const redis::Result> results);
    void takeString(const QByteArray& text, const KeyDoubt& doubt);
    void doubtContent(const KeyDoubt& doubt);
    void takeContent(const redis::Reply& content, const KeyDoubt& doubt);
    void takeFirstFields(const redis::Reply& mode, const redis::Reply& fields);
    void takeTtl(const redis::Reply& ttl, const EndsWithin& span);
    std::optional<redis::Error> failed(const redis::Error& error);
    bool is(const char* type) const;

    KeySnapshot m_key;
    const char* m_type;
    int m_mostElements;
    bool m_doubtful;
    Step m_step;
    End m_end = End::Open;
    std::int64_t m_bytes = 0; ///< the server's memory for the key, overhead included; of a string its length
    std::int64_t m_count = 0; ///< the number of fields or elements, where it was requested
};

} // namespace lockscope::inspect
