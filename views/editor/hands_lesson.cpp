// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/hands_lesson.h"

#include "lesson/lesson_file.h"
#include "lesson/scene_run.h"
#include "scenario/scenario_file.h"
#include "trace/duration.h"
#include "trace/json_edit.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

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

} // namespace

std::optional<QByteArray> lessonText(HandsRecorder::Taken taken, const QString& language,
                                     const experiment::RunWatch& watch) {
    auto& [scenario, seed, steps] = taken;
    Q_ASSERT(!steps.empty());
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
                 {QStringLiteral("seed"), qint64(seed)}};
    const Object change = mergePatch(objectOf(*base), objectOf(scenario));
    if (!change.isEmpty()) scene[u"change"] = change;

    // A claim that this run bears out; the teacher adds those that the words make.
    // The session's own verdict may lag behind its trace, so the scene is played and judged as a whole.
    lesson::Scene played;
    played.id = QStringLiteral("run");
    played.scenario = base->id;
    played.change = change;
    played.recipe = scenario.recipe;
    std::optional<lesson::Facts> facts;
    if (const auto whole = lesson::scenarioOf(played)) {
        const auto run = experiment::run(*whole, seed, watch);
        if (!run) return std::nullopt;
        facts.emplace(run->trace, std::make_shared<verdict::Verdict>(run->verdict), *whole,
                      std::vector<scenario::Fault>(), lesson::Names());
        for (HandsRecorder::Mark& mark : steps)
            mark.at = rounded(*run->trace, mark.at);
        HandsRecorder::joinEqual(steps);
    }
    QJsonArray list;
    for (const HandsRecorder::Mark& mark : steps) {
        lesson::Fact fact;
        fact.kind = lesson::Fact::Kind::Violated;
        const bool broken = facts && facts->value(fact, mark.at).number != 0;
        const QString words = mark.notes.join(u' ');
        const bool chinese = language == QLatin1String("zh_CN");
        Object step{{QStringLiteral("until"), formatDuration(mark.at)},
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
    return jsonText(lesson, fieldOrder(lesson::lessonSchema())) + '\n';
}

} // namespace lockscope::views
