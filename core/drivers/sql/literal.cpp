// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/literal.h"

namespace lockscope::sql {

QByteArray literal(Dialect dialect, const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return QByteArray::number(qlonglong(*number));
    const auto* text = std::get_if<QByteArray>(&value);
    if (!text) return "NULL";
    if (dialect == Dialect::MySql) return text->isEmpty() ? QByteArray("''") : "x'" + text->toHex() + '\'';
    QByteArray quoted = *text;
    quoted.replace('\'', "''");
    return '\'' + quoted + '\'';
}

QByteArray inlined(Dialect dialect, const Statement& statement) {
    QByteArray out;
    out.reserve(statement.text.size() + 64 * qsizetype(statement.values.size()));
    std::size_t next = 0;
    for (const char c : statement.text) {
        if (c == '?' && next < statement.values.size())
            out += literal(dialect, statement.values[next++]);
        else
            out += c;
    }
    Q_ASSERT(next == statement.values.size());
    return out;
}

QByteArray numbered(const QByteArray& text) {
    QByteArray out;
    out.reserve(text.size() + 16);
    int next = 0;
    for (const char c : text) {
        if (c == '?')
            out += '$' + QByteArray::number(++next);
        else
            out += c;
    }
    return out;
}

} // namespace lockscope::sql
