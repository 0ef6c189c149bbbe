// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "journal.h"
#include "ruling.h"

#include <QDataStream>
#include <QFile>
#include <QTemporaryDir>

// Short stories for tests: two clients' journals and one server's log, in the words of each kind of server.
namespace lockscope::torture {

using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;

inline const QByteArray kOne = "11111111-1111-4111-8111-111111111111", kOther = "22222222-2222-4222-8222-222222222222";
constexpr qlonglong kStart = 1'700'000'010; ///< s since 1970: when everything begins
constexpr int kOnesPort = 41001, kOthersPort = 41002;

inline std::int64_t ns(int ms) {
    return std::int64_t(ms) * 1'000'000;
}
inline QByteArray seconds(int ms) {
    return QByteArray::number(kStart + ms / 1000) + '.' + QByteArray::number(ms % 1000).rightJustified(3, '0') + "000";
}

/// The lines of a Redis after MONITOR, at instants in milliseconds.
class Said {
public:
    Said& by(const QByteArray& client, int ms, const QByteArray& command) {
        return line(ms, "127.0.0.1:" + QByteArray::number(client == kOne ? kOnesPort : kOthersPort), command);
    }
    Said& inScript(int ms, const QByteArray& command) { return line(ms, "lua", command); }
    /// A script's call, with its caller's name, and what it did.
    Said& script(const QByteArray& client, int ms, const QByteArray& effect) {
        return by(client, ms, "evalsha c0ffee 1 torture-0 " + client + ":1").inScript(ms, effect);
    }
    QByteArray text;

private:
    Said& line(int ms, const QByteArray& from, const QByteArray& command) {
        text += seconds(ms) + " [0 " + from + ']';
        for (const QByteArray& word : command.split(' '))
            text += " \"" + word + '"';
        text += "\r\n";
        return *this;
    }
};

/// One transaction of a ZooKeeper's log.
class ZooKeeperLog {
public:
    ZooKeeperLog() {
        QDataStream out(&file, QIODevice::WriteOnly);
        out << qint32(0x5a4b4c47) << qint32(2) << qint64(0);
    }
    ZooKeeperLog& create(qint64 session, const QByteArray& path, const QByteArray& data) {
        QByteArray body;
        QDataStream out(&body, QIODevice::WriteOnly);
        text(out, path);
        text(out, data);
        return transaction(session, 1, body);
    }
    ZooKeeperLog& remove(qint64 session, const QByteArray& path) {
        QByteArray body;
        QDataStream out(&body, QIODevice::WriteOnly);
        text(out, path);
        return transaction(session, 2, body);
    }
    ZooKeeperLog& removeInMulti(qint64 session, const QByteArray& path) {
        QByteArray part, body;
        QDataStream inner(&part, QIODevice::WriteOnly);
        text(inner, path);
        QDataStream out(&body, QIODevice::WriteOnly);
        out << qint32(1) << qint32(2);
        text(out, part);
        return transaction(session, 14, body);
    }
    ZooKeeperLog& close(qint64 session) { return transaction(session, -11, {}); }
    /// The transactions that follow are done then, or later.
    ZooKeeperLog& at(int ms) {
        m_at = ms;
        return *this;
    }
    QByteArray file;

private:
    static void text(QDataStream& out, const QByteArray& data) {
        out << qint32(data.size());
        out.writeRawData(data.constData(), int(data.size()));
    }
    ZooKeeperLog& transaction(qint64 session, qint32 type, const QByteArray& body) {
        QByteArray entry;
        QDataStream inner(&entry, QIODevice::WriteOnly);
        ++m_zxid;
        inner << session << qint32(1) << m_zxid << qint64(kStart * 1000 + std::max(m_zxid, m_at)) << type;
        inner.writeRawData(body.constData(), int(body.size()));
        QDataStream out(&file, QIODevice::WriteOnly | QIODevice::Append);
        out << qint64(0);
        text(out, entry);
        out << quint8('B');
        return *this;
    }
    qint64 m_zxid = 0, m_at = 0;
};

inline QByteArray etcdSaw(int ms, const QByteArray& type, const QByteArray& key, int created, int revision, int lease) {
    return QByteArray::number(kStart * 1'000'000'000 + ns(ms)) + " {\"result\":{\"header\":{\"revision\":\"" +
           QByteArray::number(revision) + "\"},\"events\":[{" + (type == "DELETE" ? "\"type\":\"DELETE\"," : "") +
           "\"kv\":{\"key\":\"" + key.toBase64() + "\",\"create_revision\":\"" + QByteArray::number(created) +
           "\",\"mod_revision\":\"" + QByteArray::number(revision) + "\",\"lease\":\"" + QByteArray::number(lease) +
           "\"}}]}}";
}

/// The lines of memcached's logger; each line counts.
class MemcachedLog {
public:
    MemcachedLog() {
        line(0, "type=conn_new rip=127.0.0.1 rport=" + QByteArray::number(kOnesPort) + " transport=tcp cfd=1");
        line(0, "type=conn_new rip=127.0.0.1 rport=" + QByteArray::number(kOthersPort) + " transport=tcp cfd=2");
    }
    MemcachedLog& add(const QByteArray& client, int ms, bool stored) {
        look(client, ms, !stored);
        return store(client, ms, stored ? "stored" : "not_stored", "add", "3");
    }
    MemcachedLog& cas(const QByteArray& client, int ms, const QByteArray& ttl) {
        look(client, ms, true);
        return store(client, ms, "stored", "cas", ttl);
    }
    MemcachedLog& look(const QByteArray& client, int ms, bool found) {
        return line(ms, "type=item_get key=torture-0 status=" + QByteArray(found ? "found" : "not_found") +
                            " clsid=1 cfd=" + (client == kOne ? "1" : "2") + " size=3");
    }
    QByteArray text;

private:
    MemcachedLog& store(const QByteArray& client, int ms, const QByteArray& status, const QByteArray& command,
                        const QByteArray& ttl) {
        return line(ms, "type=item_store key=torture-0 status=" + status + " cmd=" + command + " ttl=" + ttl +
                            " clsid=1 cfd=" + (client == kOne ? "1" : "2") + " size=3");
    }
    MemcachedLog& line(int ms, const QByteArray& what) {
        text += "ts=" + seconds(ms) + " gid=" + QByteArray::number(++m_number) + ' ' + what + '\n';
        return *this;
    }
    int m_number = 0;
};

/// A row of the audit table.
inline QByteArray audit(int ms, int port, const QByteArray& before, const QByteArray& after, bool over = false) {
    const auto owner = [](const QByteArray& client) {
        return client.isEmpty() ? QByteArray() : client + ":1:0123456789abcdef";
    };
    return QByteArray::number(kStart * 1'000'000 + ms * 1000) + '|' + QByteArray::number(port) + "|torture-0|" +
           owner(before) + '|' + owner(after) + (over ? "|1" : "|0");
}

/// Two clients, the second one with threads that block, what befell them, and what the server says.
class Case {
public:
    Case() {
        chronicle.lives.resize(2);
        chronicle.lives[0].journal = path(true);
        chronicle.lives[1].journal = path(false);
        chronicle.lives[0].name = "A";
        chronicle.lives[0].identity = kOne;
        chronicle.lives[1].name = "B";
        chronicle.lives[1].identity = kOther;
        chronicle.lives[1].blocking = true;
        chronicle.wallAhead = std::chrono::seconds(kStart);
        for (const bool one : {true, false}) {
            JournalWriter journal(path(one));
            Entry port;
            port.what = Entry::What::Port;
            port.event.value = one ? kOnesPort : kOthersPort;
            journal.write(port);
        }
    }
    /// The first one's only thread, of the first lock.
    Case& believes(int ms, EventKind kind, std::int64_t value = 0) { return believes({kOne, 1, 0}, ms, kind, value); }
    struct Who {
        QByteArray client;
        trace::EntityId thread = 1, lock = 0;
    };
    Case& believes(const Who& who, int ms, EventKind kind, std::int64_t value = 0) {
        Entry entry;
        entry.event.at = ns(ms);
        entry.event.kind = kind;
        entry.event.actor = who.thread;
        entry.event.subject = who.lock;
        entry.event.value = value;
        entry.event.aux = kind == EventKind::Granted || kind == EventKind::GrantedAs ? 1 : 0;
        return writes(who.client, entry);
    }
    Case& writes(const QByteArray& client, const Entry& entry) {
        JournalWriter(path(client == kOne)).write(entry);
        return *this;
    }
    /// To the first one's journal, as it is.
    Case& appends(const QByteArray& text) {
        QFile file(path(true));
        if (file.open(QIODevice::Append)) file.write(text);
        return *this;
    }
    /// The first one stood still.
    Case& stopped(int from, int to) {
        chronicle.lives[0].fates.push_back({Nanos(ns(from)), EventKind::ClientPaused});
        chronicle.lives[0].fates.push_back({Nanos(ns(to)), EventKind::ClientResumed});
        return *this;
    }
    Ruling ruled(Testimony::Kind kind, const QByteArrayList& parts) const {
        Chronicle whole = chronicle;
        Testimony testimony;
        testimony.kind = kind;
        testimony.parts = parts;
        whole.testimonies.push_back(testimony);
        return rule(subject, plan, whole);
    }
    Subject subject;
    Plan plan;
    Chronicle chronicle;

private:
    QString path(bool one) const { return m_folder.filePath(one ? QStringLiteral("one") : QStringLiteral("other")); }
    QTemporaryDir m_folder;
};

inline Outcome ownership(const Ruling& ruling) {
    return ruling.verdict.outcomes[std::size_t(Invariant::Ownership)];
}
inline Outcome redis(const Said& said, Testimony::Kind kind = Testimony::Kind::RedisKeys) {
    return ownership(Case().ruled(kind, {"+OK\r\n" + said.text}));
}

inline Said taken(const QByteArray& client, int ms) {
    Said said;
    said.script(client, ms, "hincrby torture-0 " + client + ":1 1").inScript(ms, "pexpire torture-0 1000");
    return said;
}
inline Said reading(const QByteArray& client, int ms) {
    Said said;
    const QByteArray field = client + ":1";
    said.script(client, ms, "hset torture-0 mode read " + field + " 1");
    said.inScript(ms, "set {torture-0}:" + field + ":rwlock_timeout:1 1 PX 1000")
        .inScript(ms, "pexpire torture-0 1000");
    return said;
}
inline QByteArray nodeOf(const QByteArray& client) {
    return "lockscope:" + client + ":1";
}

} // namespace lockscope::torture
