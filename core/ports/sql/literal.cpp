// SPDX-License-Identifier: Apache-2.0
#include "ports/sql/literal.h"

#include <QStringDecoder>

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

bool validName(const QByteArray& name, qsizetype longest) {
    if (name.isEmpty() || name.size() > longest || name.contains('\0')) return false;
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    [[maybe_unused]] const QString text = decoder(name);
    return !decoder.hasError();
}

} // namespace lockscope::sql
