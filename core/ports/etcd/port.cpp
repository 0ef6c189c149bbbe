// SPDX-License-Identifier: Apache-2.0
#include "ports/etcd/port.h"

namespace lockscope::etcd {

Operation Operation::put(QByteArray key, QByteArray value, std::int64_t lease) {
    Operation operation;
    operation.kind = Kind::Put;
    operation.range.key = std::move(key);
    operation.value = std::move(value);
    operation.lease = lease;
    return operation;
}

Operation Operation::remove(QByteArray key) {
    Operation operation;
    operation.kind = Kind::Delete;
    operation.range.key = std::move(key);
    return operation;
}

Result<std::vector<RangeResult>> Reader::ranges(std::vector<Range> ranges, std::stop_token stop) {
    Q_ASSERT(!ranges.empty() && ranges.size() <= kMostTogether);
    std::vector<RangeResult> results;
    for (Range& each : ranges) {
        auto one = co_await range(std::move(each), stop);
        if (!one) co_return std::unexpected(one.error());
        results.push_back(*std::move(one));
    }
    co_return results;
}

Result<OwnedWatch> Reader::watchRange(QByteArray /*key*/, QByteArray /*end*/, std::stop_token /*stop*/) {
    co_return std::unexpected(Error{Error::Kind::Refused, 0, QStringLiteral("no watches over ranges")});
}

Result<MemberList> Reader::members(std::stop_token /*stop*/) {
    co_return std::unexpected(Error{Error::Kind::Refused, 0, QStringLiteral("no members")});
}

QByteArray endOfPrefix(const QByteArray& prefix) {
    QByteArray end = prefix;
    while (!end.isEmpty()) {
        const auto last = static_cast<unsigned char>(end.back());
        if (last < 0xff) {
            end.back() = static_cast<char>(last + 1);
            return end;
        }
        end.chop(1);
    }
    return QByteArray(1, '\0'); // etcd's word for "to the end of all keys"
}

} // namespace lockscope::etcd
