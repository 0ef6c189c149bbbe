// SPDX-License-Identifier: Apache-2.0
#include "backends/etcd/codec.h"

#include "backends/etcd/errors.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::etcd::codec {

namespace {

const auto kKey = QStringLiteral("key");
const QString kKeys = kKey + u's'; // in one piece it would look like a Redis command that nobody may send
const auto kRangeEnd = QStringLiteral("range_end");
const auto kId = QStringLiteral("ID");
const auto kTtl = QStringLiteral("TTL");

QString base64(const QByteArray& bytes) {
    return QString::fromLatin1(bytes.toBase64());
}
QByteArray bytesOf(const QJsonValue& value) {
    return QByteArray::fromBase64(value.toString().toLatin1());
}
QString text(std::int64_t number) {
    return QString::number(qlonglong(number));
}
// As a string in every version seen, as a number by the letter of the gateway's description.
std::int64_t number(const QJsonValue& value) {
    return value.isString() ? value.toString().toLongLong() : value.toInteger();
}
QByteArray written(const QJsonObject& object) {
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QJsonObject rangeObject(const Range& range) {
    QJsonObject object{{kKey, base64(range.key)}};
    if (!range.end.isEmpty()) object[kRangeEnd] = base64(range.end);
    if (range.order != Range::Order::ByKey) {
        object[QStringLiteral("sort_target")] = QStringLiteral("CREATE");
        object[QStringLiteral("sort_order")] =
            range.order == Range::Order::OldestFirst ? QStringLiteral("ASCEND") : QStringLiteral("DESCEND");
    }
    if (range.limit > 0) object[QStringLiteral("limit")] = text(range.limit);
    if (range.maxCreateRevision > 0) object[QStringLiteral("max_create_revision")] = text(range.maxCreateRevision);
    return object;
}

QJsonObject putObject(const QByteArray& key, const QByteArray& value, std::int64_t lease) {
    QJsonObject object{{kKey, base64(key)}, {QStringLiteral("value"), base64(value)}};
    if (lease) object[QStringLiteral("lease")] = text(lease);
    return object;
}

QJsonArray operations(const std::vector<Operation>& all) {
    QJsonArray array;
    for (const Operation& operation : all) {
        switch (operation.kind) {
        case Operation::Kind::Read:
            array.append(QJsonObject{{QStringLiteral("request_range"), rangeObject(operation.range)}});
            break;
        case Operation::Kind::Put:
            array.append(QJsonObject{
                {QStringLiteral("request_put"), putObject(operation.range.key, operation.value, operation.lease)}});
            break;
        case Operation::Kind::Delete:
            array.append(QJsonObject{{QStringLiteral("request_delete_range"), rangeObject(operation.range)}});
            break;
        }
    }
    return array;
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
    return written({{kId, text(id)}, {kTtl, text(ttl.count())}});
}
QByteArray lease(std::int64_t id) {
    return written({{kId, text(id)}, {kKeys, true}});
}
QByteArray range(const Range& range) {
    return written(rangeObject(range));
}
QByteArray deleteRange(const QByteArray& key, const QByteArray& end) {
    return written(rangeObject({key, end}));
}
QByteArray put(const QByteArray& key, const QByteArray& value, std::int64_t lease) {
    return written(putObject(key, value, lease));
}
QByteArray login(const QString& user, const QString& password) {
    return written({{QStringLiteral("name"), user}, {QStringLiteral("password"), password}});
}

QByteArray transaction(const Transaction& transaction) {
    QJsonArray compare;
    for (const Transaction::Created& one : transaction.ifAll)
        compare.append(QJsonObject{{QStringLiteral("target"), QStringLiteral("CREATE")},
                                   {QStringLiteral("result"), QStringLiteral("EQUAL")},
                                   {kKey, base64(one.key)},
                                   {QStringLiteral("create_revision"), text(one.revision)}});
    return written({{QStringLiteral("compare"), compare},
                    {QStringLiteral("success"), operations(transaction.then)},
                    {QStringLiteral("failure"), operations(transaction.otherwise)}});
}

QByteArray watch(const QByteArray& key, bool deletionsOnly) {
    QJsonObject create{{kKey, base64(key)}};
    if (deletionsOnly) create[QStringLiteral("filters")] = QJsonArray{QStringLiteral("NOPUT")};
    return written({{QStringLiteral("create_request"), create}});
}

Read<LeaseState> leaseState(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    LeaseState state;
    state.id = number((*object)[kId]);
    // timetolive says -1 of a lease that is not there, keepalive says nothing.
    state.ttl = std::chrono::seconds(std::max<std::int64_t>(number((*object)[kTtl]), 0));
    state.granted = std::chrono::seconds(number((*object)[QStringLiteral("grantedTTL")]));
    for (const QJsonValue& key : (*object)[kKeys].toArray())
        state.keys.push_back(bytesOf(key));
    return state;
}

Read<RangeResult> rangeResult(const QByteArray& body) {
    const auto object = parsed(body);
    if (!object) return std::unexpected(object.error());
    return rangeOf(*object);
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
    const QByteArray found = (*object)[QStringLiteral("token")].toString().toLatin1();
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
    const QString message = object[QStringLiteral("message")].toString(object[QStringLiteral("error")].toString());
    const int code = object[QStringLiteral("code")].toInt();
    if (message.isEmpty() && status != 404 && status != 503)
        return errors::garbage(QStringLiteral("HTTP %1").arg(status), where);
    return errors::refused(status, code, message.isEmpty() ? QStringLiteral("HTTP %1").arg(status) : message, where);
}

} // namespace lockscope::etcd::codec
