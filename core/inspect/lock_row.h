// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/raw_value.h"
#include "trace/event.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace lockscope::inspect {

/// When something ends, as exactly as it was measured: not before `fromMs` and not after `toMs`, both in ms of one
/// clock that does not change between two looks.
struct EndsWithin {
    std::int64_t fromMs = 0, toMs = 0;
    friend bool operator==(const EndsWithin&, const EndsWithin&) = default;
};

/// A holder or waiter as the server knows it. Missing = the format does not say.
struct Party {
    QByteArray client;
    std::optional<QByteArray> thread;
    std::optional<int> holds;
    std::optional<int> position;
    QByteArray mode = QByteArrayLiteral("exclusive");
    /// A waiter that does not wait any more: its own deadline has passed and nobody listens for it. Its entry stays on
    /// the server until it reaches the head of the queue.
    bool dead = false;
    /// A holder's own lease, where its server gives it one besides the lock's: what is left of it, and where it ends.
    /// Missing: it has none, or it never expires.
    std::optional<std::int64_t> ttlMs = {};
    std::optional<EndsWithin> ends = {};
    bool neverExpires = false; ///< its own lease has no end
    /// When its entry was made, by the server's clock, in ms since 1970: the beginning of its hold or of its wait, as
    /// exactly as the server keeps it.
    std::optional<std::int64_t> sinceWallMs = {};
    QByteArray about = {}; ///< who that is, where the server or the entry says it: address, program, statement
    /// A holder that had a connection to its server and has none any more. Only told of a lock that nothing else ends,
    /// or whose renewals seem to have stopped; false also means that the server does not say.
    bool gone = false;
    bool connected = false; ///< … and of such a lock's holder, that it still has one
    friend bool operator==(const Party&, const Party&) = default;
};

/// The party as formats write it: "client:thread", or "client".
QByteArray identityOf(const Party& party);

/// Which of two measured ends is later; Same when the measurements cannot tell them apart.
enum class EndMoved : std::uint8_t { Same, Later, Earlier };
EndMoved endMoved(const EndsWithin& before, const EndsWithin& now);

using trace::Certainty;

/// A key as it is on the server.
struct RawKey {
    QByteArray key, type;
    std::optional<std::int64_t> ttlMs; ///< missing = it never expires
    RawValue value;
    std::int64_t more = 0; ///< elements that there are besides those in `value`
    friend bool operator==(const RawKey&, const RawKey&) = default;
};

/// Something on the server that makes a lock held, byte for byte. A lock is taken away only while it is still there.
struct Entry {
    QByteArray at;         ///< where: a key, a node's path, a table, the number of a session
    QByteArray value = {}; ///< its content, where the format has one: a value, a field, a member, an owner
    std::int64_t born =
        0; ///< tells it from a later one at the same place: a revision, a zxid, a beginning in ms; 0: nothing does
    friend bool operator==(const Entry&, const Entry&) = default;
};

/// One lock found on a server, in whatever format.
struct LockRow {
    enum class State : std::uint8_t {
        Free,
        Queued,
        Held,
        NotKnown, ///< only of several servers: those that can be read do not decide it, or its own cannot be read
    };
    QByteArray name, format, backend = QByteArrayLiteral("redis"), mode = QByteArrayLiteral("exclusive");
    State state = State::Free;
    std::optional<std::int64_t> ttlMs; ///< missing: expires() says what that means
    bool neverExpires = false;
    /// Where ttlMs is: the end itself, as exactly as it was measured. Missing = only ttlMs is known.
    std::optional<EndsWithin> ends;
    Certainty certainty = Certainty::Certain;
    std::optional<std::int64_t> token;
    std::vector<Party> holders;
    std::int64_t moreHolders = 0; ///< at most so many besides: the key was too long to be read whole
    bool holdersGone = false;     ///< no holders, because every one of them is dead; else the format does not say
    std::optional<std::vector<Party>> waiters; ///< missing = this format does not say
    std::optional<std::int64_t> waiterCount;   ///< living waiters only
    std::optional<std::int64_t> permitsFree;   ///< of a semaphore; missing = the server does not say
    std::optional<std::int64_t> permitsInAll;  ///< free and taken; missing = the server does not say
    std::int64_t deadWaiters = 0;              ///< entries of the queue that nobody waits behind any more
    std::vector<RawKey> raw;
    std::vector<Entry> entries; ///< of its holders; empty: the format does not tell them from others
    QByteArray server = {};     ///< where it lies, of several servers that are watched together: "host:port"
    /// Where several servers keep the lock, each for itself: what each of them has, with its `server`. NotKnown: that
    /// server cannot be read, or has not been asked for this lock yet. Empty: one server keeps the lock.
    std::vector<LockRow> copies = {};
    std::size_t quorum = 0; ///< with copies: so many of one hold make the lock held

    /// Explains a missing ttlMs. Unknown: the format does not say, or nothing is held that could end.
    enum class Expires : std::uint8_t { At, Never, Unknown };
    Expires expires() const {
        if (ttlMs) return Expires::At;
        return neverExpires ? Expires::Never : Expires::Unknown;
    }
    friend bool operator==(const LockRow&, const LockRow&) = default;
};

/// The mode that the word "exclusive", "shared" or "permit" stands for; any other text is exclusive.
trace::HoldMode holdModeOf(const QByteArray& mode);
/// The word for a mode, as formats write it in LockRow::mode.
QByteArray modeName(trace::HoldMode mode);

/// "at", "never", "unknown"; "certain", "likely", "guess": as `watch --json` says it.
const char* nameOf(LockRow::Expires expires);
const char* nameOf(Certainty certainty);

/// One element of `locks` in `watch --json`.
QJsonObject toJson(const LockRow& row);

} // namespace lockscope::inspect
