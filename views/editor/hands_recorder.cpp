// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/hands_recorder.h"

#include "editor/strikes.h"
#include "lesson/lesson_file.h"
#include "lesson/scene_run.h"
#include "scenario/scenario_file.h"
#include "trace/json_edit.h"
#include "trace/time_text.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace lockscope::views {

namespace {

using Object = QJsonObject;

const QString kBase = QStringLiteral("contention"); ///< what a scenario that is nobody's builds on

constexpr double kFastestStep = 100; ///< that the schema of lessons allows; a run can be played faster

/// The patch to be merged into `from` to get `to` (RFC 7396); fields that are gone are null.
Object mergePatch(const Object& from, const Object& to) {
    Object patch;
    for (auto it = from.begin(); it != from.end(); ++it)
        if (!to.contains(it.key())) patch[it.key()] = QJsonValue::Null;
    for (auto it = to.begin(); it != to.end(); ++it) {
        const QJsonValue before = from[it.key()];
        if (before == *it) continue;
        const bool inner = before.isObject() && it->isObject();
        patch[it.key()] = inner ? QJsonValue(mergePatch(before.toObject(), it->toObject())) : QJsonValue(*it);
    }
    return patch;
}

Object objectOf(const scenario::Scenario& scenario) {
    return QJsonDocument::fromJson(scenario::toJson(scenario)).object();
}

/// The roundest instant from `at` on before which nothing else happens: a person reads it, and the same is in sight.
Nanos rounded(const trace::Trace& trace, Nanos at) {
    for (const Nanos unit : {Nanos(10ms), Nanos(1ms), Nanos(100us), Nanos(10us), Nanos(1us)}) {
        const Nanos up = (at + unit - 1ns) / unit * unit;
        if (up <= trace.reached() && trace.upperBound(up) == trace.upperBound(at)) return up;
    }
    return at;
}

/// A text for both languages: the same in each, until somebody translates it.
Object inBoth(const QString& english, const QString& chinese) {
    return {{QStringLiteral("en"), english}, {QStringLiteral("zh_CN"), chinese}};
}

/// Marks of one instant become one, with the notes of all.
void joinEqual(std::vector<HandsRecorder::Mark>& marks) {
    std::vector<HandsRecorder::Mark> joined;
    for (HandsRecorder::Mark& mark : marks) {
        if (!joined.empty() && joined.back().at == mark.at)
            joined.back().notes += mark.notes;
        else
            joined.push_back(std::move(mark));
    }
    marks = std::move(joined);
}

} // namespace

HandsRecorder::HandsRecorder(ViewContext* context, Player* player, QObject* parent)
    : QObject(parent), m_context(context), m_player(player) {
    connect(player, &Player::playingChanged, this, [this](bool playing) {
        if (m_on && !playing && m_context->session() == m_session) mark();
    });
    connect(player, &Player::speedChanged, this, [this](double) {
        if (!m_on || m_context->session() != m_session) return;
        mark(); // with the speed until here
        notePace(m_context->playhead());
    });
    connect(context, &ViewContext::scenarioChanged, this, [this] {
        if (m_on) Q_EMIT changed();
    });
    connect(context, &ViewContext::sessionChanged, this, [this] {
        if (!m_on) return;
        if (m_context->session() == m_session) { // its trace was replaced
            if (std::ranges::find(m_paces, run(), &Pace::run) == m_paces.end()) notePace({});
            Q_EMIT changed(); // stops in another run are no steps of this one
            return;
        }
        Q_EMIT lost();
        if (m_on) abandon();
    });
}

std::expected<void, QString> HandsRecorder::start() {
    session::Session* const session = m_context->session();
    if (!session || !session->abilities().rewind)
        return std::unexpected(tr("Only what is done with a simulation can become a lesson: open a scenario first."));
    m_session = session;
    m_before = session->doneByHand();
    m_marks.clear();
    m_paces.clear();
    notePace({});
    m_on = true;
    Q_EMIT changed();
    return {};
}

std::optional<HandsRecorder::Kept> HandsRecorder::kept() const {
    return m_on ? std::optional(Kept{m_before, m_marks, m_paces}) : std::nullopt;
}

void HandsRecorder::resume(Kept kept) {
    Q_ASSERT(m_context->session());
    m_session = m_context->session();
    m_before = std::move(kept.before);
    m_marks = std::move(kept.marks);
    m_paces = std::move(kept.paces);
    m_on = true;
    Q_EMIT changed();
}

HandsRecorder::Run HandsRecorder::run() const {
    return m_session ? Run{m_session->seed(), m_session->scenario().recipe} : Run{};
}

void HandsRecorder::notePace(Nanos from) {
    m_paces.push_back({from, m_player->speed(), run()});
}

double HandsRecorder::speedAt(Nanos at) const {
    const Run now = run();
    double speed = 1;
    for (const Pace& pace : m_paces)
        if (pace.from <= at && pace.run == now) speed = pace.speed;
    return speed;
}

