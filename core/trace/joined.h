// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QByteArrayView>
#include <cstring>
#include <initializer_list>

namespace lockscope::trace {

/// The parts one behind the other. Adding them up with `+` asks the heap for each: a simulation makes such texts and
/// paths for every message.
inline QByteArray joined(std::initializer_list<QByteArrayView> parts) {
    qsizetype size = 0;
    for (const QByteArrayView part : parts)
        size += part.size();
    QByteArray whole(size, Qt::Uninitialized);
    char* to = whole.data();
    for (const QByteArrayView part : parts) {
        if (!part.isEmpty()) std::memcpy(to, part.data(), std::size_t(part.size()));
        to += part.size();
    }
    return whole;
}

} // namespace lockscope::trace
