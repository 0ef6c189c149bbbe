// SPDX-License-Identifier: Apache-2.0
// Scenarios of programs, and what happened when they ran.
#pragma once
#include "experiment/run.h"
#include "trace/state.h"

#include <QTest>

namespace lockscope::tests {

using Do = scenario::ProgramStep::Do;
using Hold = scenario::ProgramStep::Hold;

/// `locks`: names with commas; empty: the first lock.
inline scenario::ProgramStep step(Do act, const char* locks = "") {
    scenario::ProgramStep made;
    made.act = act;
    made.locks = QString::fromLatin1(locks).split(u',', Qt::SkipEmptyParts);
    return made;
}

inline scenario::ProgramStep take(const char* locks = "", Hold hold = Hold::Exclusive, int permits = 1) {
    scenario::ProgramStep made = step(Do::Take, locks);
    made.hold = hold;
    made.permits = permits;
    return made;
}

inline scenario::ProgramStep within(scenario::ProgramStep made, Nanos wait) {
    made.wait = wait;
    return made;
}

inline scenario::ProgramStep lasting(Do act, Nanos low, Nanos high) {
    scenario::ProgramStep made = step(act);
    made.range = {low, high};
    return made;
}

/// Clients in groups, one group for each program; quick rounds, so that they meet often.
struct Group {
    int count;
    std::vector<scenario::ProgramStep> steps;
};
inline scenario::Scenario programs(const char* recipe, const std::vector<Group>& groups) {
    scenario::Scenario made;
    made.id = made.title = QStringLiteral("programs");
    made.recipe = QString::fromLatin1(recipe);
    made.until = 30s;
    made.lock.name = QStringLiteral("a");
    made.lock.lease = 10s;
    made.workload.think = {5ms, 60ms};
    made.workload.hold = {20ms, 150ms};
    made.workload.writeEvery = {10ms, 30ms};
    made.workload.clients = 0;
    for (const Group& group : groups) {
        const QString name = QStringLiteral("program %1").arg(made.programs.size() + 1);
        made.programs.push_back({name, group.steps});
        made.groups.push_back({name, group.count});
        made.workload.clients += group.count;
    }
    return made;
}

inline void addLock(scenario::Scenario& scenario, const char* name, const char* recipe = "") {
    scenario::NamedLock lock;
    lock.settings = scenario.lock;
    lock.settings.name = QString::fromLatin1(name);
    lock.recipe = QString::fromLatin1(recipe);
    scenario.moreLocks.push_back(lock);
}

inline verdict::Outcome outcome(const experiment::RunReport& report, verdict::Invariant invariant) {
    return report.verdict.outcomes[std::size_t(invariant)];
}

inline QString violations(const experiment::RunReport& report) {
    QStringList lines;
    for (const verdict::Violation& violation : report.verdict.violations)
        lines << verdict::headline(violation, *report.trace);
    return lines.join(QLatin1Char('\n'));
}

inline int count(const trace::Trace& trace, trace::EventKind kind) {
    int number = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        number += trace.kindAt(i) == kind ? 1 : 0;
    return number;
}

/// The entity of a lock, a client's thread; kNoEntity: there is none.
inline trace::EntityId entity(const trace::Trace& trace, trace::EntityKind kind, const QByteArray& name) {
    for (trace::EntityId id = 1; id < trace.entityCount(); ++id)
        if (trace.entity(id).kind == kind && trace.entity(id).name == name) return id;
    return trace::kNoEntity;
}
inline trace::EntityId lockOf(const trace::Trace& trace, const QByteArray& name) {
    return entity(trace, trace::EntityKind::Lock, name);
}
inline QByteArray clientOf(const trace::Trace& trace, trace::EntityId thread) {
    return trace.entity(trace.clientOf(thread)).name;
}

/// Calls `look` with the state at each instant at which something happened, when all of that has happened.
template <typename Look>
void atEachInstant(const trace::Trace& trace, Look look) {
    trace::State state;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        state.apply(trace.at(i), trace);
        if (i + 1 == trace.size() || trace.timeAt(i + 1) > trace.timeAt(i)) look(state);
    }
}

} // namespace lockscope::tests
