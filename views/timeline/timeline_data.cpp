// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_data.h"

#include "timeline/lane_fold.h"

namespace lockscope::views {

TimelineData::TimelineData(std::shared_ptr<const trace::Trace> trace)
    : m_trace(std::move(trace)),
      m_fold(std::make_unique<LaneFold>(*this)),
      m_clocks(*m_trace,
               [this](trace::EntityId party, trace::EntityId client) -> Lane& {
                   return addLane(LaneKind::Clock, party, client, trace::kNoEntity);
               }),
      m_sessions([this](trace::EntityId client) -> Lane& {
          return addLane(LaneKind::Session, client, client, trace::kNoEntity);
      }) {
}

TimelineData::~TimelineData() = default;

void TimelineData::consume(std::size_t upTo) {
    const std::size_t end = std::min(upTo, m_trace->size());
    m_fold->takeEntities();
    for (; m_rows < end; ++m_rows) {
        const trace::Event event = m_trace->at(m_rows);
        m_fold->apply(event, std::uint32_t(m_rows));
        m_clocks.apply(event, std::uint32_t(m_rows));
        m_sessions.apply(event, std::uint32_t(m_rows));
    }
}

const Lane* TimelineData::recordOf(trace::EntityId lock) const {
    const auto found = m_records.find(lock);
    return found == m_records.end() ? nullptr : found->second;
}

std::int64_t TimelineData::now() const {
    if (m_rows == m_trace->size()) return m_trace->reached().count();
    return m_rows > 0 ? m_trace->timeAt(m_rows - 1) : 0;
}

Lane& TimelineData::addLane(LaneKind kind, trace::EntityId entity, trace::EntityId client, trace::EntityId other) {
    auto lane = std::make_unique<Lane>();
    lane->kind = kind;
    lane->entity = entity;
    lane->client = client;
    lane->other = other;
    m_believes = m_believes || kind == LaneKind::Belief;
    if (kind == LaneKind::Record) m_records.emplace(entity, lane.get());
    m_lanes.push_back(std::move(lane));
    ++m_layoutVersion;
    return *m_lanes.back();
}

std::size_t TimelineData::memoryBytes() const {
    const auto bytesOf = [](const auto&... tracks) { return (tracks.memoryBytes() + ...); };
    std::size_t bytes = bytesOf(m_faults, m_damages, m_numbers);
    for (const auto& lane : m_lanes)
        bytes += sizeof(Lane) + bytesOf(lane->spans, lane->ticks, lane->faults, lane->queue, lane->holders,
                                        lane->deciders, lane->roles, lane->lag);
    for (const auto& life : m_lives)
        bytes += sizeof(ClientLife) + bytesOf(life->spans, life->faults);
    return bytes;
}

} // namespace lockscope::views
