// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <optional>

namespace lockscope::trace {

// The Text of a ServerTold row is "name=value". These are the names.

/// The policy by which the server drops keys when its memory is full; empty: it does not.
inline constexpr QByteArrayView kMayEvict = "may-evict";
/// How far apart two looks at the server are at most, as formatDuration() writes it; 0: it tells of each change by
/// itself.
inline constexpr QByteArrayView kLooksApart = "looks-apart";

/// The Text that tells it.
QByteArray serverTold(QByteArrayView name, const QByteArray& value);
/// The value in such a Text; nullopt: it tells of something else.
std::optional<QByteArray> toldValue(const QByteArray& text, QByteArrayView name);
/// The value of kLooksApart; nullopt: the Text tells of something else.
std::optional<Nanos> looksApartIn(const QByteArray& text);

} // namespace lockscope::trace
