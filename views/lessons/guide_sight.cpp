// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step of a lesson asks to look, and what stands there.
#include "lessons/lesson_guide.h"

#include "inspect/seen_content.h"
#include "lesson/lesson_check.h"
#include "models/lock_facts.h"

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;

namespace {

/// The part of the axis in sight where a step does not say: the stop stands at three quarters of it.
std::pair<Nanos, Nanos> usualWindow(Nanos stop) {
    constexpr Nanos kBefore = 7500ms, kSpan = 10s;
    const Nanos from = std::max(Nanos::zero(), stop - kBefore);
    return {from, from + kSpan};
}

} // namespace

void LessonGuide::light() {
    const lesson::Step* const step = current();
    if (!step) return;
    const lesson::Facts& known = *facts();
    const Nanos stop = stopOf(m_step);
    Spotlight light;
    light.from = known.time(step->look.from, stop);
    light.to = known.time(step->look.to, stop);
    light.window = step->window
                       ? std::pair{known.time(step->window->first, stop), known.time(step->window->second, stop)}
                       : usualWindow(stop);
    for (const QString& lane : step->look.lanes) {
        const QString kind = lane.section(u':', 0, 0), name = lane.section(u':', 1);
        const QByteArray wanted = (kind == QLatin1String("server") ? name : known.client(name)).toUtf8();
        const auto take = [&](EntityKind which, auto&& fits) {
            for (const EntityId id : m_context->entities(which))
                if (fits(id)) light.lanes.push_back(id);
        };
        const auto& trace = *m_context->trace();
        if (kind == QLatin1String("belief"))
            take(EntityKind::Thread,
                 [&](EntityId id) { return name.isEmpty() || trace.entity(trace.clientOf(id)).name == wanted; });
        else if (kind == QLatin1String("record"))
            take(EntityKind::Lock, [&](EntityId id) { return trace.copyOf(id) == trace::kNoEntity; });
        else if (kind == QLatin1String("copies"))
            take(EntityKind::Lock, [&](EntityId id) { return trace.copyOf(id) != trace::kNoEntity; });
        else if (kind == QLatin1String("effect"))
            take(EntityKind::Resource, [](EntityId) { return true; });
        else if (kind == QLatin1String("session") || kind == QLatin1String("clock"))
            take(EntityKind::Client, [&](EntityId id) { return name.isEmpty() || trace.entity(id).name == wanted; });
        else if (kind == QLatin1String("server"))
            take(EntityKind::Node, [&](EntityId id) { return name.isEmpty() || trace.entity(id).name == wanted; });
    }
    // Lanes turn up while the run plays; the window of time is set once, so that a person may look elsewhere.
    if (m_context->spotlight()) light.window = m_context->spotlight()->window;
    const bool onlyLanes = m_context->spotlight() && m_context->spotlight()->window == light.window;
    if (onlyLanes && m_context->spotlight()->lanes == light.lanes) return;
    m_context->setSpotlight(std::move(light));
}

void LessonGuide::holdBack() {
    HeldBack held;
    if (m_phase == Phase::Step && current()) {
        if (current()->ask) held.verdictFrom = startOf(m_step);
        // A bet on how a hold ends is lost as soon as a bar says "never expires", be it steps before.
        for (std::size_t step = std::size_t(m_step); step < m_lesson->steps.size(); ++step) {
            if (m_lesson->steps[step].scene != current()->scene) break;
            held.never |= m_lesson->steps[step].ask.has_value();
        }
    }
    m_context->setHeldBack(held);
}

LessonGuide::Bet LessonGuide::bet() const {
    if (m_phase != Phase::Step || !current()) return {};
    if (const auto mine = chosen(); mine && current()->ask)
        return {tr("bet: %1").arg(choices().value(*mine)), tr("your bet"), {}};
    const auto progress = m_progress.find(m_lesson->id);
    if (progress == m_progress.end() || m_step == 0) return {};
    const lesson::Step& before = m_lesson->steps[std::size_t(m_step - 1)];
    const auto bet = progress->second.bets.find(m_step - 1);
    if (!before.ask || bet == progress->second.bets.end() || !m_runs.contains(before.scene)) return {};
    const QString words = m_runs.at(before.scene)
                              .facts->filled(before.ask->choices[std::size_t(bet->second)].text.in(m_language),
                                             *m_lesson->scene(before.scene), stopOf(m_step - 1));
    const auto answered = result();
    if (!answered) return {tr("bet: %1").arg(words), tr("your bet"), {}};
    if (answered->right) return {tr("✓ bet: %1").arg(words), tr("✓ your bet"), true};
    return {tr("✗ bet: %1").arg(words), tr("✗ your bet"), false};
}

