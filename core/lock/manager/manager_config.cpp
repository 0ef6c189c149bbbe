// SPDX-License-Identifier: Apache-2.0
// Checks of a configuration, however it was put together.
#include "lock/manager/manager_config.h"

#include "lock/manager/config_limits.h"
#include "recipes/no_such_recipe.h"
#include "recipes/recipe_info.h"

#include <QCoreApplication>
#include <set>

namespace lockscope {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(LockManager)
};

/// The mistakes of one namespace.
class Examiner {
public:
    Examiner(const NamespaceConfig& config, QString path, std::vector<ConfigMistake>& mistakes)
        : m_config(config), m_path(std::move(path)), m_mistakes(mistakes) {}

    void examine() {
        if (m_config.name.isEmpty()) mistake("/name", Text::tr("a namespace needs a name"));
        engines();
        times();
        if (m_config.failures < 1) mistake("/health/failures", Text::tr("at least one check counts"));
        if (m_config.successes < 1) mistake("/health/successes", Text::tr("at least one check counts"));
        failBack();
    }

private:
    void mistake(const QString& path, const QString& message) { m_mistakes.push_back({0, m_path + path, message}); }
    void mistake(const char* path, const QString& message) { mistake(QLatin1String(path), message); }

    void engines() {
        if (m_config.engines.empty() || m_config.engines.size() > kMostEngines)
            mistake("/engines", Text::tr("one to three engines are needed: the primary, and up to two fallbacks"));
        std::set<QByteArray> ids;
        for (std::size_t i = 0; i < m_config.engines.size(); ++i) {
            const EngineConfig& engine = m_config.engines[i];
            const QString path = QStringLiteral("/engines/%1").arg(i);
            recipe(engine, path + QStringLiteral("/recipe"));
            if (engine.url.scheme.isEmpty()) continue; // its address is a mistake of its own
            if (!ids.insert(engine.id()).second)
                mistake(path, Text::tr("the engine %1 stands here twice").arg(engine.url.display()));
        }
    }

    void recipe(const EngineConfig& engine, const QString& path) {
        const QString id = QString::fromUtf8(engine.recipe);
        const recipes::RecipeInfo* const recipe = recipes::findRecipe(engine.recipe);
        if (!recipe) {
            mistake(path, id.isEmpty() ? Text::tr("the recipe to lock with is missing") : recipes::noSuchRecipe(id));
        } else if (recipe->naive && !m_config.allowNaive) {
            mistake(path, Text::tr("the recipe “%1” is unsafe and exists to be seen failing; \"allow-naive\": true "
                                   "accepts such")
                              .arg(id));
        }
    }

    void times() {
        const std::pair<const char*, Nanos> lengths[] = {{"/switch/drain-for", m_config.drainFor},
                                                         {"/switch/confirm-for", m_config.confirmFor},
                                                         {"/switch/fail-back-after", m_config.failBackAfter},
                                                         {"/lease", m_config.options.lease}};
        for (const auto& [path, length] : lengths) {
            if (length > kLongestTime) mistake(path, Text::tr("this is longer than 365 days"));
            if (length < Nanos(0)) mistake(path, Text::tr("a time cannot be negative"));
        }
        if (m_config.confirmFor >= Nanos(0) && m_config.confirmFor < 200ms)
            mistake("/switch/confirm-for", Text::tr("this is too short for the servers to answer; at least 200ms"));
        if (m_config.healthEvery <= Nanos(0)) mistake("/health/every", Text::tr("a time of at least 1ms is needed"));
        if (m_config.healthTimeout <= Nanos(0))
            mistake("/health/timeout", Text::tr("a time of at least 1ms is needed"));
    }

    void failBack() {
        if (m_config.failBackAfter <= Nanos(0)) return;
        if (!m_config.onFailure)
            mistake("/switch/fail-back-after",
                    Text::tr("without \"on-failure\": true the primary is left by hand only, and what was switched by "
                             "hand is not switched back"));
        if (const Nanos least = m_config.switchTime(); m_config.failBackAfter < least)
            mistake("/switch/fail-back-after",
                    Text::tr("this is shorter than a switch takes, %1 s; engines would change all the time")
                        .arg(std::chrono::duration<double>(least).count()));
    }

    const NamespaceConfig& m_config;
    QString m_path;
    std::vector<ConfigMistake>& m_mistakes;
};
} // namespace

QString ConfigMistake::toString() const {
    QString text;
    if (line > 0) text += Text::tr("line %1").arg(line) + QStringLiteral(": ");
    if (!path.isEmpty()) text += path + QStringLiteral(": ");
    return text + message;
}

std::vector<ConfigMistake> mistakesIn(const ManagerConfig& config) {
    std::vector<ConfigMistake> mistakes;
    if (config.namespaces.empty())
        mistakes.push_back({0, QStringLiteral("/namespaces"), Text::tr("at least one namespace is needed")});
    std::set<QByteArray> names;
    for (std::size_t i = 0; i < config.namespaces.size(); ++i) {
        const NamespaceConfig& one = config.namespaces[i];
        const QString path = QStringLiteral("/namespaces/%1").arg(i);
        Examiner(one, path, mistakes).examine();
        if (!one.name.isEmpty() && !names.insert(one.name).second)
            mistakes.push_back(
                {0, path + QStringLiteral("/name"),
                 Text::tr("there are two namespaces of the name “%1”").arg(QString::fromUtf8(one.name))});
    }
    return mistakes;
}

std::optional<QString> complaintOf(const ManagerConfig& config) {
    const std::vector<ConfigMistake> mistakes = mistakesIn(config);
    if (mistakes.empty()) return std::nullopt;
    const ConfigMistake& first = mistakes.front();
    // A program knows its namespaces by their names.
    const auto i = static_cast<std::size_t>(first.path.section(QLatin1Char('/'), 2, 2).toUInt());
    if (i >= config.namespaces.size() || config.namespaces[i].name.isEmpty()) return first.toString();
    return Text::tr("The namespace “%1”: %2").arg(QString::fromUtf8(config.namespaces[i].name), first.toString());
}

} // namespace lockscope
