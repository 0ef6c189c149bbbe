// SPDX-License-Identifier: Apache-2.0
// Replies and commands as a person reads them in a failed test.
#pragma once
#include "ports/redis/reply.h"

namespace lockscope::differential {

inline QByteArray quoted(const QByteArray& text) {
    QByteArray shown = "\"";
    for (const char c : text) {
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\')
            shown += c;
        else
            shown += "\\x" + QByteArray(1, c).toHex();
    }
    return shown + '"';
}

inline QByteArray shown(const redis::Args& args) {
    QByteArray text;
    for (const QByteArray& arg : args)
        text += (text.isEmpty() ? "" : " ") + quoted(arg);
    return text;
}

inline QByteArray shown(const redis::Reply& reply) {
    using Type = redis::Reply::Type;
    switch (reply.type) {
    case Type::Nil:
        return "nil";
    case Type::Status:
        return "+" + reply.text;
    case Type::Error:
        return "-" + reply.text;
    case Type::Integer:
        return ":" + QByteArray::number(qlonglong(reply.integer));
    case Type::Bulk:
        return quoted(reply.text);
    case Type::Array:
        break;
    }
    QByteArray text = "[";
    for (const redis::Reply& item : reply.items)
        text += (text.size() > 1 ? ", " : "") + shown(item);
    return text + "]";
}

} // namespace lockscope::differential
