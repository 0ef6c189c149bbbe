// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <optional>
#include <vector>

namespace lockscope::inspect {

/// Keys that a person says are locks, whatever their value looks like.
struct KeyPattern {
    QByteArray glob;              ///< as in Redis' SCAN MATCH: * ? [a-z] \x
    QByteArray format = "string"; ///< the format to show
    friend bool operator==(const KeyPattern&, const KeyPattern&) = default;
};

/// Redis' glob matching, byte by byte.
bool globMatches(QByteArrayView pattern, QByteArrayView text);

/// The only text that a pattern matches; nullopt: it has a wildcard, and may match several.
std::optional<QByteArray> plainTextOf(QByteArrayView pattern);

/// Names that people give to locks: `lock:*`, `*:lock`, `mutex:*`, …
const std::vector<KeyPattern>& usualLockNames();

} // namespace lockscope::inspect
