// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson_check.h"

#include "recipes/no_such_recipe.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "scenario/user_files.h"
#include "trace/suggestion.h"

#include <QFileInfo>
#include <QRegularExpression>

namespace lockscope::lesson {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("lesson", text);
}

/// Checks all names that one scene defines, or that stand where it plays.
class Checker {
public:
    Checker(const Scene& scene, std::vector<scenario::Complaint>& complaints) : m_complaints(complaints) {
        for (const Moment& moment : scene.moments) {
            m_moments += moment.id;
            for (const QString& name : {moment.who, moment.owner})
                if (!name.isEmpty() && !m_clients.contains(name)) m_clients += name;
        }
        for (const auto& [name, fact] : scene.values)
            m_values += name;
    }

    void instant(const Instant& instant, const QString& path) {
        if (instant.base == Instant::Base::Moment) known(instant.moment, m_moments, tr("moment"), path);
    }
    void fact(const Fact& fact, const QString& path) {
        for (const Instant& one : {fact.at, fact.from, fact.to})
            instant(one, path);
        client(fact.who, path);
        client(fact.notTo, path);
    }
    void conditions(const std::vector<Condition>& conditions, const QString& path) {
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            const QString place = path + QStringLiteral("/%1").arg(i);
            fact(conditions[i].fact, place);
            for (const QString& name : conditions[i].clients)
                client(name, place);
        }
    }
    void texts(const Texts& texts, const QString& path) {
        for (const auto& [language, text] : texts.byLanguage)
            for (const QString& name : namesIn(text))
                known(name, m_clients + m_moments + m_values, tr("name"), path + u'/' + language);
    }
    void client(const QString& name, const QString& path) {
        if (!name.isEmpty()) known(name, m_clients, tr("client"), path);
    }

private:
    void known(const QString& name, const QStringList& all, const QString& kind, const QString& path) {
        if (!all.contains(name))
            m_complaints.push_back({path, tr("the scene defines no %1 “%2”%3").arg(kind, name, suggestion(name, all))});
    }
    std::vector<scenario::Complaint>& m_complaints;
    QStringList m_clients, m_moments, m_values;
};

/// Whether there is a scenario by that name; reading it is for the one who plays it.
bool isScenario(const QString& name) {
    return scenario::builtinScenarios().contains(name) ||
           !scenario::userFile(scenario::Shelf::Scenarios, name).isEmpty() || QFileInfo::exists(name);
}

void checkScene(const Scene& scene, const QString& path, std::vector<scenario::Complaint>& complaints) {
    if (!isScenario(scene.scenario)) {
        const QStringList all = scenario::builtinScenarios() + scenario::userFiles(scenario::Shelf::Scenarios);
        complaints.push_back({path + QStringLiteral("/scenario"),
                              tr("there is no scenario “%1”%2").arg(scene.scenario, suggestion(scene.scenario, all))});
    }
    if (!scene.recipe.isEmpty() && !recipes::findRecipe(scene.recipe.toUtf8()))
        complaints.push_back({path + QStringLiteral("/recipe"), recipes::noSuchRecipe(scene.recipe)});
    Checker checker(scene, complaints);
    QStringList before{QStringLiteral("start")};
    for (std::size_t i = 0; i < scene.moments.size(); ++i) {
        const Moment& moment = scene.moments[i];
        const QString place = path + QStringLiteral("/moments/%1").arg(i);
        if (before.contains(moment.id) || moment.id == QLatin1String("here") || moment.id == QLatin1String("end"))
            complaints.push_back({place, tr("“%1” is taken; give the moment another name").arg(moment.id)});
        if (!moment.since.isEmpty() && !before.contains(moment.since))
            complaints.push_back({place, tr("“%1” must be an earlier moment").arg(moment.since)});
        before += moment.id;
    }
    for (const auto& [name, fact] : scene.values)
        checker.fact(fact, path + QStringLiteral("/values/") + name);
}

