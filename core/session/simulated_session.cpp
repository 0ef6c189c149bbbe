// SPDX-License-Identifier: Apache-2.0
#include "session/simulated_session.h"

#include "recipes/recipe_info.h"
#include "scenario/fault_check.h"
#include "scenario/lock_times.h"
#include "scenario/settings.h"
#include "session/simulation_worker.h"
#include "sim/fitting_recipes.h"
#include "sim/other_servers.h"
#include "trace/time_text.h"

namespace lockscope::session {

namespace {

constexpr std::size_t kMostUndo = 100;

/// Where two runs of one seed part: at the first of the faults that only one of them has.
Nanos parting(const std::vector<scenario::Fault>& a, const std::vector<scenario::Fault>& b) {
    Nanos at = kNever;
    const auto only = [&at](const std::vector<scenario::Fault>& here, const std::vector<scenario::Fault>& there) {
        for (const scenario::Fault& fault : here)
            if (std::ranges::find(there, fault) == there.end()) at = std::min(at, fault.at.value_or(Nanos(0)));
    };
    only(a, b);
    only(b, a);
    return at == kNever ? Nanos(0) : at;
}

/// In the order in which they strike; at one instant, the one that was done later comes later.
void insert(std::vector<scenario::Fault>& byHand, scenario::Fault fault) {
    const auto place = std::ranges::upper_bound(byHand, *fault.at, {}, [](const scenario::Fault& f) { return *f.at; });
    byHand.insert(place, std::move(fault));
}

} // namespace

SimulatedSession::SimulatedSession(scenario::Scenario scenario, std::uint64_t seed, QObject* parent)
    : SimulatedSession(std::move(scenario), seed, {}, parent) {
}

SimulatedSession::SimulatedSession(const SharedRun& run, QObject* parent)
    : SimulatedSession(run.scenario, run.seed, run.byHand, parent) {
}

SimulatedSession::SimulatedSession(scenario::Scenario scenario, std::uint64_t seed, std::vector<scenario::Fault> byHand,
                                   QObject* parent)
    : Session(parent),
      m_opened(std::move(scenario)),
      m_base(sim::onFittingServers(m_opened)),
      m_byHand(std::move(byHand)),
      m_seed(seed),
      m_trace(std::make_shared<trace::Trace>()),
      m_verdict(std::make_shared<verdict::Verdict>()) {
    m_thread.put([this] { makeWorker(); });
    rebuild(Nanos(0));
}

SimulatedSession::~SimulatedSession() {
    m_thread.put([this] { m_worker.reset(); }); // a slice later at most
}

void SimulatedSession::makeWorker() {
    using TracePtr = std::shared_ptr<const trace::Trace>;
    SimulationWorker::Listener listener;
    // Results of a world that has been replaced meanwhile are dropped.
    listener.grown = [this](const TracePtr& trace) {
        m_inbox.put([this, trace] {
            if (trace == m_trace) Q_EMIT advanced();
        });
    };
    listener.judged = [this](const TracePtr& trace, const std::shared_ptr<const verdict::Verdict>& verdict) {
        m_inbox.put([this, trace, verdict] {
            if (trace != m_trace) return;
            m_verdict = verdict;
            Q_EMIT verdictChanged();
        });
    };
    listener.found = [this](const TracePtr& trace, bool found, Nanos at) {
        m_inbox.put([this, trace, found, at] {
            if (trace == m_trace) Q_EMIT milestoneReached(found, at);
        });
    };
    listener.refused = [this](const QString& why) { m_inbox.put([this, why] { Q_EMIT complained(why); }); };
    listener.overtaken = [this](const TracePtr& trace, Nanos at) {
        m_inbox.put([this, trace, at] {
            if (trace != m_trace) return;
            const Nanos reached = m_trace->reached();
            rebuild(at);        // with what was to be done, in its place
            advanceTo(reached); // the playhead may stand there by now
            Q_EMIT futureReplaced(Rewrite::Apply, at);
        });
    };
    m_worker = std::make_unique<SimulationWorker>(std::move(listener));
}

void SimulatedSession::tell(std::function<void(SimulationWorker&)> message) {
    m_thread.put([this, message = std::move(message)] { message(*m_worker); });
}

Abilities SimulatedSession::abilities() const {
    Abilities abilities;
    abilities.faults = abilities.serverFaults = abilities.rewind = abilities.speed = true;
    abilities.restart = abilities.workload = true;
    return abilities;
}

QString SimulatedSession::title() const {
    //: The language code of this translation, e.g. zh_CN. Leave as en for English.
    const QString language = QCoreApplication::translate("Language", "en");
    const QString named = m_base.titleIn(language);
    return named.isEmpty() ? m_base.id : named;
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
        if (fault.action == scenario::Action::Set) (void)scenario::applySetting(now, fault.setting, fault.text);
    }
    return now;
}

