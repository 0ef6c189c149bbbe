// SPDX-License-Identifier: Apache-2.0
#include "ports/endpoint.h"

#include <algorithm>

namespace lockscope {

std::optional<Endpoint> endpointOf(QStringView address) {
    const qsizetype colon = address.lastIndexOf(u':');
    if (colon < 0) return std::nullopt;
    const QStringView digits = address.sliced(colon + 1);
    bool ok = std::ranges::all_of(digits, [](QChar c) { return c >= u'0' && c <= u'9'; });
    const ushort port = ok ? digits.toUShort(&ok) : ushort(0);
    if (!ok) return std::nullopt;
    QStringView host = address.first(colon);
    if (host.startsWith(u'[') && host.endsWith(u']')) host = host.sliced(1).chopped(1);
    return Endpoint{host.toString(), port};
}

} // namespace lockscope