void checkTable(const Table& table, const QString& path, std::vector<scenario::Complaint>& complaints) {
    const QStringList all = scenario::builtinScenarios();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        for (const QString& id : table.columns[i].scenarios)
            if (!all.contains(id))
                complaints.push_back({path + QStringLiteral("/columns/%1/scenarios").arg(i),
                                      tr("there is no scenario “%1”%2").arg(id, suggestion(id, all))});
}

void checkStep(const Step& step, const Scene& scene, const QString& path,
               std::vector<scenario::Complaint>& complaints) {
    Checker checker(scene, complaints);
    checker.instant(step.until, path + QStringLiteral("/until"));
    if (step.from) checker.instant(*step.from, path + QStringLiteral("/from"));
    if (step.window)
        for (const Instant& one : {step.window->first, step.window->second})
            checker.instant(one, path + QStringLiteral("/window"));
    checker.texts(step.say, path + QStringLiteral("/say"));
    for (const Instant& one : {step.look.from, step.look.to})
        checker.instant(one, path + QStringLiteral("/look"));
    for (const QString& lane : step.look.lanes)
        for (const QLatin1String kind : {QLatin1String("belief:"), QLatin1String("session:"), QLatin1String("clock:")})
            if (lane.startsWith(kind)) checker.client(lane.sliced(kind.size()), path + QStringLiteral("/look"));
    checker.conditions(step.claims, path + QStringLiteral("/claims"));
    if (step.table) checkTable(*step.table, path + QStringLiteral("/table"), complaints);
    if (!step.ask) return;
    checker.texts(step.ask->text, path + QStringLiteral("/ask/question"));
    for (std::size_t i = 0; i < step.ask->choices.size(); ++i) {
        const QString place = path + QStringLiteral("/ask/choices/%1").arg(i);
        checker.texts(step.ask->choices[i].text, place + QStringLiteral("/text"));
        checker.conditions(step.ask->choices[i].when, place + QStringLiteral("/when"));
    }
}

} // namespace

QStringList namesIn(const QString& text) {
    static const QRegularExpression kName(QStringLiteral("\\{([^{}]*)\\}"));
    QStringList names;
    for (const QRegularExpressionMatch& match : kName.globalMatch(text))
        names += match.captured(1);
    return names;
}

void checkNames(const Lesson& lesson, std::vector<scenario::Complaint>& complaints) {
    for (std::size_t i = 0; i < lesson.scenes.size(); ++i)
        checkScene(lesson.scenes[i], QStringLiteral("/scenes/%1").arg(i), complaints);
    const auto sceneAt = [&](const QString& id, const QString& path) {
        const Scene* const scene = lesson.scene(id);
        if (!scene) complaints.push_back({path, tr("the lesson has no scene “%1”").arg(id)});
        return scene;
    };
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
        const QString path = QStringLiteral("/steps/%1").arg(i);
        if (const Scene* const scene = sceneAt(lesson.steps[i].scene, path))
            checkStep(lesson.steps[i], *scene, path, complaints);
    }
    for (qsizetype i = 0; i < lesson.aside.size(); ++i)
        if (const QStringList all = scenario::builtinScenarios(); !all.contains(lesson.aside[i]))
            complaints.push_back(
                {QStringLiteral("/aside/%1").arg(i),
                 tr("there is no scenario “%1”%2").arg(lesson.aside[i], suggestion(lesson.aside[i], all))});
    if (!lesson.turn) return;
    const QString path = QStringLiteral("/turn");
    if (!sceneAt(lesson.turn->scene, path)) return;
    // The learner's run is another one: no moment of the scene need happen in it.
    Checker checker(Scene{}, complaints);
    checker.texts(lesson.turn->task, path + QStringLiteral("/task"));
    checker.texts(lesson.turn->hint, path + QStringLiteral("/hint"));
    checker.conditions(lesson.turn->goal, path + QStringLiteral("/goal"));
}

} // namespace lockscope::lesson