void SimulatedSession::lookedAt(Nanos playhead) {
    m_looked = playhead;
    m_seen = std::max(m_seen.value_or(playhead), playhead);
}

void SimulatedSession::rebuild(Nanos runTo) {
    m_seen = m_looked; // what comes after it is another future, which nobody has seen
    m_trace = std::make_shared<trace::Trace>();
    m_verdict = std::make_shared<verdict::Verdict>();
    tell([scenario = scenario(), seed = m_seed, trace = m_trace, runTo](SimulationWorker& worker) {
        worker.build(scenario, seed, trace, runTo);
    });
    Q_EMIT traceReplaced();
    Q_EMIT verdictChanged();
    Q_EMIT scenarioChanged();
}

void SimulatedSession::advanceTo(Nanos t) {
    if (t <= m_trace->reached()) return;
    tell([t](SimulationWorker& worker) { worker.target(t); });
}

void SimulatedSession::advanceToNext(Milestone milestone, Nanos from) {
    tell([milestone, from](SimulationWorker& worker) { worker.search(milestone, from); });
}

void SimulatedSession::apply(scenario::Fault fault, Nanos at) {
    const bool toRecipe = fault.setting == QLatin1String("recipe");
    if (toRecipe && !sim::whyNotNow(scenario(), fault.text).isEmpty() && sim::canRun(m_opened, fault.text)) {
        // Servers of one kind cannot become those of another one in the middle of a run: it begins again.
        const Nanos reached = m_trace->reached();
        remember();
        std::vector<scenario::Fault> before = std::exchange(m_byHand, {});
        useServersOf(fault.text);
        QStringList leftOut;
        for (scenario::Fault& done : before) {
            if (done.setting == QLatin1String("recipe")) continue;
            if (refusal(done, m_byHand).isEmpty())
                m_byHand.push_back(std::move(done));
            else
                leftOut += tr("%1 at %2", "the target of a fault, and an instant")
                               .arg(done.target.isEmpty() ? done.setting : done.target, instantText(*done.at));
        }
        scenario::Scenario wanted = m_opened;
        wanted.recipe = fault.text;
        QStringList told;
        //: %1 a sentence: "zk-mutex does not work on …: the run is on … instead".
        if (const QString others = sim::otherServers(wanted); !others.isEmpty())
            told += tr("The run begins again. %1.").arg(others);
        if (!leftOut.isEmpty())
            //: %1 the id of a recipe; %2 a list of "redis-1 at 3.200 s".
            told +=
                tr("The run begins again on the servers of %1. This was done by hand, does not fit them and is left "
                   "out: %2.")
                    .arg(fault.text, leftOut.join(tr(", ", "between two things of a list")));
        if (!told.isEmpty()) Q_EMIT complained(told.join(u' '));
        rebuild(Nanos(0));
        advanceTo(reached); // the playhead may stand there
        Q_EMIT futureReplaced(Rewrite::Restart, Nanos(0));
        return;
    }
    if (fault.action == scenario::Action::Set) {
        fault.target.clear();
        scenario::Scenario probe = scenario::settingsAt(scenario(), at);
        if (const auto done = scenario::changeSetting(probe, fault.setting, fault.text); !done) {
            Q_EMIT complained(done.error());
            return;
        }
    }
    fault.at = at;
    fault.byHand = true;
    const Nanos reached = m_trace->reached();
    // A new future from here: later faults by hand belong to the old one. Faults that a person has put on the time
    // axis, and that have not struck yet, stay.
    const Nanos struck = m_seen.value_or(reached);
    const auto belongsToIt = [&](const scenario::Fault& other) {
        return *other.at > at && (*other.at <= struck || std::ranges::find(m_planned, other) == m_planned.end());
    };
    std::vector<scenario::Fault> before = m_byHand;
    std::erase_if(before, belongsToIt);
    if (const QString wrong = refusal(fault, before); !wrong.isEmpty()) {
        Q_EMIT complained(wrong);
        return;
    }
    remember();
    m_byHand = std::move(before);
    insert(m_byHand, fault);
    if (at < reached) {
        rebuild(at);
        Q_EMIT futureReplaced(Rewrite::Apply, at);
        return;
    }
    tell([fault, at](SimulationWorker& worker) { worker.act(fault, at); });
    Q_EMIT scenarioChanged();
}

