// SPDX-License-Identifier: Apache-2.0
#include "trace/chunk_codec.h"

#include <QtEndian>
#include <algorithm>
#include <xxhash.h>

namespace lockscope::trace {

namespace {

/// Writes one column.
class Packer {
public:
    explicit Packer(std::size_t rows) { m_bytes.reserve(static_cast<qsizetype>(rows) * 4); }
    void put(std::uint64_t n) {
        m_zero &= n == 0;
        for (; n >= 0x80; n >>= 7)
            m_bytes.append(static_cast<char>(n | 0x80));
        m_bytes.append(static_cast<char>(n));
    }
    void putSigned(std::int64_t n) { put((static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63)); }
    QByteArray take() { return m_zero ? QByteArray() : m_bytes; }

private:
    QByteArray m_bytes;
    bool m_zero = true;
};

/// Reads one column; stays inside it whatever it holds.
class Unpacker {
public:
    explicit Unpacker(const QByteArray& bytes)
        : m_at(reinterpret_cast<const std::uint8_t*>(bytes.constData())),
          m_end(m_at + bytes.size()),
          m_zero(bytes.isEmpty()) {}
    std::uint64_t get() {
        if (m_zero) return 0;
        std::uint64_t n = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (m_at == m_end) break;
            const std::uint8_t byte = *m_at++;
            n |= std::uint64_t(byte & 0x7f) << shift;
            if (byte < 0x80) return n;
        }
        m_good = false;
        return 0;
    }
    std::int64_t getSigned() {
        const std::uint64_t n = get();
        return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
    }
    std::uint32_t get32() {
        const std::uint64_t n = get();
        m_good &= n <= UINT32_MAX;
        return static_cast<std::uint32_t>(n);
    }
    /// Everything was read, and nothing was wrong.
    bool good() const { return m_good && m_at == m_end; }

private:
    const std::uint8_t* m_at;
    const std::uint8_t* m_end;
    bool m_zero, m_good = true;
};

std::int64_t checkOf(const EncodedChunk& c) {
    std::uint64_t hash = c.rows;
    const auto add = [&](const void* data, std::size_t size) { hash = XXH3_64bits_withSeed(data, size, hash); };
    const std::int64_t firstAt = qToLittleEndian(c.firstAt);
    add(&firstAt, sizeof firstAt);
    for (const QByteArray* column : {&c.at, &c.value, &c.actor, &c.subject, &c.aux, &c.kind, &c.flags})
        add(column->constData(), static_cast<std::size_t>(column->size()));
    return static_cast<std::int64_t>(hash);
}

} // namespace

EncodedChunk encodeChunk(const Trace& trace, std::size_t first, std::size_t count) {
    EncodedChunk chunk;
    chunk.rows = count;
    Packer at(count), value(count), actor(count), subject(count), aux(count), kind(count), flags(count);
    std::int64_t last = chunk.firstAt = count ? trace.timeAt(first) : 0;
    for (std::size_t i = first; i < first + count; ++i) {
        const Event e = trace.at(i);
        at.put(static_cast<std::uint64_t>(e.at - last));
        last = e.at;
        value.putSigned(e.value);
        actor.put(e.actor);
        subject.put(e.subject);
        aux.put(e.aux);
        kind.put(static_cast<std::uint8_t>(e.kind));
        flags.put(e.flags);
    }
    chunk.at = at.take();
    chunk.value = value.take();
    chunk.actor = actor.take();
    chunk.subject = subject.take();
    chunk.aux = aux.take();
    chunk.kind = kind.take();
    chunk.flags = flags.take();
    chunk.check = checkOf(chunk);
    return chunk;
}

namespace {

/// Whether nobody who reckons with a row's value leaves the range of its type. Instants and times that are none are -1
/// (never, no bound, lost) or -2 (not known).
bool isInRange(EventKind kind, std::int64_t value) {
    using enum EventKind;
    switch (kind) {
    case BelievedUntil:
    case Requested:
    case TimedOut:
    case ReplicationLag:
    case RecordHolders:
    case RecordPermits:
    case RecordDecider:
        return value >= -1;
    case RecordQueued:
    case SessionChanged:
    case RecordRenewalMissed:
    case RecordRenewalsStopped:
    case ConnectionLost:
        return value >= 0;
    case NodeDoubted:
        return value >= 0 && value <= std::int64_t(Doubt::Agreed);
    case FailoverStep:
        return value >= 0 && value < kFailoverPhases;
    case RecordHolder:
    case RecordHeld:
    case RecordRenewed:
    case RecordDeadline:
    case LinkDelayed:
    case Request:
    case Reply:
    case Push:
    case PeerMessage:
        return value >= -2;
    case RecordCertainty:
        return value >= std::int64_t(Certainty::Certain) && value <= std::int64_t(Certainty::Guess);
    case ClockJumped:
    case RecordSince:
        return std::abs(value / 2) <= kLatestEvent / 2;
    default:
        return true;
    }
}

} // namespace

bool decodeChunk(const EncodedChunk& chunk, Columns& rows, std::size_t entities, std::int64_t notBefore) {
    if (chunk.rows > Columns::kRows || chunk.check != checkOf(chunk)) return false;
    Unpacker at(chunk.at), value(chunk.value), actor(chunk.actor), subject(chunk.subject), aux(chunk.aux),
        kind(chunk.kind), flags(chunk.flags);
    bool good = chunk.rows == 0 || (chunk.firstAt >= std::max<std::int64_t>(notBefore, 0));
    std::uint64_t time = static_cast<std::uint64_t>(chunk.firstAt);
    for (std::size_t i = 0; i < chunk.rows; ++i) {
        const std::uint64_t step = at.get();
        good &= step <= std::uint64_t(kLatestEvent) && time + step <= std::uint64_t(kLatestEvent);
        time += step;
        rows.at[i] = static_cast<std::int64_t>(time);
        rows.value[i] = value.getSigned();
        rows.actor[i] = actor.get32();
        rows.subject[i] = subject.get32();
        good &= rows.actor[i] < entities && rows.subject[i] < entities;
        rows.aux[i] = aux.get32();
        rows.kind[i] = static_cast<std::uint8_t>(kind.get());
        rows.flags[i] = static_cast<std::uint8_t>(flags.get());
        const auto event = static_cast<EventKind>(rows.kind[i]);
        good &= (!auxIsEntity(event) || rows.aux[i] < entities) && isInRange(event, rows.value[i]);
    }
    return good && at.good() && value.good() && actor.good() && subject.good() && aux.good() && kind.good() &&
           flags.good();
}

} // namespace lockscope::trace
