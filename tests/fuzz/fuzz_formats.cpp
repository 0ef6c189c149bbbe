// SPDX-License-Identifier: Apache-2.0
#include "driver.h"
#include "inspect/etcd/formats.h"
#include "inspect/memcached/formats.h"
#include "inspect/redis/client_names.h"
#include "inspect/redis/info.h"
#include "inspect/sql/formats/named_table.h"
#include "inspect/zookeeper/admin_answers.h"
#include "inspect/zookeeper/formats.h"
#include "lock_rows.h"

using namespace lockscope;
using namespace lockscope::fuzz;
using namespace lockscope::inspect;

namespace {

constexpr std::int64_t kNow = 1'790'000'000'000; // ms since 1970

const QByteArray kUuid = "0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11", kHex = "0dd4b2a45b1e4c399a390c9f2b3d7e11";

QByteArray line(const QByteArrayList& fields) {
    return fields.join('\t') + '\n';
}

/// Inputs are lines with tabs between their fields; the first line says what they are: "zk PATH SESSION DATA" with
/// lines "child NAME SESSION DATA", and "lock" or "lease" for those below a semaphore's nodes; "etcd" with lines "KEY
/// VALUE LEASE REVISION"; "memcached" with lines "KEY VALUE"; "sql" with lines of cells, "\N" for NULL; "answer" with
/// the text of a server's answer.
std::vector<QByteArray> inputsOfEachFormat() {
    const auto zk = [](const char* path, const QByteArrayList& children, const char* data = "",
                       const char* session = "0") {
        QByteArray text = line({"zk", path, session, data});
        for (const QByteArray& child : children)
            text += line({"child", child, "72057594037927937", "10.0.0.5"});
        return text;
    };
    return {
        zk("/curator", {"_c_" + kUuid + "-lock-0000000000", "_c_" + kUuid + "-lock-0000000001"}),
        zk("/rw", {"_c_" + kUuid + "-__READ__0000000003", "_c_" + kUuid + "-__WRIT__0000000004"}),
        zk("/sem", {"leases", "locks"}) + line({"lock", "_c_" + kUuid + "-lock-0000000009", "7", ""}) +
            line({"lease", "_c_" + kUuid + "-lease-0000000007", "7", ""}),
        zk("/kazoo", {kHex + "__lock__0000000000", kHex + "__rlock__0000000001"}),
        zk("/kazoo-sem", {kHex}, "{\"leases\": 3}"),
        zk("/lease", {}, "{\"version\": 1, \"holder\": \"h\", \"end\": \"2026-09-21T14:13:20.5+00:00\"}"),
        zk("/go", {"_c_" + kHex + "-lock-0000000000"}),
        zk("/menagerie", {"lock-0000000000", "lock-0000000001", "condition-0000000002"}),
        zk("/recipe", {"x-72057594037927937-0000000000", "x-72057594037927938-0000000001"}),
        zk("/shedlock/job", {}, "2026-09-21T14:13:25Z"),
        zk("/single", {}, "10.0.0.5", "72057594037927937"),
        line({"etcd"}) + line({"orders/694d8f2ab1c4d801", "", "7587860131010762753", "5"}) +
            line({"orders/694d8f2ab1c4d802", "candidate", "7587860131010762754", "6"}),
        line({"etcd"}) + line({"rw/read/1790000000000000000", "", "17", "5"}) +
            line({"rw/write/1790000000000000001", "", "18", "6"}),
        line({"etcd"}) + line({"shedlock:env:job", "ADDED:2026-09-21T14:13:20.000Z@host", "3", "9"}),
        line({"memcached"}) + line({"shedlock:env:job", "ADDED:2026-09-21T14:13:20.000Z@host"}) +
            line({"own", kUuid + ":1:0123456789abcdef"}) + line({"any", "x"}),
        line({"sql"}) +
            line({"orders", "sql-lease", kUuid + ":1:0123456789abcdef", "7", "1790000005000", "1789999995000"}) +
            line({"report", "1790000005000", "1789999995000", "host-1"}) + line({"1", "1", "1789999995000", "laptop"}) +
            line({"\\N", "\\N", "\\N", "\\N"}) + line({"mail", "owner", "2026-09-21 14:13:25+02"}),
        line({"answer"}) + "id=3 addr=10.0.0.5:51234 fd=8 name=lockscope:" + kUuid +
            " user=app lib-name=redis-py lib-ver=5.0.1\nid=4 addr=[::1]:2 name=worker user=default\n",
        line({"answer"}) + "Zookeeper version: 3.8.0-1, built on x\nLatency min/avg/max: 0/0.5/9\nMode: follower\n",
        line({"answer"}) +
            " /10.0.0.5:51234[1](queued=0,recved=9,sent=9,sid=0x100000000000001,lop=PING,est=1790000000000,to=4000)\n",
        line({"answer"}) + "07c3 127.0.0.1:30004@31004 myself,slave e7d1 0 1426238317239 4 connected\n"
                           "e7d1 127.0.0.1:30001@31001 master - 0 0 1 connected 0-5460 5462 [5461->-07c3]\n",
        line({"answer"}) + "redis_version:7.0.15\r\nrun_id:abc\r\nuptime_in_seconds:9\r\nrole:master\r\n"
                           "slave0:ip=10.0.0.6,port=6379,state=online,offset=14,lag=1\r\nmaster_repl_offset:20\r\n"
                           "cmdstat_flushall:calls=2,usec=9\r\n",
    };
}

const std::vector<QByteArray> kWords{
    "\t",
    "\n",
    "/",
    "-",
    ":",
    "=",
    "\\N",
    kUuid,
    kHex,
    "_c_",
    "-lock-",
    "-lease-",
    "__lock__",
    "__rlock__",
    "lock-",
    "condition-",
    "x-",
    "-0000000000",
    "-9999999999",
    "-2147483648",
    "-__READ__",
    "-__WRIT__",
    "leases",
    "locks",
    "child\t",
    "lock\t",
    "lease\t",
    "zk\t",
    "etcd\n",
    "sql\n",
    "answer\n",
    "memcached\n",
    "/read/",
    "/write/",
    "shedlock:",
    "ADDED:",
    "@host",
    "sql-lease",
    "sql-row",
    "2026-09-21T14:13:20Z",
    "infinity",
    "addr=",
    "name=",
    "sid=0x",
    "Mode: ",
    "myself,",
    "0-16383",
    "slave0:",
    "{\"version\": 1",
    "nan",
    QByteArray("\0", 1),
    "\xff",
    "\xe2\x80\xae",
    "<b>",
};

using Lines = std::vector<QByteArrayList>;

QByteArray fieldOf(const QByteArrayList& fields, qsizetype at) {
    return fields.value(at);
}

std::vector<LockRow> zooKeeperRows(const Lines& lines) {
    struct Below {
        QByteArray data;
        std::int64_t session = 0;
    };
    const auto nodeOf = [&](const QByteArray& path, const char* kind) {
        SeenNode node;
        node.path = path;
        node.wallMs = kNow;
        std::map<QByteArray, Below> below;
        std::vector<QByteArray> names;
        for (const QByteArrayList& fields : lines)
            if (fieldOf(fields, 0) == kind && !fieldOf(fields, 1).isEmpty() && !fieldOf(fields, 1).contains('/') &&
                below.emplace(fieldOf(fields, 1), Below{fieldOf(fields, 3), fieldOf(fields, 2).toLongLong()}).second)
                names.push_back(fieldOf(fields, 1));
        for (recipes::ZkChild& name : recipes::readZkChildren(names)) {
            SeenChild child{std::move(name), {}, {}};
            const Below& its = below.at(child.name.name);
            if (its.session >= 0) { // else this login may not read it
                child.stat.emplace().ephemeralOwner = its.session;
                child.stat->czxid = std::int64_t(node.children.size()) + 1;
                child.data = its.data;
            }
            node.children.push_back(std::move(child));
        }
        node.stat.children = std::int32_t(node.children.size());
        return node;
    };
    SeenNode node = nodeOf('/' + fieldOf(lines.front(), 1).replace('\0', "").mid(1), "child");
    node.stat.ephemeralOwner = fieldOf(lines.front(), 2).toLongLong();
    node.data = fieldOf(lines.front(), 3);
    const SeenNode locks = nodeOf(node.path + "/locks", "lock"), leases = nodeOf(node.path + "/leases", "lease");
    const auto has = [&](const char* name) {
        return std::ranges::any_of(node.children, [&](const SeenChild& child) { return child.name.name == name; });
    };
    if (has("locks")) node.locks = &locks;
    if (has("leases")) node.leases = &leases;
    std::vector<LockRow> rows = readInOrder(zookeeperFormats(), node);
    // Each layout by itself, too: which of them comes first is no reason for another one to fail.
    for (const Format<SeenNode>& format : zookeeperFormats())
        std::ranges::move(format.read(node), std::back_inserter(rows));
    return rows;
}

std::vector<LockRow> etcdRows(const Lines& lines) {
    std::map<QByteArray, std::vector<etcd::KeyValue>> locks;
    std::map<std::int64_t, SeenLease> leases;
    for (const QByteArrayList& fields : lines) {
        etcd::KeyValue key;
        key.key = fieldOf(fields, 0);
        key.value = fieldOf(fields, 1);
        key.lease = fieldOf(fields, 2).toLongLong();
        key.createRevision = key.modRevision = fieldOf(fields, 3).toLongLong();
        if (key.lease % 3 != 0) leases[key.lease] = {{kNow + key.lease % 60'000, kNow + 60'000}, key.lease % 5 == 0};
        if (const auto name = etcdLockOf(key)) locks[name->toByteArray()].push_back(key);
    }
    std::vector<LockRow> rows;
    for (auto& [name, keys] : locks) {
        std::ranges::stable_sort(keys, {}, &etcd::KeyValue::createRevision);
        for (const QByteArray& oldest : {QByteArray(), keys.front().key, QByteArray("another")})
            std::ranges::move(readInOrder(etcdFormats(), SeenKeys{name, keys, oldest, leases, kNow}),
                              std::back_inserter(rows));
    }
    return rows;
}

std::vector<LockRow> memcachedRows(const Lines& lines) {
    std::vector<LockRow> rows;
    for (const QByteArrayList& fields : lines)
        if (!fieldOf(fields, 0).isEmpty())
            std::ranges::move(readInOrder(memcachedFormats(), SeenItem{fieldOf(fields, 0), fieldOf(fields, 1)}),
                              std::back_inserter(rows));
    return rows;
}

std::vector<LockRow> sqlRows(const Lines& lines) {
    constexpr qsizetype kColumns = 8; // more than any of the queries has
    const NamedTable named[] = {{"t", "n", "o", "u"}, {"t", "n", "o", {}}, {"t", "n", {}, "u"}, {"t", "n", {}, {}}};
    std::vector<LockRow> rows;
    const auto keep = [&rows](std::optional<LockRow> row) {
        if (row) rows.push_back(std::move(*row));
    };
    for (const QByteArrayList& fields : lines) {
        // The server's own present stands at another place in each format's answer: every place is tried.
        for (qsizetype nowAt = 2; nowAt < kColumns; ++nowAt) {
            sql::Table answer;
            std::vector<std::optional<QByteArray>>& cells = answer.rows.emplace_back();
            for (qsizetype at = 0; at < kColumns; ++at) {
                const QByteArray cell = fields.value(at, "\\N");
                cells.push_back(at == nowAt     ? std::optional(QByteArray::number(qlonglong(kNow)))
                                : cell == "\\N" ? std::nullopt
                                                : std::optional(cell));
            }
            for (const TableFormat& format : tableFormats())
                keep(format.read(answer, 0, "app.locks"));
            for (const NamedTable& one : named)
                keep(readNamedRow(one, answer, 0, "app.locks"));
        }
    }
    return rows;
}

/// Answers about clients and servers; the number of things that were read.
std::expected<qsizetype, QString> readAnswers(const QByteArray& answer) {
    const std::vector<ListedClient> clients = clientsIn(answer);
    const ConnectionTable table(clients);
    for (const ListedClient& client : clients) {
        if (client.address.isEmpty()) return std::unexpected(QStringLiteral("a client without an address"));
        const QByteArray about = table.find(client.name);
        if (!about.isEmpty() && client.name.size() < 4)
            return std::unexpected(QStringLiteral("“%1” is nobody's name").arg(QString::fromLatin1(client.name)));
    }
    qsizetype read = qsizetype(clients.size());
    for (const ClusterNode& node : clusterNodesIn(answer)) {
        if (node.slots < 0 || (!node.slotsFromTo.empty() && node.slots == 0))
            return std::unexpected(QStringLiteral("%1 slots").arg(node.slots));
        ++read;
    }
    const ServerIdentity server = identityFrom(answer, answer);
    if (server.uptime < Nanos(0)) return std::unexpected(QStringLiteral("it runs since the future"));
    if (flushesIn(answer) < 0) return std::unexpected(QStringLiteral("less than no flushes"));
    read += zooKeeperIdentityFrom(answer).has_value();
    return read + qsizetype(sessionPeersIn(answer).size());
}

class FormatTarget final : public Target {
public:
    const char* name() const override { return "fuzz_formats"; }
    std::vector<QByteArray> seeds() override { return inputsOfEachFormat(); }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        const QByteArrayList texts = input.split('\n');
        const QByteArray kind = texts.front().split('\t').front();
        if (kind == "answer") {
            const auto read = readAnswers(input.sliced(texts.front().size()));
            if (!read) return Outcome::wrong(read.error());
            m_rows += int(*read);
            return Outcome::fine("answer " + QByteArray::number(std::min<qsizetype>(*read, 9)));
        }
        Lines lines;
        for (const QByteArray& text : texts)
            if (kind == "zk" || lines.size() > 0 || !text.startsWith(kind)) lines.push_back(text.split('\t'));
        if (lines.empty()) return Outcome::fine("empty");
        const auto rowsOf = kind == "zk"          ? zooKeeperRows
                            : kind == "etcd"      ? etcdRows
                            : kind == "memcached" ? memcachedRows
                                                  : sqlRows;
        const std::vector<LockRow> rows = rowsOf(lines);
        if (rowsOf(lines) != rows) return Outcome::wrong(QStringLiteral("read twice, there are other rows"));
        QByteArray seen = kind == "zk" || kind == "etcd" || kind == "memcached" ? kind : QByteArray("sql");
        for (const LockRow& row : rows) {
            if (const auto wrong = wrongIn(row))
                return Outcome::wrong(QString::fromLatin1(row.format) + QStringLiteral(": ") + *wrong);
            seen += ' ' + row.format + char('0' + int(row.state)) +
                    char('0' + std::min<int>(9, int(row.holders.size()))) + (row.waiters ? "w" : "");
        }
        m_rows += int(rows.size());
        return Outcome::fine(seen.left(160));
    }
    std::optional<QString> idle() const override {
        return m_rows > 100 ? std::nullopt : std::optional(QStringLiteral("%1 rows").arg(m_rows));
    }

private:
    Mutator m_mutator{kWords};
    int m_rows = 0;
};

} // namespace

int main(int argc, char** argv) {
    FormatTarget target;
    return fuzz::run(argc, argv, target);
}
