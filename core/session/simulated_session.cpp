// SPDX-License-Identifier: Apache-2.0
#include "session/simulated_session.h"

#include "session/simulation_worker.h"
#include "sim/settings_text.h"

namespace lockscope::session {

SimulatedSession::SimulatedSession(scenario::Scenario scenario, std::uint64_t seed, QObject* parent)
    : Session(parent),
      m_base(std::move(scenario)),
      m_seed(seed),
      m_trace(std::make_shared<trace::Trace>()),
      m_verdict(std::make_shared<verdict::Verdict>()),
      m_worker(new SimulationWorker) {
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    // What comes from a world that has been replaced meanwhile is of no interest any more.
    connect(m_worker, &SimulationWorker::grown, this, [this](const std::shared_ptr<const trace::Trace>& trace) {
        if (trace == m_trace) Q_EMIT advanced();
    });
    connect(m_worker, &SimulationWorker::judged, this,
            [this](const std::shared_ptr<const trace::Trace>& trace,
                   const std::shared_ptr<const verdict::Verdict>& verdict) {
                if (trace != m_trace) return;
                m_verdict = verdict;
                Q_EMIT verdictChanged();
            });
    connect(m_worker, &SimulationWorker::found, this, &SimulatedSession::milestoneReached);
    connect(m_worker, &SimulationWorker::refused, this, &SimulatedSession::complained);
    connect(m_worker, &SimulationWorker::overtaken, this,
            [this](const std::shared_ptr<const trace::Trace>& trace, Nanos at) {
                if (trace == m_trace) rebuild(at); // with what was to be done, in its place
            });
    m_thread.setObjectName(QStringLiteral("simulation"));
    m_thread.start();
    rebuild(Nanos(0));
}

SimulatedSession::~SimulatedSession() {
    m_worker->disconnect(this);
    m_thread.quit();
    m_thread.wait(); // a slice at most
}

Abilities SimulatedSession::abilities() const {
    Abilities abilities;
    abilities.faults = abilities.serverFaults = abilities.rewind = abilities.speed = true;
    abilities.restart = abilities.workload = true;
    return abilities;
}

QString SimulatedSession::title() const {
    return m_base.id.isEmpty() ? m_base.titleIn({}) : m_base.id;
}

Health SimulatedSession::health() const {
    return {Health::Level::Good, tr("Simulated · %1").arg(title())};
}

scenario::Scenario SimulatedSession::scenario() const {
    scenario::Scenario all = m_base;
    all.faults.insert(all.faults.end(), m_byHand.begin(), m_byHand.end());
    return all;
}

scenario::Scenario SimulatedSession::settings() const {
    scenario::Scenario now = m_base;
    for (const scenario::Fault& fault : m_byHand) {
        // Refused changes were never entered; what is left applies.
        if (fault.action == scenario::Action::Set) (void)sim::applySetting(now, fault.setting, fault.text);
    }
    return now;
}

void SimulatedSession::rebuild(Nanos runTo) {
    m_trace = std::make_shared<trace::Trace>();
    m_verdict = std::make_shared<verdict::Verdict>();
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, scenario = scenario(), seed = m_seed, trace = m_trace,
                                         runTo] { worker->build(scenario, seed, trace, runTo); });
    Q_EMIT traceReplaced();
    Q_EMIT verdictChanged();
    Q_EMIT scenarioChanged();
}

void SimulatedSession::advanceTo(Nanos t) {
    if (t <= m_trace->reached()) return;
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, t] { worker->target(t); });
}

void SimulatedSession::advanceToNext(Milestone milestone, Nanos from) {
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, milestone, from] { worker->search(milestone, from); });
}

void SimulatedSession::apply(scenario::Fault fault, Nanos at) {
    if (fault.action == scenario::Action::Set) {
        fault.target.clear();
        scenario::Scenario probe = settings();
        if (const auto done = sim::applySetting(probe, fault.setting, fault.text); !done) {
            Q_EMIT complained(done.error());
            return;
        }
    }
    fault.at = at;
    fault.when.reset();
    fault.byHand = true;
    const bool past = at < m_trace->reached();
    // A new future from here: what was done by hand later on belongs to the old one.
    std::erase_if(m_byHand, [at](const scenario::Fault& earlier) { return *earlier.at > at; });
    if (past) {
        m_byHand.push_back(fault);
        rebuild(at);
        return;
    }
    m_byHand.push_back(fault);
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, fault, at] { worker->act(fault, at); });
    Q_EMIT scenarioChanged();
}

void SimulatedSession::restart(std::uint64_t seed, bool keepByHand) {
    m_seed = seed;
    if (!keepByHand) m_byHand.clear();
    rebuild(Nanos(0));
}

} // namespace lockscope::session
