// SPDX-License-Identifier: Apache-2.0
#include "zookeeper_log.h"

#include <QDataStream>
#include <map>

namespace lockscope::torture {

using trace::EventKind;
using trace::FreedBy;

namespace {

enum Type : qint32 {
    kCreate = 1,
    kDelete = 2,
    kSetData = 5,
    kMulti = 14,
    kCreate2 = 15,
    kDeleteContainer = 20,
    kCloseSession = -11,
};

struct Header {
    qint64 session = 0, zxid = 0, time = 0;
    qint32 request = 0, type = 0;
};

QByteArray bytes(QDataStream& in) {
    qint32 size = 0;
    in >> size;
    QByteArray data;
    // A length of its own, not QDataStream's; -1 = null.
    if (size > 0 && size < (1 << 22)) {
        data.resize(size);
        if (in.readRawData(data.data(), size) != size) in.setStatus(QDataStream::ReadPastEnd);
    }
    return data;
}

class Reader {
public:
    explicit Reader(const Holds& holds) : m_holds(holds) {}

    /// Learns the owners of sessions, in a first run over everything.
    void learn(const Header& header, qint32 type, QDataStream& in) {
        visit(header, type, in, [this](const Header& h, qint32 t, QDataStream& s) { learn(h, t, s); });
        if (type != kCreate && type != kCreate2) return;
        bytes(in);
        const QByteArray owner = ownerIn(bytes(in));
        if (!owner.isEmpty()) m_clients[header.session] = owner.left(owner.indexOf(':'));
    }

    void read(const Header& header, qint32 type, QDataStream& in) {
        visit(header, type, in, [this](const Header& h, qint32 t, QDataStream& s) { read(h, t, s); });
        const std::int64_t at = header.time * 1'000'000;
        if (type == kCreate || type == kCreate2) {
            const QByteArray path = bytes(in);
            const QByteArray owner = ownerIn(bytes(in));
            if (owner.isEmpty()) return;
            m_nodes[path] = {owner, header.session};
            records.push_back(serverRecord(EventKind::RecordHeld, at, path, owner, owner));
        } else if (type == kDelete || type == kSetData || type == kDeleteContainer) {
            const QByteArray path = bytes(in);
            const auto node = m_nodes.find(path);
            if (node == m_nodes.end()) return;
            records.push_back(freedRecord(at, path, doerOf(header.session, path, node->second.owner, at),
                                          node->second.owner,
                                          type == kSetData ? FreedBy::Overwrite : FreedBy::Release));
            m_nodes.erase(node);
        } else if (type == kCloseSession) {
            for (auto node = m_nodes.begin(); node != m_nodes.end();) {
                const bool its = node->second.session == header.session;
                if (its) records.push_back(freedRecord(at, node->first, {}, node->second.owner, FreedBy::Expiry));
                node = its ? m_nodes.erase(node) : std::next(node);
            }
        }
    }
    std::vector<ServerRecord> records;

private:
    struct Node {
        QByteArray owner;
        qint64 session = 0;
    };

    /// "lockscope:<client>:<thread>[:…]"
    static QByteArray ownerIn(const QByteArray& data) {
        constexpr qsizetype kBegin = 10;
        return data.startsWith("lockscope:") ? identityIn(data.mid(kBegin)) : QByteArray();
    }

    template <typename Then>
    static void visit(const Header& header, qint32 type, QDataStream& in, Then then) {
        if (type != kMulti) return;
        qint32 count = 0;
        in >> count;
        for (qint32 i = 0; i < count && in.status() == QDataStream::Ok; ++i) {
            qint32 each = 0;
            in >> each;
            const QByteArray body = bytes(in);
            QDataStream part(body);
            then(header, each, part);
        }
    }

    QByteArray doerOf(qint64 session, const QByteArray& path, const QByteArray& owner, std::int64_t at) const {
        const auto found = m_clients.find(session);
        if (found != m_clients.end()) return someoneOf(found->second);
        const int lock = lockOf(path);
        const bool relied = lock < 0 || m_holds.relied(std::size_t(lock), owner, at);
        return relied ? someoneOf("session " + QByteArray::number(session, 16)) : owner;
    }

    const Holds& m_holds;
    std::map<qint64, QByteArray> m_clients;
    std::map<QByteArray, Node> m_nodes;
};

/// Calls `then` for each transaction of a file; the rest of it is zeros, or a last one that was not written to its end.
template <typename Then>
void forEach(const QByteArray& file, Then then) {
    QDataStream in(file);
    qint32 magic = 0, version = 0;
    qint64 database = 0;
    in >> magic >> version >> database;
    if (magic != 0x5a4b4c47) return; // "ZKLG"
    for (;;) {
        qint64 checksum = 0;
        in >> checksum;
        const QByteArray entry = bytes(in);
        quint8 end = 0;
        in >> end;
        if (in.status() != QDataStream::Ok || entry.isEmpty() || end != 'B') return;
        QDataStream body(entry);
        Header header;
        body >> header.session >> header.request >> header.zxid >> header.time >> header.type;
        then(header, body);
    }
}

} // namespace

std::vector<ServerRecord> readZooKeeperLogs(const QByteArrayList& files, const Background& background) {
    Reader reader(background.holds);
    for (const QByteArray& file : files)
        forEach(file, [&](const Header& header, QDataStream& in) { reader.learn(header, header.type, in); });
    for (const QByteArray& file : files)
        forEach(file, [&](const Header& header, QDataStream& in) { reader.read(header, header.type, in); });
    return std::move(reader.records);
}

} // namespace lockscope::torture
