// SPDX-License-Identifier: Apache-2.0
#include "trace/redacted.h"

#include "trace/bulk_loader.h"
#include "trace/connection.h"
#include "trace/possible_cycles.h"
#include "trace/server_told.h"

#include <algorithm>

namespace lockscope::trace {

namespace {

/// Whether the Text of a row is Lockscope's own word, and no one else's.
bool isOwnWord(EventKind kind) {
    switch (kind) {
    case EventKind::NodeRole:
    case EventKind::ServerTold:
    case EventKind::RecordFormat:
    case EventKind::AsksBy:
    case EventKind::FailoverStep:
        return true;
    default:
        return false;
    }
}

/// "lease=3s": a setting of all clients. One of a single party has that as its actor; an engine goes by its server's
/// name, and other texts with blanks in them contain paths.
bool isPlainSetting(const Trace& trace, const Event& event) {
    const QByteArray& text = trace.entity(event.aux).name;
    const QByteArray name = text.left(text.indexOf('='));
    return event.actor == kNoEntity && name != "engine" && !name.contains(' ');
}

/// The word before the number of an alias; nullptr: such entities have no name of their own.
const char* wordFor(EntityKind kind) {
    switch (kind) {
    case EntityKind::Client:
        return "client-";
    case EntityKind::Node:
        return "server-";
    case EntityKind::Lock:
        return "lock-";
    case EntityKind::Resource:
        return "resource-";
    case EntityKind::Person:
        return "person-";
    case EntityKind::Thread: // one with a number is no name
        return "thread-";
    case EntityKind::Text:
        return "connection-";
    default:
        return nullptr;
    }
}

bool isNumber(const QByteArray& name) {
    return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// "redis://" of a URL; empty: it is none.
QByteArray schemeOf(const QByteArray& text) {
    const qsizetype end = text.indexOf("://");
    const auto ofScheme = [](char c) { return (c >= 'a' && c <= 'z') || c == '+'; };
    const bool isUrl = end > 0 && std::all_of(text.begin(), text.begin() + end, ofScheme);
    return isUrl ? text.first(end + 3) : QByteArray();
}

constexpr char kHidden[] = "\xe2\x80\xa6"; // …

} // namespace

RedactedCopy::RedactedCopy(const Trace& of) : m_of(of), m_copy(std::make_shared<Trace>()) {
    m_copy->setOriginWallMs(of.originWallMs());
}

QByteArray RedactedCopy::aliasOf(EntityKind kind, const QByteArray& name) const {
    const auto found = m_aliases.find({kind, name});
    return found == m_aliases.end() ? QByteArray() : found->second;
}

QByteArray RedactedCopy::nameBehind(EntityKind kind, const QByteArray& alias) const {
    const auto found = std::ranges::find_if(
        m_aliases, [&](const auto& each) { return each.first.first == kind && each.second == alias; });
    return found == m_aliases.end() ? QByteArray() : found->first.second;
}

const QByteArray& RedactedCopy::alias(EntityKind kind, const QByteArray& name) {
    QByteArray& known = m_aliases[{kind, name}];
    if (known.isEmpty()) known = wordFor(kind) + QByteArray::number(++m_counts[kind]);
    return known;
}

Entity RedactedCopy::redacted(EntityId id) {
    Entity entity = m_of.entity(id);
    switch (entity.kind) {
    case EntityKind::Text:
        if (isConnection(m_of, id))
            entity.name = alias(entity.kind, entity.name);
        else if (tellsOfMember(entity.name))
            entity.name = entity.name.left(entity.name.indexOf('=') + 1) + kHidden;
        else if (!m_own[id])
            entity.name = schemeOf(entity.name) + kHidden;
        break;
    case EntityKind::Thread:
        // The short number of a thread within a process tells nothing; a long one may be looked for elsewhere.
        if (!isNumber(entity.name) || isProcessOfItsOwn(entity.name)) entity.name = alias(entity.kind, entity.name);
        break;
    default:
        if (wordFor(entity.kind)) entity.name = alias(entity.kind, entity.name);
        break;
    }
    return entity;
}

void RedactedCopy::keepOwnWords(std::size_t from, std::size_t to, std::size_t names) {
    m_own.resize(names, false);
    for (std::size_t i = from; i < to; ++i) {
        const Event event = m_of.at(i);
        if (event.aux >= names) continue;
        const bool setting = event.kind == EventKind::SettingChanged && isPlainSetting(m_of, event);
        if (isOwnWord(event.kind) || setting) m_own[event.aux] = true;
    }
    for (std::size_t id = std::max<std::size_t>(m_copy->entityCount(), 1); id < names; ++id) {
        const Entity& entity = m_of.entity(EntityId(id));
        const bool hasFormat = entity.kind == EntityKind::Lock && entity.other < names;
        if (hasFormat && m_of.entity(entity.other).kind == EntityKind::Text) m_own[entity.other] = true;
    }
}

void RedactedCopy::takeNames(std::size_t upTo) {
    BulkLoader loader(*m_copy);
    for (std::size_t id = m_copy->entityCount(); id < upTo; ++id)
        loader.addEntity(redacted(EntityId(id)));
}

bool RedactedCopy::advance(std::size_t mostRows) {
    const Nanos reached = m_of.reached(); // before the rows: none of them is later than this when it is told
    const std::size_t rows = m_of.size(), from = m_copy->size(), to = rows - from > mostRows ? from + mostRows : rows;
    const std::size_t names = m_of.entityCount();
    keepOwnWords(from, to, names);
    // A Text whose row has not come yet would be hidden for good, although it may be one of our own words. So names are
    // taken as rows need them; that some numbers are no ids only takes a few too early.
    std::size_t needed = m_copy->entityCount();
    for (std::size_t i = from; i < to; ++i) {
        const Event event = m_of.at(i);
        for (const EntityId id : {event.actor, event.subject, EntityId(event.aux)})
            if (id < names) needed = std::max<std::size_t>(needed, id + 1);
    }
    takeNames(needed);
    for (std::size_t i = from; i < to; ++i)
        m_copy->append(m_of.at(i));
    if (to == rows) m_copy->reach(reached);
    return to == rows;
}

void RedactedCopy::finish() {
    while (!advance(m_of.size())) {
    }
    keepOwnWords(m_copy->size(), m_copy->size(), m_of.entityCount());
    takeNames(m_of.entityCount());
}

std::shared_ptr<const Trace> redacted(const Trace& trace) {
    RedactedCopy copy(trace);
    copy.finish();
    return copy.trace();
}

} // namespace lockscope::trace
