// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include "trace/bulk_loader.h"
#include "trace/columns.h"
#include "trace/text.h"
#include "trace/trace_digest.h"

#include <QCoreApplication>
#include <algorithm>
#include <cstring>
#include <vector>
#include <xxhash.h>

namespace lockscope::trace {

struct Trace::Chunk : Columns {};

struct Trace::ChunkShelf {
    std::atomic<Chunk*> chunks[kChunksPerShelf] = {};
    ~ChunkShelf() {
        for (const auto& chunk : chunks)
            delete chunk.load();
    }
};

struct Trace::EntityBlock {
    Entity rows[kEntityBlockRows];
};

/// Finds an entity's id from its fields: a table of ids with open addressing, compared against the rows themselves, so
/// that a name is stored once.
struct Trace::Writer {
    std::vector<EntityId> table = std::vector<EntityId>(64, kNoEntity);
    std::size_t nameBytes = 0;

    static std::size_t hash(EntityKind kind, const QByteArray& name, EntityId parent, EntityId other) {
        const std::uint64_t fields = (std::uint64_t(parent) << 32 | other) * 31 + static_cast<std::uint8_t>(kind);
        return XXH3_64bits_withSeed(name.constData(), static_cast<std::size_t>(name.size()), fields);
    }
    void insert(const Trace& trace, EntityId id) {
        const Entity& e = trace.entity(id);
        std::size_t slot = hash(e.kind, e.name, e.parent, e.other) & (table.size() - 1);
        while (table[slot] != kNoEntity)
            slot = (slot + 1) & (table.size() - 1);
        table[slot] = id;
    }
    void grow(const Trace& trace, std::size_t count) {
        if (count * 2 < table.size()) return;
        table.assign(table.size() * 2, kNoEntity);
        for (EntityId id = 1; id < count; ++id)
            insert(trace, id);
    }
};

Trace::Trace() : m_entities(new std::atomic<EntityBlock*>[kMaxEntityBlocks]()), m_writer(std::make_unique<Writer>()) {
    BulkLoader(*this).addEntity({}); // id 0: nobody
}

Trace::~Trace() {
    for (const auto& shelf : m_shelves)
        delete shelf.load();
    for (std::size_t i = 0; i < kMaxEntityBlocks && m_entities[i]; ++i)
        delete m_entities[i].load();
}

const Trace::Chunk& Trace::chunk(std::size_t chunk) const noexcept {
    Q_ASSERT(chunk < kMaxChunks);
    const ChunkShelf* const shelf = m_shelves[chunk / kChunksPerShelf].load(std::memory_order_acquire);
    Q_ASSERT(shelf && shelf->chunks[chunk % kChunksPerShelf].load(std::memory_order_relaxed));
    return *shelf->chunks[chunk % kChunksPerShelf].load(std::memory_order_acquire);
}

Trace::Chunk& Trace::needChunk(std::size_t chunk) {
    Q_ASSERT(chunk < kMaxChunks);
    auto& shelf = m_shelves[chunk / kChunksPerShelf];
    if (!shelf.load(std::memory_order_relaxed))
        shelf.store(std::make_unique<ChunkShelf>().release(), std::memory_order_release);
    auto& slot = shelf.load(std::memory_order_relaxed)->chunks[chunk % kChunksPerShelf];
    if (!slot.load(std::memory_order_relaxed)) slot.store(new Chunk, std::memory_order_release);
    return *slot.load(std::memory_order_relaxed);
}

EntityId Trace::intern(EntityKind kind, const QByteArray& name, EntityId parent, EntityId other) {
    const auto& table = m_writer->table;
    std::size_t slot = Writer::hash(kind, name, parent, other) & (table.size() - 1);
    for (; table[slot] != kNoEntity; slot = (slot + 1) & (table.size() - 1)) {
        const Entity& e = entity(table[slot]);
        if (e.kind == kind && e.parent == parent && e.other == other && e.name == name) return table[slot];
    }
    const std::size_t id = entityCount();
    BulkLoader(*this).addEntity({kind, parent, other, name});
    return entityCount() > id ? static_cast<EntityId>(id) : kNoEntity;
}

void BulkLoader::addEntity(const Entity& entity) {
    const std::size_t id = m_trace.m_entityCount.load(std::memory_order_relaxed);
    const std::size_t block = id / Trace::kEntityBlockRows;
    if (block >= Trace::kMaxEntityBlocks) {
        qWarning("lockscope: the trace is full: four million names. Further ones are left out.");
        return;
    }
    auto& slot = m_trace.m_entities[block];
    if (!slot.load(std::memory_order_relaxed))
        slot.store(std::make_unique<Trace::EntityBlock>().release(), std::memory_order_release);
    Entity& row = slot.load(std::memory_order_relaxed)->rows[id % Trace::kEntityBlockRows];
    row = entity;
    row.name.squeeze();
    m_trace.m_writer->nameBytes += static_cast<std::size_t>(row.name.size());
    m_trace.m_entityCount.store(id + 1, std::memory_order_release);
    if (id == 0) return;
    m_trace.m_writer->grow(m_trace, id);
    m_trace.m_writer->insert(m_trace, static_cast<EntityId>(id));
}

void BulkLoader::append(const Columns& rows, std::size_t count) {
    Q_ASSERT(count <= Columns::kRows);
    std::size_t size = m_trace.m_size.load(std::memory_order_relaxed);
    for (std::size_t done = 0; done < count;) {
        const std::size_t chunk = size / Columns::kRows, offset = size % Columns::kRows;
        if (chunk >= Trace::kMaxChunks) return;
        Columns& to = m_trace.needChunk(chunk);
        const std::size_t n = std::min(count - done, Columns::kRows - offset);
        const auto copy = [&](auto& target, const auto& source) {
            std::memcpy(&target[offset], &source[done], n * sizeof(target[0]));
        };
        copy(to.at, rows.at);
        copy(to.value, rows.value);
        copy(to.actor, rows.actor);
        copy(to.subject, rows.subject);
        copy(to.aux, rows.aux);
        copy(to.kind, rows.kind);
        copy(to.flags, rows.flags);
        size += n;
        done += n;
    }
    if (count == 0) return;
    m_trace.m_size.store(size, std::memory_order_release);
    m_trace.reach(Nanos(rows.at[count - 1]));
}

void BulkLoader::forget(Trace& trace, std::size_t row) {
    Q_ASSERT(row <= trace.size());
    // The last row's chunk stays: the time of the next row is compared with it.
    for (std::size_t number = (std::max<std::size_t>(row, 1) - 1) / Trace::kChunkRows; number-- > 0;) {
        Trace::ChunkShelf& shelf = *trace.m_shelves[number / Trace::kChunksPerShelf].load(std::memory_order_acquire);
        Trace::Chunk* const chunk = shelf.chunks[number % Trace::kChunksPerShelf].exchange(nullptr);
        if (!chunk) return; // all before it are gone
        delete chunk;
    }
}

std::size_t BulkLoader::firstKept(const Trace& trace) {
    const auto isKept = [&trace](std::size_t number) {
        const Trace::ChunkShelf& shelf =
            *trace.m_shelves[number / Trace::kChunksPerShelf].load(std::memory_order_acquire);
        return shelf.chunks[number % Trace::kChunksPerShelf].load(std::memory_order_acquire) != nullptr;
    };
    std::size_t number = 0;
    while (number * Trace::kChunkRows < trace.size() && !isKept(number))
        ++number;
    return number * Trace::kChunkRows;
}

void Trace::append(Event event) {
    const std::size_t i = m_size.load(std::memory_order_relaxed);
    const std::size_t chunk = i / kChunkRows;
    if (chunk >= kMaxChunks) {
        qWarning("lockscope: the trace is full: 268 million rows. Further ones are left out.");
        return;
    }
    if (i > 0) event.at = std::max(event.at, timeAt(i - 1));
    needChunk(chunk).set(i % kChunkRows, event);
    // The row first, then the time: a reader that sees a time reached also sees every row before it.
    m_size.store(i + 1, std::memory_order_release);
    reach(Nanos(event.at));
}

void Trace::reach(Nanos t) {
    if (t.count() > m_reached.load(std::memory_order_relaxed)) m_reached.store(t.count(), std::memory_order_release);
}

Event Trace::at(std::size_t i) const noexcept {
    return chunk(i / kChunkRows).get(i % kChunkRows);
}

std::int64_t Trace::timeAt(std::size_t i) const noexcept {
    return chunk(i / kChunkRows).at[i % kChunkRows];
}

EventKind Trace::kindAt(std::size_t i) const noexcept {
    return static_cast<EventKind>(chunk(i / kChunkRows).kind[i % kChunkRows]);
}

std::size_t Trace::lowerBound(Nanos t) const noexcept {
    std::size_t low = 0, high = size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (timeAt(middle) < t.count())
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::size_t Trace::upperBound(Nanos t) const noexcept {
    return t == Nanos::max() ? size() : lowerBound(t + 1ns);
}

const Entity& Trace::entity(EntityId id) const noexcept {
    // An id from a damaged recording is nobody rather than a crash.
    if (id >= entityCount()) id = kNoEntity;
    return m_entities[id / kEntityBlockRows].load(std::memory_order_acquire)->rows[id % kEntityBlockRows];
}

QString Trace::displayName(EntityId id) const {
    const Entity& e = entity(id);
    // Only one step up, never recursion: a damaged recording may hold entities that are their own parents.
    // A holder whose format names no thread is its client.
    if (e.kind == EntityKind::Thread && e.parent != kNoEntity && e.name.isEmpty())
        return readable(entity(e.parent).name);
    if (e.kind == EntityKind::Thread && e.parent != kNoEntity)
        return readable(entity(e.parent).name) + QStringLiteral(" · ") + readable(e.name);
    if (e.kind == EntityKind::Link)
        return readable(entity(e.parent).name) + QStringLiteral(" ↔ ") + readable(entity(e.other).name);
    if (copyOf(id) != kNoEntity) return readable(e.name) + QStringLiteral(" @ ") + readable(entity(e.parent).name);
    //: A lock whose name is the empty text.
    if (e.kind == EntityKind::Lock && e.name.isEmpty()) return QCoreApplication::translate("LineName", "(empty)");
    return e.kind == EntityKind::Text ? readableSentence(e.name) : readable(e.name);
}

EntityId Trace::copyOf(EntityId lock) const noexcept {
    const Entity& e = entity(lock);
    return e.kind == EntityKind::Lock && entity(e.other).kind == EntityKind::Lock ? e.other : kNoEntity;
}

EntityId Trace::clientOf(EntityId id) const noexcept {
    const Entity& e = entity(id);
    return e.kind == EntityKind::Thread ? e.parent : id;
}

QByteArray Trace::digest(std::size_t rows, std::size_t names) const {
    TraceDigest all;
    for (std::size_t id = 0; id < names; ++id)
        all.add(entity(static_cast<EntityId>(id)));
    for (std::size_t first = 0; first < rows; first += kChunkRows)
        all.add(chunk(first / kChunkRows), std::min(kChunkRows, rows - first));
    return all.hex();
}

std::size_t Trace::memoryBytes() const noexcept {
    // Rows not written yet are not backed by memory, and an entity's name is a heap block with Qt's array header.
    constexpr std::size_t kNameOverhead = 32;
    std::size_t bytes = (size() - BulkLoader::firstKept(*this)) * Columns::kRowBytes;
    const std::size_t names = entityCount();
    for (std::size_t id = 0; id < names; ++id) {
        const auto length = static_cast<std::size_t>(entity(static_cast<EntityId>(id)).name.size());
        bytes += sizeof(Entity) + 4 * sizeof(EntityId) + (length ? length + kNameOverhead : 0);
    }
    return bytes;
}

} // namespace lockscope::trace
