// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/message.h"

#include "trace/digits.h"
#include "trace/joined.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
using trace::joined;

bool hasChange(const std::vector<etcd::Operation>& steps) {
    return std::ranges::any_of(steps, [](const auto& step) { return step.kind != etcd::Operation::Kind::Read; });
}

void append(QByteArray& text, const etcd::Operation& step) {
    static constexpr std::array<QByteArrayView, 3> kVerbs{"get ", "put ", "delete "};
    text.append(kVerbs[std::size_t(step.kind)]);
    text.append(step.range.key);
}
} // namespace

bool EtcdRequest::writes() const {
    switch (kind) {
    case Kind::Txn:
        return hasChange(txn.then) || hasChange(txn.otherwise);
    case Kind::Put:
    case Kind::DeleteRange:
    case Kind::Grant:
    case Kind::Revoke:
    case Kind::Compact:
        return true;
    default:
        return false;
    }
}

QByteArray EtcdRequest::text() const {
    const auto id = [this] { return trace::digitsOf(std::uint64_t(lease), 16); };
    switch (kind) {
    case Kind::Range:
        return joined({"get ", range.key});
    case Kind::Put:
        return joined({"put ", range.key});
    case Kind::DeleteRange:
        return joined({"delete ", range.key});
    case Kind::Txn: {
        QByteArray text("txn ");
        text.reserve(160);
        for (const etcd::Operation& step : txn.then) {
            if (&step != &txn.then.front()) text.append("; ");
            append(text, step);
        }
        return text;
    }
    case Kind::Grant:
        return "lease grant " + id() + ' ' + QByteArray::number(qint64(seconds));
    case Kind::KeepAlive:
        return "lease keep-alive " + id();
    case Kind::Revoke:
        return "lease revoke " + id();
    case Kind::TimeToLive:
        return "lease timetolive " + id();
    case Kind::Compact:
        return "compact " + QByteArray::number(qint64(revision));
    case Kind::Watch:
        return joined({"watch ", range.key});
    case Kind::CancelWatch:
        break;
    }
    return {};
}

QByteArray EtcdNews::text() const {
    if (events.empty()) return {};
    const etcd::WatchEvent& first = events.front();
    return first.key.key + (first.kind == etcd::WatchEvent::Kind::Deleted ? " deleted" : " put");
}

} // namespace lockscope::sim
