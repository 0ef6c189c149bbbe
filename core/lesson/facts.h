// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/lesson.h"
#include "trace/state.h"

namespace lockscope::lesson {

/// Where a moment was found.
struct Found {
    std::size_t row = 0;
    Nanos at{};
};

/// The names that a run gave to its moments and clients.
struct Names {
    std::map<QString, Found> moments;
    std::map<QString, QString> clients; ///< "H" → "A"
};

/// The value of a fact: of the three fields the one that its kind has.
struct Value {
    std::int64_t number = 0; ///< a count, a truth (0 or 1), or ns; INT64_MAX: never
    QStringList clients{};   ///< sorted
    friend bool operator==(const Value&, const Value&) = default;
};

/// Answers questions to one run, from its trace and its verdict. Belongs to one thread.
class Facts {
public:
    /// `byHand`: what a person did in it.
    Facts(std::shared_ptr<const trace::Trace> trace, std::shared_ptr<const verdict::Verdict> verdict,
          scenario::Scenario scenario, std::vector<scenario::Fault> byHand, Names names = {});

    /// An instant of this run, not below 0; `here` is where the step stops. A moment that the run does not have is the
    /// end of the run.
    Nanos time(const Instant& instant, Nanos here) const;
    Value value(const Fact& fact, Nanos here) const;
    bool holds(const Condition& condition, Nanos here) const;
    bool holdAll(const std::vector<Condition>& conditions, Nanos here) const;
    /// The number of the right choice, from 0; nullopt when not exactly one is right.
    std::optional<int> answer(const Question& question, Nanos here) const;
    /// The text of a fact's value, translated.
    QString text(const Fact& fact, Nanos here) const;
    /// A text of the lesson with its {names} filled in, and with a no-break space between a time and its unit.
    QString filled(const QString& text, const Scene& scene, Nanos here) const;

    const trace::Trace& trace() const { return *m_trace; }
    /// The client of that name in this run; the name itself when it is none of the lesson's.
    QString client(const QString& name) const;
    /// The first lock, or the one of that name, as clients see it; kNoEntity when there is none yet.
    trace::EntityId lock(const QString& name = {}) const;

private:
    QString clientName(trace::EntityId threadOrClient) const;
    QStringList clientsIn(const trace::State& state, trace::EntityId lock, trace::Belief::Phase phase) const;
    QStringList ownersOf(const trace::State& state, trace::EntityId lock) const;
    const trace::State& state(Nanos t) const;
    std::int64_t timeLeft(trace::EntityId lock, Nanos at) const;
    std::int64_t countRows(const Fact& fact, trace::EventKind kind, Nanos from, Nanos to) const;
    std::int64_t mostBelievers(trace::EntityId lock, Nanos from, Nanos to) const;
    std::int64_t longestDisagreement(trace::EntityId lock, Nanos from, Nanos to) const;
    std::int64_t longestSuspension(trace::EntityId lock, Nanos from, Nanos to) const;
    std::int64_t doneByHand(const Fact& fact) const;

    std::shared_ptr<const trace::Trace> m_trace;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    scenario::Scenario m_scenario;
    std::vector<scenario::Fault> m_byHand;
    Names m_names;
    mutable trace::StateIndex m_index;
    mutable trace::State m_state;
};

} // namespace lockscope::lesson
