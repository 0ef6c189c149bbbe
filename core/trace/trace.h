// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <QString>
#include <atomic>
#include <memory>

namespace lockscope::trace {

/// The ordered, append-only history of everything that happened in a world.
///
/// One thread writes (append, intern, reach). Any number of threads read at the same time without a lock: rows live in
/// chunks that never move, and one release store of the size publishes a row. A reader sees a prefix.
class Trace {
public:
    static constexpr std::size_t kChunkRows = 4096;

    Trace();
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    // --- writer ---

    /// The id of the entity with these fields; adds it if it is new. Equal orders of calls give equal ids.
    EntityId intern(EntityKind kind, const QByteArray& name, EntityId parent = kNoEntity, EntityId other = kNoEntity);
    EntityId text(const QByteArray& utf8) { return intern(EntityKind::Text, utf8); }

    /// Adds a row. Precondition: event.at >= the last row's. An earlier one is raised to the last row's time, so a
    /// trace is ordered whatever a clock did.
    void append(Event event);

    /// Time has advanced to `t`, even if nothing happened. Never goes back.
    void reach(Nanos t);

    /// The wall-clock instant of the trace's origin in ms since 1970, 0 in simulations.
    void setOriginWallMs(std::int64_t ms) { m_originWallMs.store(ms, std::memory_order_relaxed); }

    // --- readers, any thread ---

    /// The value set by setOriginWallMs(); 0 before.
    std::int64_t originWallMs() const { return m_originWallMs.load(std::memory_order_relaxed); }
    /// Whether it tells of servers that ran, which are only looked at now and then. Simulations have no wall clock.
    bool ofRealServers() const { return originWallMs() != 0; }
    std::size_t size() const noexcept { return m_size.load(std::memory_order_acquire); }
    /// Row i < size().
    Event at(std::size_t i) const noexcept;
    std::int64_t timeAt(std::size_t i) const noexcept;
    EventKind kindAt(std::size_t i) const noexcept;
    /// How far time has advanced: at least the last row's time.
    Nanos reached() const noexcept { return Nanos(m_reached.load(std::memory_order_acquire)); }
    /// Index of the first row at or after t, size() when there is none. O(log n).
    std::size_t lowerBound(Nanos t) const noexcept;
    /// Index of the first row after t. O(log n).
    std::size_t upperBound(Nanos t) const noexcept;

    /// The number of entities, the nameless one included.
    std::size_t entityCount() const noexcept { return m_entityCount.load(std::memory_order_acquire); }
    /// Row id < entityCount(); id 0 is a nameless row.
    const Entity& entity(EntityId id) const noexcept;
    /// A name for display: "A · 1" for a thread, "A ↔ redis-1" for a link, "orders @ redis-1" for one server's copy of
    /// a lock, else the entity's name.
    QString displayName(EntityId id) const;
    /// The client of a thread, or id itself when it is not a thread.
    EntityId clientOf(EntityId id) const noexcept;

    /// The logical lock that this Lock is one server's copy of; kNoEntity when it is none.
    EntityId copyOf(EntityId lock) const noexcept;

    /// 32 hex digits over all rows and entities (XXH3-128): equal for equal traces on every machine and build.
    QByteArray digest() const { return digest(size(), entityCount()); }
    /// The digest of the first rows and entities only, for a growing trace. At most size() and entityCount().
    QByteArray digest(std::size_t rows, std::size_t names) const;

    /// Bytes used by rows and entities.
    std::size_t memoryBytes() const noexcept;

private:
    struct Chunk;
    struct ChunkShelf;
    struct EntityBlock;
    static constexpr std::size_t kChunksPerShelf = 1024;
    static constexpr std::size_t kShelves = 64;
    static constexpr std::size_t kMaxChunks = kShelves * kChunksPerShelf; // 268 million rows
    static constexpr std::size_t kEntityBlockRows = 1024;
    static constexpr std::size_t kMaxEntityBlocks = 1u << 12; // 4 million names

    /// Precondition: row chunk * kChunkRows exists.
    const Chunk& chunk(std::size_t chunk) const noexcept;
    /// Made if missing. Writer only. Precondition: chunk < kMaxChunks.
    Chunk& needChunk(std::size_t chunk);

    // Two levels, because a flat table of all chunks would be half a megabyte to clear for each trace.
    std::atomic<ChunkShelf*> m_shelves[kShelves] = {};
    std::unique_ptr<std::atomic<EntityBlock*>[]> m_entities;
    std::atomic<std::size_t> m_size{0};
    std::atomic<std::size_t> m_entityCount{0};
    std::atomic<std::int64_t> m_reached{0};
    std::atomic<std::int64_t> m_originWallMs{0};
    struct Writer; // the intern index: touched by the writing thread only
    std::unique_ptr<Writer> m_writer;

    friend class BulkLoader; // recordings fill whole chunks at a time
};

} // namespace lockscope::trace
