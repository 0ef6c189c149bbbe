// SPDX-License-Identifier: Apache-2.0
// The verbs of the port that are about rows and records.
#include "drivers/sql/driver.h"

#include "drivers/sql/pool.h"
#include "drivers/sql/schema.h"
#include "ports/milliseconds.h"
#include "ports/sql/errors.h"

#include <bit>
#include <set>

namespace lockscope::sql {

namespace {

using Kind = Error::Kind;

/// How long a statement for many waits for a row that somebody else has locked: the others have a lease to save.
constexpr Nanos kRowWait = 2s;
std::int64_t wholeMs(Nanos lease) {
    return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(lease).count(), 1);
}

/// Whether the statement changed a row.
Answer<bool> changed(QCoro::Task<Result> asked) {
    const Result done = co_await std::move(asked);
    if (!done) co_return std::unexpected(done.error());
    co_return done->affected > 0;
}

Answer<bool> inserted(QCoro::Task<Result> asked) {
    const Result done = co_await std::move(asked);
    if (done) co_return done->affected == 1;
    // InnoDB lets all who wait for a row that is being deleted share it then, and each wants it alone: a deadlock,
    // which it ends by refusing all but one of them.
    const bool beaten = done.error().kind == Kind::DuplicateKey || done.error().kind == Kind::Deadlock;
    if (!beaten) co_return std::unexpected(done.error());
    co_return false;
}

Answer<Row> rowIn(QCoro::Task<Result> asked) {
    const Result found = co_await std::move(asked);
    if (!found) co_return std::unexpected(found.error());
    Row row;
    if (found->rows.empty()) co_return row;
    row.there = true;
    row.recipe = found->text(0, 0);
    row.owner = found->text(0, 1);
    row.version = found->number(0, 2);
    if (row.owner.isEmpty()) co_return row;
    row.left = timeOfMs(std::max<std::int64_t>(found->number(0, 3), 0));
    if (!found->isNull(0, 4)) row.sinceWallMs = found->number(0, 4);
    co_return row;
}

/// The names, then the owners. Each length is a text of its own for the server to prepare: the last one stands there
/// again until it is one of a few.
Values valuesOfRows(const std::vector<OwnedRow>& rows, std::size_t length, Values values) {
    values.reserve(values.size() + 2 * length);
    for (std::size_t i = 0; i < length; ++i)
        values.emplace_back(rows[std::min(i, rows.size() - 1)].name);
    for (std::size_t i = 0; i < length; ++i)
        values.emplace_back(rows[std::min(i, rows.size() - 1)].owner);
    return values;
}

QByteArray withMarks(QByteArray text, std::size_t length) {
    QByteArray marks = QByteArray("?, ").repeated(qsizetype(length));
    marks.chop(2);
    return text.replace("{marks}", marks);
}

} // namespace

std::optional<Error> SqlDriver::unusable() const {
    if (!m_pool->tables.locks.isEmpty() && !m_pool->tables.versions.isEmpty()) return std::nullopt;
    return Error{Kind::WrongUrl,
                 {},
                 QCoreApplication::translate("LockError",
                                             "“%1” cannot be the name of a table: write letters, digits and "
                                             "underscores, at most 41, after table= in the URL.")
                     .arg(m_pool->tables.name)};
}

QCoro::Task<Result> SqlDriver::ask(const QByteArray& text, Values values, std::stop_token stop, Patience patience) {
    return execute({text, std::move(values)}, std::move(stop), patience);
}

Answer<bool> SqlDriver::insert(RowKey key, QByteArray owner, std::stop_token stop, Patience patience) {
    return inserted(ask(m_pool->statements.insert, valuesOf(key.name, key.recipe, owner), std::move(stop), patience));
}

Answer<void> SqlDriver::makeFree(RowKey key, std::stop_token stop, Patience patience) {
    return success(ask(m_pool->statements.makeFree, valuesOf(key.name, key.recipe), std::move(stop), patience));
}

Answer<Row> SqlDriver::look(QByteArray name, std::stop_token stop, Patience patience) {
    return rowIn(ask(m_pool->statements.look, valuesOf(name), std::move(stop), patience));
}

Answer<std::int64_t> SqlDriver::take(RowKey key, QByteArray owner, Nanos lease, std::stop_token stop,
                                     Patience patience) {
    const Result done =
        co_await ask(m_pool->statements.take, valuesOf(owner, wholeMs(lease), key.name, key.recipe), stop, patience);
    if (!done) co_return std::unexpected(done.error());
    if (done->affected != 1) co_return 0;
    const std::int64_t version = done->rows.empty() ? done->insertId : done->number();
    if (version != 0) co_return version;
    // MariaDB forgets the number when the table has a trigger. The row is ours by now, so nobody changes it meanwhile.
    Result row;
    try {
        row = co_await ask(m_pool->statements.look, valuesOf(key.name), stop);
    } catch (const NothingRan&) {
        throw Cancelled(Cancelled::Why::Stopped); // the UPDATE before it did run
    }
    if (!row) co_return std::unexpected(Error{Kind::Disconnected, row.error().code, row.error().message});
    co_return row->text(0, 1) == owner ? row->number(0, 2) : 0;
}

Answer<bool> SqlDriver::extend(OwnedRow row, Nanos lease, std::stop_token stop, Patience patience) {
    return changed(
        ask(m_pool->statements.extend, valuesOf(wholeMs(lease), row.name, row.owner), std::move(stop), patience));
}

