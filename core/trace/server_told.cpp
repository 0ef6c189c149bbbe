// SPDX-License-Identifier: Apache-2.0
#include "trace/server_told.h"

#include "trace/duration.h"

namespace lockscope::trace {

QByteArray serverTold(QByteArrayView name, const QByteArray& value) {
    return name.toByteArray() + '=' + value;
}

std::optional<QByteArray> toldValue(const QByteArray& text, QByteArrayView name) {
    if (text.size() <= name.size() || !text.startsWith(name) || text[name.size()] != '=') return std::nullopt;
    return text.mid(name.size() + 1);
}

bool tellsOfMember(const QByteArray& text) {
    return toldValue(text, kMemberAway) || toldValue(text, kMemberBack) || toldValue(text, kMemberLeads);
}

std::optional<Nanos> looksApartIn(const QByteArray& text) {
    const auto value = toldValue(text, kLooksApart);
    return value ? parseDuration(QString::fromUtf8(*value)) : std::nullopt;
}

} // namespace lockscope::trace
