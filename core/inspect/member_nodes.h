// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/copy_feeds.h"
#include "inspect/server_member.h"

namespace lockscope::inspect {

/// Writes the servers of a watched Redis Cluster, of a master's group behind sentinels, or of an ensemble into a trace:
/// as in a simulation each is a node, with its role, the server that it copies, and by how much it is behind. A lock
/// stays one lock of the connection; RecordDecider tells which node has it.
class MemberNodes {
public:
    explicit MemberNodes(CopyFeeds::Place place) : m_place(place) {}

    /// Call it for every report.
    void write(const LockReport& report);
    /// The server that decides on a lock, where it is another one than before. Call it after the lock's row was
    /// written.
    void writeDecider(const LockRow& row);
    /// The connection was ended: nobody sees the servers from here on.
    void unobserved(const QString& why);

private:
    struct Server {
        trace::EntityId node = trace::kNoEntity;
        bool started = false, away = false;
        ServerMember told;                          ///< as the rows say
        trace::EntityId follows = trace::kNoEntity; ///< … the node of told.follows
    };
    Server& serverAt(const QByteArray& address);
    void tellSight(Server& server, const QString& why);
    void tellRole(Server& server, const ServerMember& now);
    void tellServer(const ServerMember& now, const QString& why);

    CopyFeeds::Place m_place;
    std::map<QByteArray, Server> m_servers;           ///< by address
    std::map<QByteArray, trace::EntityId> m_deciders; ///< by lock, as told
};

} // namespace lockscope::inspect
