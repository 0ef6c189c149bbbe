// SPDX-License-Identifier: Apache-2.0
#include "trace/server_told.h"

#include "trace/duration.h"

#include <algorithm>
#include <array>

namespace lockscope::trace {

QByteArray serverTold(QByteArrayView name, const QByteArray& value) {
    return name.toByteArray() + '=' + value;
}

std::optional<QByteArray> toldValue(const QByteArray& text, QByteArrayView name) {
    if (text.size() <= name.size() || !text.startsWith(name) || text[name.size()] != '=') return std::nullopt;
    return text.mid(name.size() + 1);
}

bool tellsOfMember(const QByteArray& text) {
    return std::ranges::any_of(
        std::array{kMemberAway, kMemberBack, kMemberLeads, kTookOver, kMemberRestarted, kMemberEmptied, kSlotsMoved},
        [&text](QByteArrayView name) { return toldValue(text, name).has_value(); });
}

std::optional<Nanos> looksApartIn(const QByteArray& text) {
    const auto value = toldValue(text, kLooksApart);
    return value ? parseDuration(QString::fromUtf8(*value)) : std::nullopt;
}

} // namespace lockscope::trace
