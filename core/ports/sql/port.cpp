// SPDX-License-Identifier: Apache-2.0
#include "ports/sql/port.h"

#include "ports/sql/reader.h"

#include <QStringDecoder>

namespace lockscope::sql {

bool validName(const QByteArray& name, qsizetype longest) {
    if (name.isEmpty() || name.size() > longest || name.contains('\0')) return false;
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    [[maybe_unused]] const QString text = decoder(name);
    return !decoder.hasError();
}

Answer<Table> Reader::ask(QByteArray query, std::stop_token stop) {
    return select(std::move(query), std::vector<QByteArray>(), std::move(stop));
}

Answer<Table> Reader::askAbout(QByteArray query, QByteArray value, std::stop_token stop) {
    std::vector<QByteArray> values;
    values.push_back(std::move(value));
    return select(std::move(query), std::move(values), std::move(stop));
}

QByteArray Table::text(std::size_t row, std::size_t column) const {
    return rows.at(row).at(column).value_or(QByteArray());
}

std::optional<std::int64_t> Table::number(std::size_t row, std::size_t column) const {
    const auto& cell = rows.at(row).at(column);
    bool ok = false;
    const qlonglong value = cell ? cell->toLongLong(&ok) : 0;
    return ok ? std::optional<std::int64_t>(value) : std::nullopt;
}

} // namespace lockscope::sql
