// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include "trace/text.h"

#include <QCoreApplication>

namespace lockscope::scenario {

namespace {

constexpr std::array kActionIds{
    "pause-client",  "resume-client", "kill-client", "restart-client",     "pause-node", "resume-node",
    "kill-node",     "restart-node",  "crash-node",  "restart-node-empty", "failover",   "evict-key",
    "flush-node",    "exhaust-pool",  "free-pool",   "stall-disk",         "free-disk",  "cut-link",
    "mend-link",     "delay-link",    "jitter-link", "reset-link",         "jump-clock", "drift-clock",
    "stop-watchdog", "lose-reply",    "lose-push",   "repeat-request",     "hang-work",  "heal-all",
    "switch-engine", "set",
};
static_assert(kActionIds.size() == static_cast<std::size_t>(Action::Set) + 1);

/// The text for a language ("zh_CN"), else for its main language ("zh"), else the plain one.
QString inLanguage(const std::map<QString, QString>& texts, const QString& plain, const QString& language) {
    if (const auto exact = texts.find(language); exact != texts.end()) return exact->second;
    if (const auto main = texts.find(language.section(QLatin1Char('_'), 0, 0)); main != texts.end())
        return main->second;
    return plain;
}

} // namespace

QByteArray actionId(Action action) {
    return kActionIds[static_cast<std::size_t>(action)];
}

std::optional<Action> actionFromId(const QByteArray& id) {
    const auto found = std::ranges::find_if(kActionIds, [&](const char* known) { return id == known; });
    if (found == kActionIds.end()) return std::nullopt;
    return static_cast<Action>(found - kActionIds.begin());
}

const Expectation* Scenario::expectationFor(const QString& recipeId) const {
    const QString kind = recipeId.section(QLatin1Char('-'), 0, 0) + QStringLiteral("-*");
    for (const QString& key : {recipeId, kind, QStringLiteral("*")})
        if (const auto found = expect.find(key); found != expect.end()) return &found->second;
    return nullptr;
}

QString Scenario::titleIn(const QString& language) const {
    return inLanguage(titles, title, language);
}

QString Scenario::summaryIn(const QString& language) const {
    return inLanguage(summaries, summary, language);
}

QString clientName(int i) {
    QString name;
    for (int rest = i + 1; rest > 0; rest = (rest - 1) / 26) {
        name.prepend(QChar(static_cast<char16_t>(u'A' + (rest - 1) % 26)));
    }
    return name;
}

QString Problem::toString() const {
    QStringList parts;
    if (!file.isEmpty())
        parts += line > 0 ? file + QLatin1Char(':') + QString::number(line) : file;
    else if (line > 0) // of a text that is still being written
        parts += QCoreApplication::translate("scenario", "line %1").arg(line);
    if (!path.isEmpty()) parts += path;
    parts += message;
    // Words of the file stand in it, and may have line breaks.
    return trace::readableSentence(parts.join(QStringLiteral(": ")).toUtf8());
}

void Scenario::setServices(std::vector<ServiceSpec> all) {
    services = std::move(all);
    nodes = services.empty() ? std::vector{NodeSpec{}} : serversOf(services);
}

std::size_t Scenario::serviceOf(const QString& lockName) const {
    const auto named =
        std::ranges::find_if(moreLocks, [&](const NamedLock& other) { return other.settings.name == lockName; });
    const QString& keeper = named == moreLocks.end() ? lock.service : named->settings.service;
    const auto service = std::ranges::find(services, keeper, &ServiceSpec::id);
    return keeper.isEmpty() || service == services.end() ? 0 : std::size_t(service - services.begin());
}

QStringList Scenario::lockNames() const {
    QStringList names{lock.name};
    for (const NamedLock& other : moreLocks)
        names += other.settings.name;
    return names;
}

std::optional<std::size_t> Scenario::serviceNamed(const QString& named) const {
    std::vector<NodeSpec> before;
    for (std::size_t i = 0; i < services.size(); ++i) {
        const std::vector<NodeSpec> own = serversOf(services[i], before);
        if (services[i].id == named || std::ranges::find(own, named, &NodeSpec::id) != own.end()) return i;
        before.insert(before.end(), own.begin(), own.end());
    }
    return std::nullopt;
}

int Scenario::engineNumber(const QString& name) const {
    if (!manager) return -1;
    if (const auto number = manager->engines.indexOf(name); number >= 0) return int(number);
    const auto service = serviceNamed(name);
    return service ? int(manager->engines.indexOf(services[*service].id)) : -1;
}

QByteArray managerModeId(std::optional<SwitchMode> mode) {
    return mode ? switchModeName(*mode) : "naive";
}

const std::optional<SwitchMode>* findManagerMode(const QString& id) {
    const auto found = std::ranges::find(kManagerModes, id.toUtf8(), managerModeId);
    return found == kManagerModes.end() ? nullptr : &*found;
}

QByteArray triggerId(Trigger::On on) {
    constexpr std::array kIds{"granted", "requested", "released", "recorded", "step", "lease-left", "leader"};
    return kIds[std::size_t(on)];
}

} // namespace lockscope::scenario
