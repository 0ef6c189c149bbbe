// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/formats/named_table.h"

#include "inspect/sql/formats/table_row.h"

#include <QDateTime>
#include <algorithm>

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Name, Owner, Until, Now };

constexpr std::int64_t kLeastMs = 100'000'000'000; // March 1973; as seconds it would be the year 5138
constexpr std::int64_t kMostMs = 1'000'000'000'000'000;

/// A column as the catalogue spells it; empty: the table has none of that name.
QByteArray columnOf(const TableName& there, const QByteArray& wanted) {
    const auto found = std::ranges::find_if(
        there.columns, [&](const QByteArray& column) { return column.toLower() == wanted.toLower(); });
    return found == there.columns.end() ? QByteArray() : *found;
}

bool endsInOffset(const QByteArray& time) {
    return time.endsWith('Z') || time.contains('+') || time.contains('-');
}

} // namespace

bool NamedTable::is(const TableName& there) const {
    const QByteArray wanted = table.toLower();
    return isGiven() && (wanted == there.table.toLower() || wanted == (there.schema + '.' + there.table).toLower());
}

QByteArray NamedTable::missingIn(const TableName& there) const {
    for (const QByteArray& column : {name, owner, until})
        if (!column.isEmpty() && columnOf(there, column).isEmpty()) return column;
    return {};
}

QByteArray queryOf(const NamedTable& named, sql::Language language, const TableName& there, int limit) {
    const auto text = [&](const QByteArray& column) {
        if (column.isEmpty()) return QByteArray("NULL");
        return sqlWords(language).textOf(quoted(language, columnOf(there, column)));
    };
    return selectWithNow(language, there, {text(named.name), text(named.owner), text(named.until)}, limit);
}

std::optional<std::int64_t> instantMs(const QByteArray& text) {
    bool isNumber = false;
    const std::int64_t number = text.trimmed().toLongLong(&isNumber);
    if (isNumber) {
        if (number < 0 || number >= kMostMs) return std::nullopt;
        return number < kLeastMs ? number * 1000 : number;
    }
    QByteArray iso = text.trimmed();
    if (iso.size() > 10 && iso[10] == ' ') iso[10] = 'T';
    if (iso.size() == 10) iso += "T00:00:00";
    if (iso.size() < 19 || iso[10] != 'T') return std::nullopt;
    if (!endsInOffset(iso.sliced(11))) iso += 'Z';
    const QDateTime time = QDateTime::fromString(QString::fromLatin1(iso), Qt::ISODateWithMs);
    if (!time.isValid()) return std::nullopt;
    return time.toMSecsSinceEpoch();
}

std::optional<LockRow> readNamedRow(const NamedTable& named, const sql::Table& answer, std::size_t at,
                                    const QByteArray& place) {
    const auto isNull = [&](Column column) { return !answer.rows.at(at).at(column).has_value(); };
    if (isNull(Name)) return std::nullopt;
    LockRow row;
    row.name = answer.text(at, Name);
    row.format = "table";
    row.certainty = Certainty::Likely; // the table is the user's word, and its times may be in any zone
    row.raw.push_back(rawTableRow(answer, at, place, {named.name, named.owner, named.until}));
    const QByteArray owner = answer.text(at, Owner), until = answer.text(at, Until);
    if (!named.owner.isEmpty() && owner.isEmpty()) return row;
    if (named.until.isEmpty() || until == "infinity") {
        row.state = LockRow::State::Held;
        row.neverExpires = true;
    } else if (isNull(Until)) { // an owner without an end keeps its lock; without an owner nothing says that it is held
        row.state = named.owner.isEmpty() ? LockRow::State::Free : LockRow::State::Held;
        row.neverExpires = row.state == LockRow::State::Held;
    } else if (const auto end = instantMs(until)) {
        heldUntil(row, end, answer.number(at, Now));
    } else {
        row.state = LockRow::State::Held; // until when, nobody knows
        row.certainty = Certainty::Guess;
    }
    if (!owner.isEmpty()) heldBy(row, owner);
    return row;
}

} // namespace lockscope::inspect
