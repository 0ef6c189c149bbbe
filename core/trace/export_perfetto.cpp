// SPDX-License-Identifier: Apache-2.0
#include "trace/export.h"
#include "trace/export_output.h"
#include "trace/state.h"

#include <set>

namespace lockscope::trace {

namespace {

/// The format's processes: groups of tracks.
enum Group : int { Clients = 1, Locks, Servers, Resources };
constexpr std::pair<Group, const char*> kGroups[] = {
    {Clients, "Clients (belief)"}, {Locks, "Locks (record)"}, {Servers, "Servers"}, {Resources, "Resources (effect)"}};

using TrackKey = std::tuple<Group, EntityId, EntityId>;

QByteArray micros(std::int64_t ns) {
    QByteArray text = QByteArray::number(qlonglong(ns / 1000));
    if (const std::int64_t rest = ns % 1000; rest != 0)
        text += '.' + QByteArray::number(int(rest)).rightJustified(3, '0');
    return text;
}

class Writer {
public:
    Writer(const Trace& trace, ExportOutput& output) : m_trace(trace), m_output(output) {
        m_output.text() = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
        for (const auto& [group, name] : kGroups)
            event("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + QByteArray::number(int(group)) +
                  ",\"args\":{\"name\":\"" + name + "\"}");
    }
    /// From `at` on the track shows this; empty: nothing. The same as before goes on.
    void show(const TrackKey& key, const QByteArray& label, std::int64_t at) {
        Open& open = m_open[key];
        if (open.label == label) return;
        close(key, open, at);
        open = {label, at};
    }
    void instant(const TrackKey& key, const QByteArray& name, std::int64_t at) {
        event("\"ph\":\"i\",\"s\":\"t\",\"name\":" + jsonQuoted(name) + place(key) + ",\"ts\":" + micros(at));
    }
    void counter(const QByteArray& name, std::int64_t value, std::int64_t at) {
        event("\"ph\":\"C\",\"name\":" + jsonQuoted(name) + ",\"pid\":" + QByteArray::number(int(Locks)) +
              ",\"ts\":" + micros(at) + ",\"args\":{\"waiters\":" + QByteArray::number(qlonglong(value)) + '}');
    }
    void end(std::int64_t at) {
        for (auto& [key, open] : m_open)
            close(key, open, at);
        m_output.text() += "\n]}\n";
    }
    QByteArray name(EntityId id) const { return exportedName(m_trace, id); }

private:
    struct Open {
        QByteArray label;
        std::int64_t since = 0;
    };
    void event(const QByteArray& fields) {
        if (!m_first) m_output.text() += ",\n";
        m_first = false;
        m_output.text() += '{' + fields + '}';
    }
    /// The track's process and thread; named when it is first used.
    QByteArray place(const TrackKey& key) {
        const auto [group, entity, other] = key;
        const auto [found, fresh] = m_tracks.try_emplace(key, int(m_tracks.size()) + 1);
        const QByteArray where =
            ",\"pid\":" + QByteArray::number(int(group)) + ",\"tid\":" + QByteArray::number(found->second);
        if (fresh) {
            QByteArray title = entity == kNoEntity ? QByteArray("faults") : name(entity);
            if (other != kNoEntity) title += " · " + name(other);
            event("\"ph\":\"M\",\"name\":\"thread_name\"" + where + ",\"args\":{\"name\":" + jsonQuoted(title) + '}');
        }
        return where;
    }
    void close(const TrackKey& key, const Open& open, std::int64_t at) {
        if (open.label.isEmpty()) return;
        const QByteArray where = place(key);
        event("\"ph\":\"X\",\"name\":" + jsonQuoted(open.label) + where + ",\"ts\":" + micros(open.since) +
              ",\"dur\":" + micros(at - open.since));
    }

    const Trace& m_trace;
    ExportOutput& m_output;
    std::map<TrackKey, Open> m_open;
    std::map<TrackKey, int> m_tracks;
    bool m_first = true;
};

QByteArray beliefLabel(const Belief& belief) {
    switch (belief.phase) {
    case Belief::Phase::Waiting:
        return "waits";
    case Belief::Phase::Holding: {
        const std::int64_t number = belief.token != 0 ? belief.token : belief.grant;
        return "holds #" + QByteArray::number(qlonglong(number));
    }
    case Belief::Phase::Idle:
        break;
    }
    return {};
}

QByteArray lifeLabel(ClientState::Life life) {
    return life == ClientState::Life::Paused ? "paused" : life == ClientState::Life::Dead ? "dead" : QByteArray();
}

QByteArray recordLabel(const Record& record, const Writer& writer) {
    if (!record.observed) return record.noLongerShown ? "no longer seen" : "not observed";
    QByteArrayList names;
    for (const Holder& holder : record.allHolders())
        names << writer.name(holder.thread);
    return names.join(", ");
}

/// Shows what a row has changed.
void show(Writer& to, const State& state, const Event& e) {
    if (isBelief(e.kind)) {
        if (const auto belief = state.beliefs.find({e.subject, e.actor}); belief != state.beliefs.end())
            to.show({Clients, e.actor, e.subject}, beliefLabel(belief->second), e.at);
    } else if (isRecord(e.kind)) {
        const auto record = state.records.find(e.subject);
        if (record == state.records.end()) return;
        to.show({Locks, e.subject, kNoEntity}, recordLabel(record->second, to), e.at);
        if (e.kind == EventKind::RecordWaiters && e.value >= 0)
            to.counter(to.name(e.subject) + " waiters", e.value, e.at);
    } else if (isEffect(e.kind)) {
        const bool refused = e.kind == EventKind::WriteRefused;
        to.instant({Resources, e.subject, kNoEntity},
                   to.name(e.actor) + (refused ? " refused #" : " writes #") + QByteArray::number(qlonglong(e.value)),
                   e.at);
    } else if (isLife(e.kind)) {
        for (const auto& [key, belief] : state.beliefs) // a death ends them
            to.show({Clients, key.second, key.first}, beliefLabel(belief), e.at);
        if (const auto client = state.clients.find(e.actor); client != state.clients.end())
            to.show({Clients, e.actor, kNoEntity}, lifeLabel(client->second.life), e.at);
        if (const auto node = state.nodes.find(e.actor); node != state.nodes.end()) {
            const QByteArray life = lifeLabel(node->second.life);
            to.show({Servers, e.actor, kNoEntity}, life.isEmpty() ? to.name(node->second.role) : life, e.at);
        }
        if (e.flags & kFault) {
            const EntityId target = e.actor != kNoEntity ? e.actor : e.subject;
            to.instant({Servers, kNoEntity, kNoEntity}, QByteArray(kindName(e.kind)) + ' ' + to.name(target), e.at);
        }
    }
}

} // namespace

std::expected<void, QString> exportPerfetto(const Trace& trace, QIODevice& device, std::stop_token stop) {
    ExportOutput output(device, std::move(stop));
    Writer to(trace, output);
    State state;
    const auto passTo = [&](std::int64_t at) {
        std::vector<State::Ended> ended;
        state.passTime(at, &ended);
        for (const State::Ended& end : ended)
            to.show({Clients, end.thread, end.lock}, {}, end.at);
    };
    const std::size_t rows = trace.size();
    for (std::size_t i = 0; i < rows && output.goesOn(); ++i) {
        const Event event = trace.at(i);
        passTo(event.at);
        state.apply(event, trace);
        show(to, state, event);
    }
    passTo(trace.reached().count());
    to.end(trace.reached().count());
    return output.end();
}

} // namespace lockscope::trace
