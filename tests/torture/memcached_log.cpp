// SPDX-License-Identifier: Apache-2.0
#include "memcached_log.h"

#include <algorithm>

namespace lockscope::torture {

using trace::EventKind;
using trace::FreedBy;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTick = kSecond + kSecond / 10; ///< by which an item may end too early
constexpr std::uint32_t kLongestExpiry = 60 * 60 * 24 * 30;

/// ts=1700000000.123456 gid=2 type=item_store key=k status=stored cmd=add ttl=5 clsid=1 cfd=27 size=3
using Line = std::map<QByteArray, QByteArray>;

class Reader {
public:
    explicit Reader(const Background& background) : m_background(background) {}

    void read(const Line& line) {
        const QByteArray type = line.at("type");
        m_now = timeOf(line.at("ts"));
        const QByteArray connection = line.contains("cfd") ? line.at("cfd") : QByteArray();
        if (type == "conn_new") {
            const auto port = static_cast<std::uint16_t>(line.at("rport").toUShort());
            QByteArray client = m_background.speakers.at(port, m_now);
            if (client.isEmpty()) client = "port " + QByteArray::number(port);
            m_clients[connection] = someoneOf(client);
        }
        if (!line.contains("key")) return;
        Item& item = m_items[line.at("key")];
        item.place = line.at("key");
        if (type == "item_get") look(item, line.at("status") == "found", m_clients[connection]);
        if (type == "item_store") store(item, line, m_clients[connection]);
    }
    std::vector<ServerRecord> records;

private:
    struct Item {
        QByteArray place, owner; ///< empty: none, as far as is known
        std::int64_t deadline = 0;
        QByteArray lookers; ///< who looked for it last and did nothing visible with it
        QByteArray before;  ///< the same before the last look
    };

    static std::int64_t timeOf(const QByteArray& text) {
        const qsizetype dot = text.indexOf('.');
        return text.left(dot).toLongLong() * kSecond + text.mid(dot + 1, 6).toLongLong() * 1000;
    }

    void look(Item& item, bool found, const QByteArray& by) {
        if (!found) {
            gone(item);
            return;
        }
        item.before = item.lookers;
        item.lookers = by;
    }

    /// It is not there: it has ended, or was deleted by whoever looked for it last.
    void gone(Item& item) {
        if (item.owner.isEmpty()) return;
        const bool alive = m_now < item.deadline - kTick && !item.lookers.isEmpty();
        records.push_back(freedRecord(m_now, item.place, alive ? item.lookers : QByteArray(), item.owner,
                                      alive ? FreedBy::Release : FreedBy::Expiry));
        item.owner.clear();
        item.lookers.clear();
    }
    void store(Item& item, const Line& line, const QByteArray& by) {
        item.lookers = item.before; // the look was this command's own
        if (line.at("status") != "stored") return;
        const auto seconds = line.at("ttl").toUInt();
        const bool ends = seconds > kLongestExpiry; // less than nothing
        if (line.at("cmd") == "add") {
            gone(item);
            item.owner = by;
            records.push_back(serverRecord(EventKind::RecordHeld, m_now, item.place, by, by));
        } else if (ends) {
            records.push_back(freedRecord(m_now, item.place, by, item.owner, FreedBy::Release));
            item.owner.clear();
        } else {
            records.push_back(serverRecord(EventKind::RecordRenewed, m_now, item.place, by, item.owner));
        }
        item.deadline = m_now + std::int64_t(seconds) * kSecond;
        item.lookers.clear();
        item.before.clear();
    }

    const Background& m_background;
    std::int64_t m_now = 0;
    std::map<QByteArray, QByteArray> m_clients; ///< by connection
    std::map<QByteArray, Item> m_items;
};

} // namespace

std::vector<ServerRecord> readMemcachedLog(const QByteArrayList& parts, const Background& background) {
    std::vector<std::pair<qulonglong, Line>> lines; // by number: several threads say them
    for (const QByteArray& text : parts.join('\n').split('\n')) {
        Line line;
        for (const QByteArray& field : text.simplified().split(' '))
            if (const qsizetype at = field.indexOf('='); at > 0) line[field.left(at)] = field.mid(at + 1);
        if (line.contains("gid") && line.contains("type") && line.contains("ts"))
            lines.emplace_back(line["gid"].toULongLong(), std::move(line));
    }
    std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first; });
    Reader reader(background);
    for (const auto& [number, line] : lines)
        reader.read(line);
    return std::move(reader.records);
}

} // namespace lockscope::torture
