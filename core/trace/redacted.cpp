// SPDX-License-Identifier: Apache-2.0
#include "trace/redacted.h"

#include "trace/bulk_loader.h"

#include <map>
#include <vector>

namespace lockscope::trace {

namespace {

/// Whether the Text of a row is Lockscope's own word, and no one else's.
bool isOwnWord(EventKind kind) {
    switch (kind) {
    case EventKind::NodeRole:
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
    default:
        return nullptr;
    }
}

} // namespace

std::shared_ptr<const Trace> redacted(const Trace& trace) {
    const std::size_t rows = trace.size(), names = trace.entityCount();
    std::vector<bool> kept(names, false);
    for (std::size_t i = 0; i < rows; ++i) {
        const Event event = trace.at(i);
        if (event.aux >= names) continue;
        const bool setting = event.kind == EventKind::SettingChanged && isPlainSetting(trace, event);
        if (isOwnWord(event.kind) || setting) kept[event.aux] = true;
    }
    for (std::size_t id = 1; id < names; ++id) {
        const Entity& entity = trace.entity(EntityId(id));
        if (entity.kind == EntityKind::Lock && entity.other < names) kept[entity.other] = true; // its format
    }
    auto copy = std::make_shared<Trace>();
    copy->setOriginWallMs(trace.originWallMs());
    {
        BulkLoader loader(*copy);
        std::map<std::pair<EntityKind, QByteArray>, QByteArray> known;
        std::map<EntityKind, int> counts;
        for (std::size_t id = copy->entityCount(); id < names; ++id) {
            Entity entity = trace.entity(EntityId(id));
            if (const char* const word = wordFor(entity.kind)) {
                QByteArray& name = known[{entity.kind, entity.name}];
                if (name.isEmpty()) name = word + QByteArray::number(++counts[entity.kind]);
                entity.name = name;
            } else if (entity.kind == EntityKind::Text && !kept[id]) {
                entity.name = "\xe2\x80\xa6";
            }
            loader.addEntity(entity);
        }
    }
    for (std::size_t i = 0; i < rows; ++i)
        copy->append(trace.at(i));
    copy->reach(trace.reached());
    return copy;
}

} // namespace lockscope::trace
