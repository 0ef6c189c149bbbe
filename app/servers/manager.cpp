// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "servers/commands.h"
#include "servers/manager_command.h"
#include "servers/manager_file.h"
#include "trace/suggestion.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::cli {

namespace {

using Action = ManagerPlan::Action;

struct Word {
    const char* name;
    Action action;
    int most; ///< places behind it: names of a namespace and of an engine
};
constexpr Word kActions[] = {{"check", Action::Check, 0},
                             {"status", Action::Status, 0},
                             {"switch", Action::Switch, 2},
                             {"fail-back", Action::FailBack, 1},
                             {"watch", Action::Watch, 0}};

/// The words that are no options: no option of this command has a value.
QStringList placesIn(const QStringList& words) {
    QStringList places;
    for (const QString& word : words) {
        if (!word.startsWith(QLatin1Char('-'))) places += word;
    }
    return places;
}

std::expected<ManagerPlan, QString> managerPlan(const QStringList& words) {
    ManagerPlan plan;
    const QStringList places = placesIn(words);
    QStringList names{QStringLiteral("CONFIG"), tr("what to do (check, status, switch, fail-back or watch)")};
    const Word* action = nullptr;
    if (places.size() >= 2) {
        QStringList known;
        for (const Word& word : kActions) {
            known += QLatin1String(word.name);
            if (places[1] == QLatin1String(word.name)) action = &word;
        }
        if (!action)
            return std::unexpected(tr("there is no “manager … %1”%2").arg(places[1], suggestion(places[1], known)));
        plan.action = action->action;
        // A namespace may be left out where there is only one.
        const bool spaceGiven = places.size() - 2 >= action->most && action->most > 0;
        if (spaceGiven) names += QStringLiteral("NAMESPACE");
        if (plan.action == Action::Switch) names += QStringLiteral("ENGINE");
        const auto arguments = Arguments::parse(
            words,
            {{QStringLiteral("json"), false}, {QStringLiteral("immediate"), false}, {QStringLiteral("drain"), false}},
            names);
        if (!arguments) return std::unexpected(arguments.error());
        if (spaceGiven) plan.space = arguments->place(2);
        if (plan.action == Action::Switch) plan.engine = arguments->place(int(names.size()) - 1);
        const bool immediate = arguments->has("immediate"), drain = arguments->has("drain");
        const bool switches = plan.action == Action::Switch || plan.action == Action::FailBack;
        if ((immediate || drain) && !switches)
            return std::unexpected(tr("--immediate and --drain go with switch and fail-back"));
        if (immediate && drain) return std::unexpected(tr("--immediate and --drain exclude each other"));
        if (immediate) plan.mode = SwitchMode::Immediate;
        if (drain) plan.mode = SwitchMode::Drain;
        plan.file = arguments->place(0);
        plan.json = arguments->has("json");
        return plan;
    }
    const auto arguments = Arguments::parse(words, {{QStringLiteral("json"), false}}, names);
    return std::unexpected(arguments ? QString() : arguments.error());
}

/// The engine that the user means: its number, "primary", or a part of its address or recipe that no other has.
std::expected<std::size_t, QString> engineOf(const NamespaceConfig& space, const QString& word) {
    bool isNumber = false;
    const uint number = word.toUInt(&isNumber);
    if (isNumber && number < space.engines.size()) return number;
    if (word == QLatin1String("primary")) return 0;
    std::vector<std::size_t> found;
    QStringList engines;
    for (std::size_t i = 0; i < space.engines.size(); ++i) {
        const QString id = QString::fromUtf8(space.engines[i].id());
        engines += QStringLiteral("%1 = %2").arg(QString::number(i), id);
        if (!isNumber && id.contains(word)) found.push_back(i);
    }
    if (found.size() == 1) return found.front();
    const QString all = engines.join(QStringLiteral(", "));
    return std::unexpected(found.empty() ? tr("there is no engine “%1”; there are %2").arg(word, all)
                                         : tr("“%1” may be several engines: %2").arg(word, all));
}

/// A configuration with mistakes; `check --json` tells them as data. `file`: as in the plan.
int wrongFile(const QString& file, const std::vector<ConfigMistake>& mistakes, bool asData) {
    complainAbout(file, mistakes);
    if (!asData) return kUsage;
    QJsonArray lines;
    for (const ConfigMistake& mistake : mistakes)
        lines += QJsonObject{{QStringLiteral("line"), mistake.line > 0 ? QJsonValue(mistake.line) : QJsonValue()},
                             {QStringLiteral("path"), mistake.path},
                             {QStringLiteral("message"), mistake.message}};
    say(QJsonDocument(QJsonObject{{QStringLiteral("config"), file}, {QStringLiteral("mistakes"), lines}})
            .toJson(QJsonDocument::Compact));
    return kUsage;
}

/// A switch looks at its own namespace only.
std::expected<std::unique_ptr<ManagerCommand>, QString> makeSwitch(ManagerPlan plan) {
    auto space = namespaceOf(plan.config, plan.space);
    if (!space) return std::unexpected(space.error());
    std::size_t engine = 0;
    if (plan.action == Action::Switch) {
        const auto found = engineOf(*space, plan.engine);
        if (!found) return std::unexpected(found.error());
        engine = *found;
    }
    plan.config.namespaces = {*std::move(space)};
    return makeManagerSwitch(std::move(plan), engine);
}

} // namespace

int manager(const QStringList& words) {
    auto plan = managerPlan(words);
    if (!plan) return misused("manager", plan.error());
    const QString file = plan->file;
    const Action action = plan->action;
    const bool asData = plan->json && action == Action::Check;
    auto config = readManagerFile(file);
    if (!config) return wrongFile(file, config.error(), asData);
    plan->config = *std::move(config);
    std::expected<std::unique_ptr<ManagerCommand>, QString> command;
    switch (action) {
    case Action::Check:
        command = makeManagerCheck(*std::move(plan));
        break;
    case Action::Status:
        command = makeManagerStatus(*std::move(plan));
        break;
    case Action::Watch:
        command = makeManagerWatch(*std::move(plan));
        break;
    case Action::Switch:
    case Action::FailBack:
        command = makeSwitch(*std::move(plan));
        break;
    }
    if (!command) {
        complainOfWords(command.error());
        return kUsage;
    }
    auto mistakes = (*command)->mistakes();
    if (!mistakes.empty()) {
        if (action != Action::Switch && action != Action::FailBack) locate(file, mistakes);
        return wrongFile(file, mistakes, asData);
    }
    return (*command)->run();
}

} // namespace lockscope::cli
