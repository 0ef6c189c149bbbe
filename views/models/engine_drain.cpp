// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine_drain.h"

#include "models/engine_words.h"
#include "theme/format.h"
#include "workload/engines.h"

#include <QCoreApplication>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Engines)
};

} // namespace

std::optional<EngineDrain> engineDrainAt(const trace::Trace& trace, const scenario::Scenario& settings, Nanos t) {
    if (!settings.manager || settings.manager->isNaive()) return {};
    const Nanos usual = workload::switchTime(settings);
    // A change that takes many times as long as it should is none any more: its processes are gone.
    const Nanos earliest = t - 10 * usual;
    std::optional<EngineDrain> drain;
    std::int64_t left = 0; ///< the epoch of the engine that was left first, so far
    for (std::size_t row = trace.upperBound(t); row-- > 0 && Nanos(trace.timeAt(row)) >= earliest;) {
        if (trace.kindAt(row) != trace::EventKind::EngineChanged) continue;
        const trace::Event event = trace.at(row);
        const auto news = trace::EngineNews(event.flags & trace::kEngineNewsMask);
        // A client that heard of it late, when the next engine was in use already, is alone with it.
        if (news == trace::EngineNews::InUse && left < event.value) return {};
        if (news == trace::EngineNews::InUse || news == trace::EngineNews::Refused) break;
        if (!leavesForASwitch(event, trace)) continue;
        left = event.value;
        drain = EngineDrain{event.time(), event.time() + usual, settings.manager->mode == SwitchMode::Drain};
    }
    return drain;
}

QString drainWords(const EngineDrain& drain, const trace::Trace& trace) {
    const QString until = instantShort(trace, drain.until);
    return drain.holdersGoOn ? Words::tr("draining: nobody gets in until about %1").arg(until)
                             : Words::tr("engines change: nobody gets in until about %1").arg(until);
}

} // namespace lockscope::views
