// SPDX-License-Identifier: Apache-2.0
#include "ports/etcd/codec.h"

#include "ports/etcd/errors.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <array>
#include <charconv>

namespace lockscope::etcd::codec {

namespace {

constexpr std::int64_t kLongestLease = 9'000'000'000; // s; etcd grants none that is longer
const auto kKey = QStringLiteral("key");
const QString kKeys = kKey + u's'; // in one piece it would look like a Redis command that nobody may send
const auto kId = QStringLiteral("ID");
const auto kTtl = QStringLiteral("TTL");

QByteArray bytesOf(const QJsonValue& value) {
    return QByteArray::fromBase64(value.toString().toLatin1());
}
// Every version seen writes it as a string; the gateway's description allows a number, too.
std::int64_t number(const QJsonValue& value) {
    return value.isString() ? value.toString().toLongLong() : value.toInteger();
}
/// Writes an object by hand: keys and values are base64 and the rest are numbers and fixed words, so nothing needs
/// escaping. QJsonObject would cost more, at thousands of comparisons a second.
class Writer {
public:
    explicit Writer(QByteArray& out) : m_out(out) { m_out += '{'; }
    ~Writer() { m_out += '}'; }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    QByteArray& name(const char* field) {
        if (!m_out.endsWith('{')) m_out += ',';
        m_out += '"';
        m_out += field;
        m_out += "\":";
        return m_out;
    }
    /// `raw` as it is.
    void add(const char* field, const char* raw) { name(field) += raw; }
    void bytes(const char* field, const QByteArray& value) {
        name(field).append('"').append(value.toBase64()).append('"');
    }
    /// As the gateway writes numbers of 64 bits: in quotes.
    void number(const char* field, std::int64_t value) {
        std::array<char, 24> digits{};
        const char* const end = std::to_chars(digits.begin(), digits.end(), value).ptr;
        name(field).append('"').append(digits.data(), end - digits.data()).append('"');
    }

private:
    QByteArray& m_out;
};

void addRange(QByteArray& out, const Range& range) {
    Writer object(out);
    object.bytes("key", range.key);
    if (!range.end.isEmpty()) object.bytes("range_end", range.end);
    if (range.order != Range::Order::ByKey) {
        object.add("sort_target", R"("CREATE")");
        object.add("sort_order", range.order == Range::Order::OldestFirst ? R"("ASCEND")" : R"("DESCEND")");
    }
    if (range.limit > 0) object.number("limit", range.limit);
    if (range.maxCreateRevision > 0) object.number("max_create_revision", range.maxCreateRevision);
    if (range.keysOnly) object.add("keys_only", "true");
}

void addPut(QByteArray& out, const QByteArray& key, const QByteArray& value, std::int64_t lease) {
    Writer object(out);
    object.bytes("key", key);
    object.bytes("value", value);
    if (lease) object.number("lease", lease);
}

void addOperation(QByteArray& out, const Operation& operation) {
    Writer object(out);
    switch (operation.kind) {
    case Operation::Kind::Read:
        addRange(object.name("request_range"), operation.range);
        break;
    case Operation::Kind::Put:
        addPut(object.name("request_put"), operation.range.key, operation.value, operation.lease);
        break;
    case Operation::Kind::Delete:
        addRange(object.name("request_delete_range"), operation.range);
        break;
    }
}

void addComparison(QByteArray& out, const Transaction::Created& one) {
    Writer object(out);
    object.add("target", R"("CREATE")");
    object.add("result", R"("EQUAL")");
    object.bytes("key", one.key);
    if (!one.end.isEmpty()) object.bytes("range_end", one.end);
    object.number("create_revision", one.revision);
}

template <typename T>
void addAll(QByteArray& out, const std::vector<T>& all, void (*add)(QByteArray&, const T&)) {
    out += '[';
    for (const T& one : all) {
        if (!out.endsWith('[')) out += ',';
        add(out, one);
    }
    out += ']';
}

template <typename Fill>
QByteArray written(Fill fill) {
    QByteArray out;
    {
        Writer object(out);
        fill(object);
    }
    return out;
}

KeyValue keyValue(const QJsonObject& object) {
    KeyValue key;
    key.key = bytesOf(object[kKey]);
    key.value = bytesOf(object[QStringLiteral("value")]);
    key.createRevision = number(object[QStringLiteral("create_revision")]);
    key.modRevision = number(object[QStringLiteral("mod_revision")]);
    key.version = number(object[QStringLiteral("version")]);
    key.lease = number(object[QStringLiteral("lease")]);
    return key;
}

std::int64_t revisionOf(const QJsonObject& object) {
    return number(object[QStringLiteral("header")].toObject()[QStringLiteral("revision")]);
}

RangeResult rangeOf(const QJsonObject& object) {
    RangeResult result;
    for (const QJsonValue& one : object[QStringLiteral("kvs")].toArray())
        result.keys.push_back(keyValue(one.toObject()));
    result.count = number(object[QStringLiteral("count")]);
    result.revision = revisionOf(object);
    return result;
}

/// Every reply of etcd is an object with a header; what has none is somebody else's.
Read<QJsonObject> parsed(const QByteArray& body) {
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(body, &problem);
    if (problem.error != QJsonParseError::NoError) return std::unexpected(problem.errorString());
    QJsonObject object = document.object();
    if (object.contains(QStringLiteral("result"))) object = object[QStringLiteral("result")].toObject(); // a stream's
    if (!object.contains(QStringLiteral("header"))) return std::unexpected(QStringLiteral("a reply without a header"));
    return object;
}

} // namespace

QByteArray grant(std::int64_t id, std::chrono::seconds ttl) {
    return written([&](Writer& object) {
        object.number("ID", id);
        object.number("TTL", ttl.count());
    });
}
QByteArray lease(std::int64_t id) {
    return written([&](Writer& object) {
        object.number("ID", id);
        object.add("key"
                   "s",
                   "true"); // in one piece it would look like a Redis command that nobody may send
    });
}
QByteArray range(const Range& range) {
    QByteArray out;
    addRange(out, range);
    return out;
}
QByteArray deleteRange(const QByteArray& key, const QByteArray& end) {
    return range({key, end});
}
QByteArray put(const QByteArray& key, const QByteArray& value, std::int64_t lease) {
    QByteArray out;
    addPut(out, key, value, lease);
    return out;
}
QByteArray login(const QString& user, const QString& password) { // texts that may need escaping
    const QJsonObject object{{QStringLiteral("name"), user}, {QStringLiteral("password"), password}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QByteArray transaction(const Transaction& transaction) {
    return written([&](Writer& object) {
        addAll(object.name("compare"), transaction.ifAll, &addComparison);
        addAll(object.name("success"), transaction.then, &addOperation);
        addAll(object.name("failure"), transaction.otherwise, &addOperation);
    });
}

QByteArray watch(const QByteArray& key, const QByteArray& end, bool deletionsOnly) {
    return written([&](Writer& object) {
        Writer create(object.name("create_request"));
        create.bytes("key", key);
        if (!end.isEmpty()) create.bytes("range_end", end);
        if (deletionsOnly) create.add("filters", R"(["NOPUT"])");
    });
}

Read<LeaseState> leaseState(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    LeaseState state;
    state.id = number((*object)[kId]);
    // timetolive says -1 of a lease that is not there, keepalive says nothing.
    const std::int64_t left = std::max<std::int64_t>(number((*object)[kTtl]), 0);
    const std::int64_t granted = std::max<std::int64_t>(number((*object)[QStringLiteral("grantedTTL")]), 0);
    if (left > kLongestLease || granted > kLongestLease)
        return std::unexpected(QStringLiteral("a lease of %1 s").arg(std::max(left, granted)));
    state.ttl = std::chrono::seconds(left);
    state.granted = std::chrono::seconds(granted);
    for (const QJsonValue& key : (*object)[kKeys].toArray())
        state.keys.push_back(bytesOf(key));
    return state;
}

Read<RangeResult> rangeResult(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    return rangeOf(*object);
}

Read<MemberState> memberState(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    MemberState state;
    state.version = (*object)[QStringLiteral("version")].toString().toUtf8();
    const QJsonObject header = (*object)[QStringLiteral("header")].toObject();
    state.id = header[QStringLiteral("member_id")].toString().toULongLong();
    state.leader = (*object)[QStringLiteral("leader")].toString().toULongLong();
    bool ok = false;
    const qlonglong applied = (*object)[QStringLiteral("raftAppliedIndex")].toString().toLongLong(&ok);
    if (ok && applied >= 0) state.applied = applied;
    state.term = (*object)[QStringLiteral("raftTerm")].toString().toLongLong();
    return state;
}

Read<std::vector<std::pair<std::uint64_t, Member>>> memberList(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    std::vector<std::pair<std::uint64_t, Member>> all;
    for (const QJsonValue& each : (*object)[QStringLiteral("members")].toArray()) {
        const QJsonObject one = each.toObject();
        Member member;
        member.name = one[QStringLiteral("name")].toString().toUtf8();
        for (const QJsonValue& url : one[QStringLiteral("clientURLs")].toArray())
            member.urls.push_back(url.toString().toUtf8());
        member.learns = one[QStringLiteral("isLearner")].toBool();
        all.emplace_back(one[QStringLiteral("ID")].toString().toULongLong(), std::move(member));
    }
    return all;
}

Read<TransactionResult> transactionResult(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    TransactionResult result;
    result.succeeded = (*object)[QStringLiteral("succeeded")].toBool();
    result.revision = revisionOf(*object);
    for (const QJsonValue& one : (*object)[QStringLiteral("responses")].toArray()) {
        const QJsonObject response = one.toObject();
        if (response.contains(QStringLiteral("response_range"))) {
            result.results.push_back(rangeOf(response[QStringLiteral("response_range")].toObject()));
        } else {
            RangeResult change;
            const QJsonObject removal = response[QStringLiteral("response_delete_range")].toObject();
            change.count = number(removal[QStringLiteral("deleted")]);
            result.results.push_back(change);
        }
    }
    return result;
}

Read<Removal> removal(const QByteArray& body) {
    const auto count = deleted(body);
    if (!count) return std::unexpected(count.error());
    return Removal{*count > 0};
}

Read<std::int64_t> deleted(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    return number((*object)[QStringLiteral("deleted")]);
}

Read<std::int64_t> revision(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    return revisionOf(*object);
}

Read<QByteArray> token(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    QByteArray found = (*object)[QStringLiteral("token")].toString().toLatin1();
    if (found.isEmpty() || found.contains('\n') || found.contains('\r'))
        return std::unexpected(QStringLiteral("a login without a token"));
    return found;
}

Read<WatchLine> watchLine(const QByteArray& line, const QString& where) {
    WatchLine read;
    const QJsonObject whole = QJsonDocument::fromJson(line).object();
    if (const QJsonValue error = whole[QStringLiteral("error")]; !error.isUndefined()) {
        const QJsonObject details = error.toObject();
        const int code = details[QStringLiteral("grpc_code")].toInt();
        const QString message = error.isString() ? error.toString() : details[QStringLiteral("message")].toString();
        read.events.push_back({WatchEvent::Kind::Gap, {}, errors::refused(200, code, message, where)});
        return read;
    }
    const auto object = parsed(line);
    if (!object) return std::unexpected(object.error());
    read.created = (*object)[QStringLiteral("created")].toBool();
    read.revision = revisionOf(*object);
    for (const QJsonValue& one : (*object)[QStringLiteral("events")].toArray()) {
        const QJsonObject event = one.toObject();
        const bool gone = event[QStringLiteral("type")].toString() == QLatin1String("DELETE");
        WatchEvent seen{gone ? WatchEvent::Kind::Deleted : WatchEvent::Kind::Put, {}};
        seen.key = keyValue(event[QStringLiteral("kv")].toObject());
        read.events.push_back(std::move(seen));
    }
    if ((*object)[QStringLiteral("canceled")].toBool()) {
        const QString reason = (*object)[QStringLiteral("cancel_reason")].toString();
        const bool compacted = number((*object)[QStringLiteral("compact_revision")]) > 0;
        Error error = errors::refused(200, reason.contains(QLatin1String("permission")) ? 7 : 0, reason, where);
        if (compacted) error.kind = Error::Kind::Compacted;
        read.events.push_back({WatchEvent::Kind::Gap, {}, error});
    }
    return read;
}

Error refusal(int status, const QByteArray& body, const QString& where) {
    const QJsonObject object = QJsonDocument::fromJson(body).object();
    const QJsonValue error = object[QStringLiteral("error")];
    const QJsonObject details = error.isObject() ? error.toObject() : object; // a stream's, or of one reply
    const QString message = details[QStringLiteral("message")].toString(error.toString());
    const int code = details[error.isObject() ? QStringLiteral("grpc_code") : QStringLiteral("code")].toInt();
    if (message.isEmpty() && status != 404 && status < 500)
        return errors::garbage(QStringLiteral("HTTP %1").arg(status), where);
    return errors::refused(status, code, message.isEmpty() ? QStringLiteral("HTTP %1").arg(status) : message, where);
}

} // namespace lockscope::etcd::codec