QString SimulatedSession::refusal(const scenario::Fault& fault, std::vector<scenario::Fault> byHand) const {
    if (fault.setting == QLatin1String("recipe")) {
        if (QString why = sim::whyNotNow(scenario(), fault.text); !why.isEmpty()) return why;
    }
    // A fault that could not be read from a file again must not get into one.
    scenario::Scenario probe = m_base;
    probe.faults.insert(probe.faults.end(), byHand.begin(), byHand.end());
    return scenario::refusalOf(fault, std::move(probe));
}

void SimulatedSession::plan(scenario::Fault fault) {
    Q_ASSERT(fault.at && fault.action != scenario::Action::Set);
    fault.at = std::max(*fault.at, Nanos(0));
    fault.byHand = true;
    if (const QString wrong = refusal(fault, m_byHand); !wrong.isEmpty()) {
        Q_EMIT complained(wrong);
        return;
    }
    // The instant that the run has come to is the past already: its events have happened.
    if (*fault.at <= m_trace->reached()) {
        Course more = course();
        m_planned.push_back(fault);
        insert(more.byHand, std::move(fault));
        change(std::move(more), Rewrite::Apply);
        return;
    }
    remember();
    m_planned.push_back(fault);
    insert(m_byHand, fault);
    tell([fault](SimulationWorker& worker) { worker.plan(fault); });
    Q_EMIT scenarioChanged();
}

void SimulatedSession::replace(std::size_t index, scenario::Fault fault) {
    if (index >= m_byHand.size() || !fault.at) return;
    fault.at = std::max(*fault.at, Nanos(0));
    fault.byHand = true;
    if (m_byHand[index] == fault) return;
    Course other = course();
    other.byHand.erase(other.byHand.begin() + std::ptrdiff_t(index));
    // A fault that only moves may stand even where a later change has made its target unknown.
    scenario::Fault moved = m_byHand[index];
    moved.at = fault.at;
    if (const QString wrong = refusal(fault, other.byHand); moved != fault && !wrong.isEmpty()) {
        Q_EMIT complained(wrong);
        return;
    }
    m_planned.push_back(fault);
    insert(other.byHand, std::move(fault));
    change(std::move(other), Rewrite::Move);
}

