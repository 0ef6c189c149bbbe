// SPDX-License-Identifier: Apache-2.0
#include "recording_mutator.h"

#include "trace/bulk_loader.h"
#include "trace/recording.h"

#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>

namespace lockscope::fuzz {

namespace {

using namespace trace;

/// A value of SQL, of any type.
QByteArray sqlValue(Chance& chance) {
    switch (chance.below(8)) {
    case 0:
        return "NULL";
    case 1:
        return "'text'";
    case 2:
        return "x'ff00'";
    case 3:
        return "''";
    default: {
        const QByteArray number = edgeNumber(chance);
        return number.isEmpty() || number.startsWith('+') ? QByteArray("0") : number;
    }
    }
}

QByteArray statement(Chance& chance) {
    const std::vector<QByteArray> cells{"parent", "other", "kind", "name", "id"};
    const std::vector<QByteArray> columns{"at",    "value", "actor",    "subject", "aux", "kind",
                                          "flags", "rows",  "first_ns", "hash",    "id"};
    const std::vector<QByteArray> keys{"scenario",       "seed",   "recipe",   "origin", "progress_bound_ns",
                                       "origin_wall_ms", "digest", "finished", "rows",   "reached_ns"};
    const std::vector<QByteArray> tables{"meta", "entities", "chunks", "violations"};
    const QByteArray someEntity = " WHERE id = " + QByteArray::number(qulonglong(chance.below(40)));
    switch (chance.below(8)) {
    case 0: // a name beyond all others
        return "UPDATE entities SET " + QByteArray(chance.oneIn(2) ? "parent" : "other") + " = " + edgeNumber(chance) +
               someEntity;
    case 1:
    case 2:
        return "UPDATE OR REPLACE entities SET " + chance.of(cells) + " = " + sqlValue(chance) + someEntity;
    case 3:
        return "UPDATE OR REPLACE chunks SET " + chance.of(columns) + " = " + sqlValue(chance);
    case 4:
    case 5:
        return "UPDATE meta SET value = " + sqlValue(chance) + " WHERE key = '" + chance.of(keys) + "'";
    case 6:
        return "DELETE FROM entities" + someEntity;
    default:
        return chance.oneIn(4) ? "DROP TABLE " + chance.of(tables)
                               : "PRAGMA " + QByteArray(chance.oneIn(2) ? "user_version" : "application_id") + " = " +
                                     QByteArray::number(qulonglong(chance.below(4)));
    }
}

/// Whether changed events stay such as a reader takes: of a recording with one that it does not take, nothing is seen
/// from there on.
enum class Values : std::uint8_t { Taken, Any };

std::uint32_t someId(std::size_t below, Values values, Chance& chance) {
    if (values == Values::Any && chance.oneIn(4)) return edgeNumber(chance).toUInt();
    return std::uint32_t(chance.below(below));
}

std::int64_t someValue(Values values, Chance& chance) {
    const std::int64_t value = edgeNumber(chance).toLongLong();
    return values == Values::Any ? value : std::max<std::int64_t>(value, -1) / 4;
}

Event changed(Event event, std::size_t entities, Values values, Chance& chance) {
    switch (chance.below(6)) {
    case 0:
        event.kind = EventKind(chance.below(values == Values::Any ? 256 : 134));
        event.aux = std::min(event.aux, std::uint32_t(entities - 1));
        event.value = std::max<std::int64_t>(event.value, -1);
        break;
    case 1: // rows themselves name only what there is, or the file is refused
        event.actor = EntityId(chance.below(entities));
        break;
    case 2:
        event.subject = EntityId(chance.below(entities));
        break;
    case 3:
        event.aux = someId(entities, values, chance);
        break;
    case 4:
        event.value = someValue(values, chance);
        break;
    default:
        event.flags = std::uint8_t(chance.below(256));
        break;
    }
    return event;
}

} // namespace

QByteArray contentOf(const QString& file) {
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

bool putInto(const QString& file, const QByteArray& bytes) {
    QFile out(file);
    return out.open(QIODevice::WriteOnly | QIODevice::Truncate) && out.write(bytes) == bytes.size();
}

QByteArray RecordingMutator::mutate(const QByteArray& recording, std::span<const QByteArray> others,
                                    Chance& chance) const {
    QByteArray changed;
    switch (chance.below(5)) {
    case 0:
        break;
    case 1:
    case 2: {
        QByteArrayList statements;
        for (std::size_t changes = 1 + chance.below(4); changes > 0; --changes)
            statements += statement(chance);
        changed = after(recording, statements);
        break;
    }
    default:
        changed = withOtherEvents(recording, chance);
        break;
    }
    return changed.isEmpty() ? m_bytes.mutate(recording, others, chance) : changed;
}

QByteArray RecordingMutator::after(const QByteArray& recording, const QByteArrayList& statements) const {
    if (!putInto(m_file, recording)) return {};
    const QString connection = QStringLiteral("fuzz-mutator");
    {
        QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
        db.setDatabaseName(m_file);
        if (db.open()) {
            QSqlQuery query(db);
            query.exec(QStringLiteral("PRAGMA journal_mode = OFF"));
            query.exec(QStringLiteral("PRAGMA synchronous = OFF"));
            for (const QByteArray& statement : statements)
                query.exec(QString::fromLatin1(statement));
        }
    }
    QSqlDatabase::removeDatabase(connection);
    return contentOf(m_file);
}

QByteArray RecordingMutator::withOtherEvents(const QByteArray& recording, Chance& chance) const {
    if (!putInto(m_file, recording)) return {};
    const auto loaded = loadRecording(m_file);
    if (!loaded || loaded->trace->size() == 0) return {};
    const Trace& old = *loaded->trace;
    const std::size_t entities = old.entityCount();
    const Values values = chance.oneIn(8) ? Values::Any : Values::Taken;
    const auto fresh = std::make_shared<Trace>();
    {
        BulkLoader loader(*fresh);
        const bool names = chance.oneIn(3);
        // An entity names only earlier ones, or the file is refused.
        const auto earlier = [&](std::size_t id) { return someId(id, values, chance); };
        for (std::size_t id = fresh->entityCount(); id < entities; ++id) {
            Entity entity = old.entity(EntityId(id));
            if (names && chance.oneIn(8)) entity.kind = EntityKind(chance.below(chance.oneIn(8) ? 256 : 9));
            if (names && chance.oneIn(8)) entity.parent = earlier(id);
            if (names && chance.oneIn(8)) entity.other = earlier(id);
            if (names && chance.oneIn(16)) entity.name = QByteArray("<b>\0\xff,\"\n", 8);
            loader.addEntity(entity);
        }
    }
    const std::size_t rare = std::size_t(1) << chance.below(9); // one event in so many is another one
    const bool jumps = chance.oneIn(4);
    Nanos late{};
    for (std::size_t i = 0; i < old.size(); ++i) {
        Event event = old.at(i);
        if (chance.oneIn(rare * 4)) continue;
        if (chance.oneIn(rare)) event = changed(event, entities, values, chance);
        if (jumps && chance.oneIn(200)) late += Nanos(std::int64_t(chance.next() >> (24 + chance.below(38))));
        constexpr Nanos kYear = 24h * 365;
        if (late > kYear) break;
        event.at += late.count();
        fresh->append(event);
        if (chance.oneIn(rare * 4)) fresh->append(event);
    }
    fresh->reach(fresh->size() ? Nanos(fresh->timeAt(fresh->size() - 1)) : 0ns);
    QFile::remove(m_file);
    if (!saveRecording(m_file, fresh, loaded->meta)) return {};
    return contentOf(m_file);
}

} // namespace lockscope::fuzz
