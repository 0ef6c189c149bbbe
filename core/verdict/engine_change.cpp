// SPDX-License-Identifier: Apache-2.0
#include "verdict/engine_change.h"

#include "trace/look_back.h"
#include "trace/trace_time.h"
#include "verdict/words.h"

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::FreedBy;
using trace::Trace;

QString shortEngine(const QString& engine) {
    const QString servers = engine.section(QStringLiteral("://"), 1).section(u' ', 0, 0).section(u'/', 0, 0);
    if (servers.isEmpty()) return engine;
    QStringList hosts = servers.section(u'@', -1).split(u',');
    for (QString& host : hosts)
        host = host.section(u':', 0, 0);
    if (hosts.size() == 1) return hosts.first();
    // Numbered ones, as a simulated ensemble's are: all of them in one word.
    const auto number = [](const QString& host) {
        const qsizetype dash = host.lastIndexOf(u'-');
        bool isNumber = false;
        const int of = host.mid(dash + 1).toInt(&isNumber);
        return std::pair(host.left(dash + 1), dash > 0 && isNumber ? of : -1);
    };
    const auto [stem, from] = number(hosts.first());
    for (int i = 0; i < hosts.size(); ++i)
        if (from < 0 || number(hosts[i]) != std::pair(stem, from + i)) return hosts.first() + QChar(0x2026);
    return hosts.first() + QChar(0x2013) + QString::number(from + int(hosts.size()) - 1);
}

std::optional<EngineChange> engineChangeBefore(std::size_t row, const Trace& trace) {
    const QByteArray setting = QByteArrayLiteral("engine=");
    row = std::min(row, trace.size());
    const std::size_t last = trace::firstRowBefore(row);
    bool agreed = false;
    while (row-- > last) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::SettingChanged && kind != EventKind::EngineChanged) continue;
        const Event e = trace.at(row);
        if (e.aux == trace::kNoEntity) continue;
        const QByteArray text = trace.entity(e.aux).name;
        if (kind == EventKind::EngineChanged) {
            agreed = true;
            if (trace::EngineNews(e.flags & trace::kEngineNewsMask) != trace::EngineNews::InUse) continue;
            return EngineChange{e.time(), shortEngine(QString::fromUtf8(text.left(text.indexOf('\n')))), false};
        }
        // A manager that agrees begins with it, and tells when the engine is in use.
        if (text.startsWith(setting) && !agreed)
            return EngineChange{e.time(), QString::fromUtf8(text.mid(setting.size())), true};
    }
    return {};
}

std::optional<EngineChange> engineChangeAt(const Event& freed, const Trace& trace) {
    if (freed.kind != EventKind::RecordFreed || FreedBy(freed.flags & trace::kFreedByMask) != FreedBy::NodeLoss)
        return {};
    const std::optional<EngineChange> change = engineChangeBefore(trace.upperBound(freed.time()), trace);
    return change && change->at == freed.time() ? change : std::nullopt;
}

bool isEngineChange(const Event& decider, const Trace& trace) {
    const std::optional<EngineChange> change = engineChangeBefore(trace.upperBound(decider.time()), trace);
    return change && change->at == decider.time();
}

bool askedFormerEngine(const Chronicle& c, std::size_t row, const Trace& trace) {
    const std::optional<EngineChange> change = engineChangeBefore(row, trace);
    return change && change->told && c.requested && c.granted && *c.requested <= change->at && *c.granted > change->at;
}

QString toldEngineText(const Chronicle& c, std::size_t row, Nanos length, const Trace& trace) {
    const std::optional<EngineChange> change = engineChangeBefore(row, trace);
    if (!change || !change->told) return {};
    const auto at = [&](Nanos t) { return instantText(trace, t, length); };
    if (askedFormerEngine(c, row, trace))
        return Words::tr(
                   "Clients were told at %1 to take their locks on %2. %3 had asked the former engine by then, and got "
                   "the lock there at %4: %2 knows nothing of that.")
            .arg(at(change->at), change->engine, actorText(c.thread, trace), at(*c.granted));
    return Words::tr("Clients were told at %1 to take their locks on %2, and nobody waited for the holders on the "
                     "former engine: they go on there, and %2 knows nothing of them.")
        .arg(at(change->at), change->engine);
}

} // namespace lockscope::verdict