Answer<Extended> SqlDriver::extendAll(std::vector<OwnedRow> rows, Nanos lease) {
    const std::size_t length = std::bit_ceil(rows.size());
    const Patience patience = rows.size() > 1 ? Patience(kRowWait) : std::nullopt;
    const Result done = co_await ask(withMarks(m_pool->statements.extendAll, length),
                                     valuesOfRows(rows, length, valuesOf(wholeMs(lease))), {}, patience);
    if (!done) co_return std::unexpected(done.error());
    Extended held;
    held.each.assign(rows.size(), done->affected > 0);
    if (done->affected == 0 || done->affected >= std::int64_t(rows.size())) co_return held;
    // Some are lost. Owners that are still there were renewed: no owner gets an ended lease back.
    const Result left = co_await ask(withMarks(m_pool->statements.stillOwned, length),
                                     valuesOfRows(rows, length, Values()), {}, patience);
    if (!left) co_return std::unexpected(left.error());
    std::set<std::pair<QByteArray, QByteArray>> ours;
    for (std::size_t row = 0; row < left->rows.size(); ++row)
        ours.emplace(left->text(row, 0), left->text(row, 1));
    for (std::size_t i = 0; i < rows.size(); ++i)
        held.each[i] = ours.contains(std::pair(rows[i].name, rows[i].owner));
    co_return held;
}

Answer<bool> SqlDriver::free(OwnedRow row, std::stop_token stop) {
    return changed(ask(m_pool->statements.free, valuesOf(row.name, row.owner), std::move(stop)));
}

Answer<bool> SqlDriver::takeBack(OwnedRow row, std::stop_token stop, Patience patience) {
    return changed(ask(m_pool->statements.takeBack, valuesOf(row.name, row.owner), std::move(stop), patience));
}

Answer<bool> SqlDriver::freeByForce(RowKey key, std::stop_token stop) {
    return changed(ask(m_pool->statements.freeByForce, valuesOf(key.name, key.recipe), std::move(stop)));
}

Answer<bool> SqlDriver::erase(RowKey key, std::stop_token stop) {
    return changed(ask(m_pool->statements.erase, valuesOf(key.name, key.recipe), std::move(stop)));
}

Answer<bool> SqlDriver::eraseOwned(OwnedRow row, std::stop_token stop) {
    return changed(ask(m_pool->statements.eraseOwned, valuesOf(row.name, row.owner), std::move(stop)));
}

Answer<bool> SqlDriver::compareAndSet(RowKey key, std::int64_t version, QByteArray owner, std::stop_token stop) {
    return changed(
        ask(m_pool->statements.compareAndSet, valuesOf(owner, key.name, key.recipe, version), std::move(stop)));
}

Answer<bool> SqlDriver::raise(RowKey key, std::stop_token stop) {
    return changed(ask(m_pool->statements.raise, valuesOf(key.name, key.recipe), std::move(stop)));
}

Answer<void> SqlDriver::eraseOld(QByteArray recipe, Nanos age) {
    const std::int64_t ms =
        std::chrono::milliseconds(std::chrono::duration_cast<std::chrono::milliseconds>(age)).count();
    const Result found = co_await ask(m_pool->statements.findOld, valuesOf(recipe, ms), {});
    for (std::size_t row = 0; found && row < found->rows.size(); ++row) {
        const Result deleted =
            co_await ask(m_pool->statements.eraseOld, valuesOf(found->text(row), recipe, ms), {}, kRowWait);
        if (!deleted) co_return std::unexpected(deleted.error());
    }
    if (!found) co_return std::unexpected(found.error());
    co_return {};
}

Answer<StoredRecord> SqlDriver::readRecord(QByteArray name, std::stop_token stop) {
    const Result found = co_await ask(m_pool->statements.readRecord, valuesOf(name), stop);
    StoredRecord record;
    if (!found && found.error().kind == Kind::MissingTable) co_return record; // nobody has written one yet
    if (!found) co_return std::unexpected(found.error());
    if (found->rows.empty()) co_return record;
    record.there = true;
    record.value = found->text(0, 0);
    record.version = found->number(0, 1);
    co_return record;
}

Answer<bool> SqlDriver::replaceRecord(QByteArray name, StoredRecord seen, QByteArray value, std::stop_token stop) {
    const QByteArray text = seen.there ? m_pool->statements.updateRecord : m_pool->statements.insertRecord;
    const Values values = seen.there ? valuesOf(value, name, seen.version) : valuesOf(name, value);
    Result done = co_await ask(text, values, stop);
    if (!done && done.error().kind == Kind::MissingTable) {
        const Result made = co_await execute(createRecords(m_pool->tables), stop);
        // Two at once: PostgreSQL lets both try, and tells one that the other's is there already.
        if (!made && made.error().kind != Kind::DuplicateKey) co_return std::unexpected(made.error());
        done = co_await ask(text, values, stop);
    }
    if (!done && done.error().kind == Kind::DuplicateKey) co_return false;
    if (!done) co_return std::unexpected(done.error());
    co_return done->affected == 1;
}

Answer<void> SqlDriver::checkWritable(std::stop_token stop) {
    const Result readOnly = co_await ask(m_pool->statements.readOnly, Values(), stop);
    if (!readOnly) co_return std::unexpected(readOnly.error());
    if (readOnly->number() == 1) co_return std::unexpected(errors::takesNoWrites(m_pool->where()));
    co_return {};
}

Answer<void> SqlDriver::prepare(std::stop_token stop) {
    return success(prepareSchema(*this, m_pool->tables, std::move(stop)));
}

QString SqlDriver::schema() const {
    return m_pool->tables.locks.isEmpty() ? QString() : schemaText(m_pool->tables);
}

} // namespace lockscope::sql
