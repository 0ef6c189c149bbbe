// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::scenario {

/// Whether servers of that kind tell clients something without being asked: published messages, events of watches. A
/// memcached and a database only answer.
inline bool sendsMessages(const QString& serverKind) {
    return serverKind != QLatin1String("memcached") && serverKind != QLatin1String("sql");
}

} // namespace lockscope::scenario
