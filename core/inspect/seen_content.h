// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <deque>
#include <map>

namespace lockscope::inspect {

/// The content that a watcher saw of one lock on one server.
struct SeenContent {
    std::vector<RawKey> keys;  ///< empty: nothing of the lock was there
    std::int64_t moreKeys = 0; ///< keys that there were besides
    bool cut = false;          ///< parts of long texts were left out
    friend bool operator==(const SeenContent&, const SeenContent&) = default;
};

/// Types of RawKey that are no keys: a client of the lock, whose value says who that is; a holder that has no
/// connection to its server any more; and the server that has the lock.
inline constexpr char kClientEntry[] = "client";
inline constexpr char kGoneEntry[] = "client-gone";
inline constexpr char kServerEntry[] = "server";
/// A row whose content also says where it lies and who its first holders and waiters are, as far as the server knows.
LockRow withPlaces(LockRow row);

/// As a trace keeps it (EventKind::RecordContent): JSON of a few KiB at most. If it is longer, the beginnings are kept,
/// with a note of how much was left out.
QByteArray contentText(const std::vector<RawKey>& keys);
/// Remembers the texts of the last few contents: the servers that keep copies of a lock have equal ones shortly after
/// each other, and a text is dear to make.
class ContentTexts {
public:
    /// contentText(keys).
    QByteArray of(const std::vector<RawKey>& keys);

private:
    struct Known {
        std::vector<RawKey> keys;
        QByteArray text;
    };
    std::deque<Known> m_known; ///< the newest first
};
/// The other way round; nullopt when the text is none of contentText().
std::optional<SeenContent> contentFrom(const QByteArray& text);

/// A holder or waiter in a content of withPlaces().
struct SeenClient {
    QByteArray about;  ///< Party::about, without a statement; empty: the server does not tell
    bool gone = false; ///< Party::gone
};
/// The clients that a text of contentText() tells of, by readable() of Party::client.
std::map<QByteArray, SeenClient> seenClientsIn(const QByteArray& contentText);

/// Whether two looks, `between` apart, found the same, TTLs that have only run down included. A TTL counts as run down
/// when its end moved by no more than a quarter of a second: answers take their time.
bool sameContent(const std::vector<RawKey>& before, const std::vector<RawKey>& now, std::chrono::nanoseconds between);

} // namespace lockscope::inspect