std::optional<LessonGuide::Pair> LessonGuide::pair() const {
    // A run beside another is seen to its end: before a bet that would give the answer away.
    if (m_phase != Phase::Step || !current() || current()->ask || !arrived()) return std::nullopt;
    const QString& here = current()->scene;
    for (int step = m_step - 1; step >= 0; --step) {
        const QString& there = m_lesson->steps[std::size_t(step)].scene;
        if (there == here) continue;
        const lesson::Scene& first = *m_lesson->scene(there);
        const QString one = lesson::oneDifference(first, m_runs.at(there), *m_lesson->scene(here), m_runs.at(here));
        if (one.isEmpty()) return std::nullopt;
        return Pair{m_runs.at(there).scenario, first.seed, one};
    }
    return std::nullopt;
}

/// The numbered nodes below the lock, in their order, with the clients that made them.
std::vector<LessonGuide::Number> LessonGuide::nodesInQueue() const {
    const LockFacts lock = lockFacts(m_context->focusedLock(), *m_context);
    const auto trace = m_context->trace();
    const auto record = m_context->state().records.find(lock.lock);
    if (record == m_context->state().records.end() || record->second.content == trace::kNoEntity || !lock.held())
        return {};
    QStringList nodes;
    if (const auto seen = inspect::contentFrom(trace->entity(record->second.content).name))
        for (const inspect::RawKey& key : seen->keys)
            if (const QJsonValue value = key.value.json(); value.isArray()) nodes = value.toVariant().toStringList();
    constexpr qsizetype kDigits = 10; // ZooKeeper's own, at the end of the name
    std::ranges::sort(nodes, {}, [](const QString& node) { return node.right(kDigits); });
    std::vector<trace::EntityId> clients{lock.owner};
    for (const Waiter& waiter : lock.waiters)
        if (waiter.queued) clients.push_back(waiter.thread);
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < std::min(std::size_t(nodes.size()), clients.size()); ++i)
        numbers.push_back({nodes[qsizetype(i)].right(kDigits), trace->displayName(trace->clientOf(clients[i]))});
    return numbers;
}

std::vector<LessonGuide::Number> LessonGuide::numbers() const {
    const lesson::Step* const step = current();
    if (m_phase != Phase::Step || !step || !arrived()) return {};
    if (step->look.panel == lesson::Look::Panel::Queue) return nodesInQueue();
    std::vector<Number> numbers;
    const lesson::Scene& scene = *m_lesson->scene(step->scene);
    for (const QString& name : lesson::namesIn(step->say.in(m_language))) {
        const auto value = scene.values.find(name);
        if (value == scene.values.end()) continue;
        const lesson::Fact& fact = value->second;
        const QString text = facts()->text(fact, stopOf(m_step));
        const bool one = text == QLatin1String("1");
        QString words;
        if (fact.kind == lesson::Fact::Kind::RequestsPerGrant)
            words = tr("requests for each grant");
        else if (fact.kind == lesson::Fact::Kind::Count && fact.on == trace::EventKind::Push && fact.notTo.isEmpty())
            words = one ? tr("message to waiters so far") : tr("messages to waiters so far");
        else if (fact.kind == lesson::Fact::Kind::Count && fact.on == trace::EventKind::Push)
            words = one ? tr("waiter notified by this release") : tr("waiters notified by this release");
        if (!words.isEmpty()) numbers.push_back({text, words});
    }
    return numbers;
}

QString LessonGuide::where() const {
    const lesson::Step* const step = current();
    if (!step || !m_lesson) return {};
    QStringList words;
    for (const QString& lane : step->look.lanes) {
        const QString kind = lane.section(u':', 0, 0), name = lane.section(u':', 1);
        if (kind == QLatin1String("belief"))
            words += name.isEmpty() ? tr("what the clients believe")
                                    : tr("what client %1 believes").arg(facts()->client(name));
        else if (kind == QLatin1String("record"))
            words += tr("what the server has on record");
        else if (kind == QLatin1String("copies"))
            words += tr("the copies on the servers");
        else if (kind == QLatin1String("effect"))
            words += tr("what the resource accepted");
        else if (kind == QLatin1String("session"))
            words += name.isEmpty() ? tr("the sessions") : tr("the session of %1").arg(facts()->client(name));
        else if (kind == QLatin1String("clock"))
            words +=
                name.isEmpty() ? tr("the clocks of the clients") : tr("the clock of %1").arg(facts()->client(name));
        else if (kind == QLatin1String("server"))
            words += name.isEmpty() ? tr("the servers") : tr("server %1").arg(name);
    }
    //: Between parts of the timeline: "what client A believes, what the server has on record".
    return words.join(tr(", "));
}

const lesson::Table* LessonGuide::table() const {
    const bool shown = m_phase == Phase::Step && current() && current()->table && arrived();
    return shown ? &*current()->table : nullptr;
}

lesson::Look::Panel LessonGuide::panel() const {
    return m_phase == Phase::Step && current() ? current()->look.panel : lesson::Look::Panel::None;
}

std::vector<int> LessonGuide::protocol() const {
    return m_phase == Phase::Step && current() ? current()->look.protocol : std::vector<int>{};
}

} // namespace lockscope::views