void HandsRecorder::mark(const QString& note) {
    const Nanos at = m_context->playhead();
    if (at <= Nanos{} && note.isEmpty()) return; // everything begins there
    m_marks.push_back({at, speedAt(at), note.isEmpty() ? QStringList() : QStringList{note}, run()});
    Q_EMIT changed();
}

void HandsRecorder::note(const QString& text) {
    if (m_on && !text.trimmed().isEmpty()) mark(text.trimmed());
}

std::vector<HandsRecorder::Mark> HandsRecorder::marks() const {
    if (!m_session) return {};
    const Run now = run();
    std::vector<Mark> all;
    std::ranges::copy_if(m_marks, std::back_inserter(all), [&](const Mark& mark) { return mark.run == now; });
    // Only what was not taken back again, where it struck.
    const std::vector<scenario::Fault> done = m_session->doneByHand();
    const auto strikes = strikesOf(done, *m_session->trace());
    for (std::size_t i = 0; i < done.size(); ++i)
        if (strikes[i] && std::ranges::find(m_before, done[i]) == m_before.end())
            all.push_back({*strikes[i], speedAt(*strikes[i])});
    std::ranges::stable_sort(all, {}, &Mark::at);
    joinEqual(all);
    return all;
}

void HandsRecorder::abandon() {
    m_on = false;
    m_session = nullptr;
    Q_EMIT changed();
}

QByteArray HandsRecorder::finish(const QString& language) {
    if (!m_on || !m_session) return {};
    std::vector<Mark> steps = marks();
    if (steps.empty()) steps.push_back({m_context->furthest(), m_player->speed()});
    scenario::Scenario scenario = m_session->scenario();
    for (scenario::Fault& fault : scenario.faults)
        fault.byHand = false; // in the lesson nobody's hand does it
    scenario.seed.reset();    // the scene says it
    // The run may have gone beyond its plan, as a search for the next violation does; no step may stop beyond the end.
    scenario.until = std::max<Nanos>(scenario.until, std::chrono::ceil<std::chrono::seconds>(steps.back().at));
    const auto known = scenario::loadScenario(scenario.id);
    const auto base = known ? known : scenario::loadScenario(kBase);
    Object scene{{QStringLiteral("id"), QStringLiteral("run")},
                 {QStringLiteral("scenario"), base->id},
                 {QStringLiteral("recipe"), scenario.recipe},
                 {QStringLiteral("seed"), qint64(m_session->seed())}};
    const Object change = mergePatch(objectOf(*base), objectOf(scenario));
    if (!change.isEmpty()) scene[u"change"] = change;

    // A claim that this run bears out; the teacher adds those that the words make.
    // The session's own verdict may lag behind its trace, so the scene is played and judged as a whole.
    lesson::Scene played;
    played.id = QStringLiteral("run");
    played.scenario = base->id;
    played.change = change;
    played.recipe = scenario.recipe;
    played.seed = m_session->seed();
    const auto run = lesson::playScene(played);
    if (run) {
        for (Mark& mark : steps)
            mark.at = rounded(run->facts->trace(), mark.at);
        joinEqual(steps);
    }
    QJsonArray list;
    for (const Mark& mark : steps) {
        lesson::Fact fact;
        fact.kind = lesson::Fact::Kind::Violated;
        const bool broken = run && run->facts->value(fact, mark.at).number != 0;
        const QString words = mark.notes.join(u' ');
        const bool chinese = language == QLatin1String("zh_CN");
        Object step{{QStringLiteral("until"), typedTimeText(mark.at)},
                    {QStringLiteral("say"), inBoth(chinese ? QString() : words, chinese ? words : QString())},
                    {QStringLiteral("claims"),
                     QJsonArray{Object{{QStringLiteral("fact"), QStringLiteral("violated")},
                                       {QStringLiteral("invariant"), QStringLiteral("mutual-exclusion")},
                                       {QStringLiteral("is"), broken}}}}};
        if (mark.speed != 1) step[u"speed"] = std::min(mark.speed, kFastestStep);
        list += step;
    }
    const Object lesson{{QStringLiteral("lockscope_lesson"), 1},
                        {QStringLiteral("id"), QStringLiteral("my-") + base->id},
                        {QStringLiteral("order"), 100},
                        {QStringLiteral("minutes"), 5},
                        {QStringLiteral("title"),
                         inBoth(scenario.titleIn(QStringLiteral("en")), scenario.titleIn(QStringLiteral("zh_CN")))},
                        {QStringLiteral("idea"), inBoth({}, {})},
                        {QStringLiteral("remember"), inBoth({}, {})},
                        {QStringLiteral("sources"),
                         QJsonArray{Object{{QStringLiteral("text"),
                                            inBoth(QStringLiteral("Recorded by hand"), QStringLiteral("亲手录制"))}}}},
                        {QStringLiteral("scenes"), QJsonArray{scene}},
                        {QStringLiteral("steps"), list}};
    abandon();
    return jsonText(lesson, fieldOrder(lesson::lessonSchema())) + '\n';
}

} // namespace lockscope::views
