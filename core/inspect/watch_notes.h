// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/key_job.h"
#include "inspect/server_identity.h"

#include <QJsonArray>
#include <map>
#include <unordered_set>

namespace lockscope::inspect {

/// Something that a look could not see, or that limits what it can say.
struct WatchNote {
    enum class Kind : std::uint8_t {
        LongValues,     ///< strings longer than any lock's: not read
        LargeHashes,    ///< hashes with more fields than a lock has: not read
        LongFields,     ///< hashes, queues or semaphores with longer parts than a lock has: not read
        KeysRefused,    ///< this user has no right to read them
        SizesRefused,   ///< this user has no right to ask how large they are, so they were not read
        WaitersRefused, ///< this user has no right to ask who is subscribed
        Replica,        ///< the server is a replica
        ClusterNode,    ///< the server is one of a cluster
        LeftAlone,      ///< reading these keys would keep them from being evicted
    };
    Kind kind = Kind::LongValues;
    std::int64_t count = 0;           ///< keys; slots of a cluster's node, -1 = not known
    std::vector<QByteArray> examples; ///< some of the keys, sorted; of a replica: its master
    friend bool operator==(const WatchNote&, const WatchNote&) = default;
};

/// "long-values", "replica", …: as `watch --json` says it.
const char* nameOf(WatchNote::Kind kind);
/// One sentence, translated.
QString textOf(const WatchNote& note);
/// The element of `notes` in `watch --json`.
QJsonObject toJson(const WatchNote& note);

/// Says that a Sentinel answers where a Redis was expected, and what to write instead. `where`: "host:port".
QString sentinelText(const QString& where);

/// Notes that say that a server is a replica or a cluster's node.
std::vector<WatchNote> notesOn(const ServerIdentity& server);

/// Counts keys that were not read, each once, and remembers some of their names.
class UnreadKeys {
public:
    void add(const QByteArray& key, KeyJob::End why);
    void clear() { m_kinds.clear(); }
    std::vector<WatchNote> notes() const;
    /// Keys that this user has no right to read.
    std::int64_t refused() const;

private:
    struct Place {
        std::unordered_set<std::size_t> seen; ///< hashes of their names
        std::vector<QByteArray> examples;
    };
    std::map<WatchNote::Kind, Place> m_kinds;
};

} // namespace lockscope::inspect