void SimulatedSession::restart(std::uint64_t seed, ByHand byHand) {
    const bool drops = byHand == ByHand::Drop && !m_byHand.empty();
    // Running the unchanged scenario from its start again loses nothing, so there is nothing to undo.
    if (drops || seed != m_seed) remember();
    note();
    const Nanos dropped = drops ? parting(m_byHand, {}) : kNever;
    const Nanos from = seed != m_seed ? Nanos(0) : dropped;
    m_seed = seed;
    if (drops) m_byHand.clear();
    rebuild(Nanos(0));
    Q_EMIT futureReplaced(Rewrite::Restart, from);
}

void SimulatedSession::withdraw(std::size_t index) {
    if (index >= m_byHand.size()) return;
    Course without = course();
    without.byHand.erase(without.byHand.begin() + std::ptrdiff_t(index));
    change(std::move(without), Rewrite::Withdraw);
}

void SimulatedSession::move(std::size_t index, Nanos at) {
    if (index >= m_byHand.size()) return;
    scenario::Fault moved = m_byHand[index];
    moved.at = at;
    replace(index, std::move(moved));
}

void SimulatedSession::change(Course other, Rewrite why) {
    // A lease that was shortened later may only go with the watchdog of this change; that one is withdrawn first.
    scenario::Scenario probe = m_base;
    probe.faults.insert(probe.faults.end(), other.byHand.begin(), other.byHand.end());
    std::vector<scenario::Complaint> before, after;
    scenario::checkLockTimes(scenario(), 1, before);
    scenario::checkLockTimes(probe, 1, after);
    if (after.size() > before.size()) {
        Q_EMIT complained(after.back().message);
        return;
    }
    remember();
    take(std::move(other), why);
}

void SimulatedSession::undo() {
    if (m_undo.empty()) return;
    note();
    m_redo.push_back(course());
    Course before = std::move(m_undo.back());
    m_undo.pop_back();
    take(std::move(before), Rewrite::Undo);
}

void SimulatedSession::redo() {
    if (m_redo.empty()) return;
    note();
    m_undo.push_back(course());
    Course after = std::move(m_redo.back());
    m_redo.pop_back();
    take(std::move(after), Rewrite::Redo);
}

Course SimulatedSession::course() const {
    return {m_base.recipe, m_byHand, m_seed, m_trace->reached()};
}

void SimulatedSession::note() {
    std::erase_if(m_former, [this](const auto& run) {
        const auto trace = run.first.lock();
        return !trace || trace == m_trace;
    });
    m_former.emplace_back(m_trace, course());
}

std::optional<Course> SimulatedSession::courseOf(const trace::Trace& run) const {
    if (&run == m_trace.get()) return course();
    const auto found =
        std::ranges::find_if(m_former, [&run](const auto& former) { return former.first.lock().get() == &run; });
    return found == m_former.end() ? std::nullopt : std::optional(found->second);
}

void SimulatedSession::runAgain(const trace::Trace& former) {
    std::optional<Course> wanted = courseOf(former);
    if (wanted && !wanted->sameRun(course())) change(std::move(*wanted), Rewrite::Again);
}

void SimulatedSession::remember() {
    note();
    m_redo.clear();
    m_undo.push_back(course());
    if (m_undo.size() > kMostUndo) m_undo.erase(m_undo.begin());
}

void SimulatedSession::useServersOf(const QString& recipe) {
    m_base = m_opened;
    m_base.recipe = recipe;
    m_base = sim::onFittingServers(std::move(m_base));
}

void SimulatedSession::take(Course course, Rewrite why) {
    const bool sameRun = course.seed == m_seed && course.recipe == m_base.recipe;
    const Nanos from = sameRun ? parting(m_byHand, course.byHand) : Nanos(0);
    if (course.recipe != m_base.recipe) useServersOf(course.recipe);
    const Nanos to = std::max(course.reached, m_trace->reached());
    m_byHand = std::move(course.byHand);
    m_seed = course.seed;
    rebuild(std::min(from, to));
    tell([to](SimulationWorker& worker) { worker.target(to); });
    Q_EMIT futureReplaced(why, from);
}

} // namespace lockscope::session
