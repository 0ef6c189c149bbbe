// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/manager_config.h"

#include "recipes/recipe_info.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <set>

namespace lockscope {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(LockManager)
};

/// Sums of several durations, which some of them are in, must not overflow.
constexpr Nanos kLongest = 365 * 24h;

/// Reads one object's members and complains about the first that is wrong, with the path to it.
class Reader {
public:
    Reader(const QJsonObject& object, QString where, QString& complaint)
        : m_object(object), m_where(std::move(where)), m_complaint(complaint) {}

    QString text(const char* name, const QString& usual = {}) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        if (!value.isString()) complain(name, Text::tr("is not a text"));
        return value.toString();
    }
    bool truth(const char* name, bool usual) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        if (!value.isBool()) complain(name, Text::tr("is neither true nor false"));
        return value.toBool();
    }
    int number(const char* name, int usual) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        const int number = value.toInt(0);
        if (number < 1 || number > 1000) complain(name, Text::tr("is not a whole number from 1 to 1000"));
        return number;
    }
    Nanos duration(const char* name, Nanos usual) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        static const QRegularExpression form(QStringLiteral("^([1-9][0-9]{0,8})(ms|s|m)$"));
        const auto match = form.match(value.toString());
        if (!match.hasMatch()) {
            complain(name, Text::tr("is not a duration; write for example \"250ms\", \"5s\" or \"2m\""));
            return usual;
        }
        const QString unit = match.captured(2);
        const Nanos one = unit == u"ms" ? Nanos(1ms) : unit == u"s" ? Nanos(1s) : Nanos(1min);
        const qlonglong count = match.captured(1).toLongLong();
        if (count > kLongest / one) {
            complain(name, Text::tr("is longer than 365 days"));
            return usual;
        }
        return one * count;
    }
    QJsonArray list(const char* name) {
        const QJsonValue value = take(name);
        if (!value.isUndefined() && !value.isArray()) complain(name, Text::tr("is not a list"));
        return value.toArray();
    }
    QJsonObject object(const char* name) {
        const QJsonValue value = take(name);
        if (!value.isUndefined() && !value.isObject()) complain(name, Text::tr("is not an object"));
        return value.toObject();
    }
    /// After the last member: there are no others.
    void end() {
        for (const QString& key : m_object.keys()) {
            if (!m_known.contains(key))
                complain(key, Text::tr("is not known; there are %1").arg(m_known.join(QStringLiteral(", "))));
        }
    }
    void complain(const QString& name, const QString& what) {
        if (m_complaint.isEmpty()) m_complaint = Text::tr("“%1.%2” %3.").arg(m_where, name, what);
    }
    void complain(const char* name, const QString& what) { complain(QLatin1String(name), what); }

private:
    QJsonValue take(const char* name) {
        m_known += QLatin1String(name);
        return m_object.value(QLatin1String(name));
    }
    QJsonObject m_object;
    QString m_where;
    QString& m_complaint;
    QStringList m_known;
};

ConnectionUrl urlOf(const QString& text, const QString& where, QString& complaint) {
    auto url = parseConnectionUrl(text);
    if (!url && complaint.isEmpty()) complaint = Text::tr("%1: %2").arg(where, url.error());
    return url ? *std::move(url) : ConnectionUrl();
}

NamespaceConfig readNamespace(const QJsonObject& object, const QString& where, QString& complaint) {
    NamespaceConfig config;
    Reader reader(object, where, complaint);
    config.name = reader.text("name").toUtf8();
    const QJsonArray engines = reader.list("engines");
    for (qsizetype i = 0; i < engines.size(); ++i) {
        const QString place = QStringLiteral("%1.engines[%2]").arg(where).arg(i);
        Reader engine(engines[i].toObject(), place, complaint);
        EngineConfig one;
        one.url = urlOf(engine.text("url"), place, complaint);
        one.recipe = engine.text("recipe").toUtf8();
        engine.end();
        config.engines.push_back(std::move(one));
    }
    for (const QJsonValue& witness : reader.list("witnesses"))
        config.witnesses.push_back(urlOf(witness.toString(), where + QStringLiteral(".witnesses"), complaint));
    Reader change(reader.object("switch"), where + QStringLiteral(".switch"), complaint);
    const QString mode = change.text("mode", QStringLiteral("drain"));
    if (mode != u"drain" && mode != u"immediate") change.complain("mode", Text::tr("is neither drain nor immediate"));
    config.mode = mode == u"immediate" ? SwitchMode::Immediate : SwitchMode::Drain;
    config.onFailure = change.truth("on-failure", config.onFailure);
    config.drainFor = change.duration("drain-for", config.drainFor);
    config.confirmFor = change.duration("confirm-for", config.confirmFor);
    change.end();
    Reader health(reader.object("health"), where + QStringLiteral(".health"), complaint);
    config.healthEvery = health.duration("every", config.healthEvery);
    config.healthTimeout = health.duration("timeout", config.healthTimeout);
    config.failures = health.number("failures", config.failures);
    config.successes = health.number("successes", config.successes);
    health.end();
    config.options.lease = reader.duration("lease", config.options.lease);
    config.options.watchdog = config.options.lease / 3;
    config.options.token = reader.truth("token", config.options.token);
    config.allowNaive = reader.truth("allow-naive", config.allowNaive);
    reader.end();
    return config;
}

std::optional<QString> complaintOfNamespace(const NamespaceConfig& config) {
    const QString name = QString::fromUtf8(config.name);
    if (config.name.isEmpty()) return Text::tr("A namespace needs a name.");
    if (config.engines.empty() || config.engines.size() > 3)
        return Text::tr("The namespace “%1” needs one to three engines: the primary and up to two fallbacks.")
            .arg(name);
    std::set<QByteArray> ids;
    for (const EngineConfig& engine : config.engines) {
        const recipes::RecipeInfo* const recipe = recipes::findRecipe(engine.recipe);
        if (!recipe)
            return Text::tr("The namespace “%1” names no recipe for %2, or one that there is not: “%3”.")
                .arg(name, engine.url.display(), QString::fromUtf8(engine.recipe));
        if (recipe->naive && !config.allowNaive)
            return Text::tr(
                       "The recipe “%1” is unsafe and exists to be seen failing; the namespace “%2” does not allow "
                       "such (allow-naive).")
                .arg(QString::fromUtf8(engine.recipe), name);
        if (!ids.insert(engine.id()).second)
            return Text::tr("The namespace “%1” names the engine %2 twice.").arg(name, engine.url.display());
    }
    for (const Nanos one : {config.drainFor, config.confirmFor, config.options.lease}) {
        if (one > kLongest || one < Nanos(0))
            return Text::tr("The namespace “%1” has a drain-for, confirm-for or lease that is longer than 365 days, or "
                            "negative.")
                .arg(name);
    }
    if (config.failures < 1 || config.successes < 1 || config.healthEvery <= Nanos(0) ||
        config.healthTimeout <= Nanos(0))
        return Text::tr("The namespace “%1” checks its engines' health never, or counts fewer than one check.")
            .arg(name);
    if (config.confirmFor < 200ms)
        return Text::tr("The namespace “%1” trusts its record for too short a time; at least 200ms.").arg(name);
    return std::nullopt;
}
} // namespace

std::optional<QString> complaintOf(const ManagerConfig& config) {
    std::set<QByteArray> names;
    for (const NamespaceConfig& one : config.namespaces) {
        if (const auto complaint = complaintOfNamespace(one)) return complaint;
        if (!names.insert(one.name).second)
            return Text::tr("There are two namespaces of the name “%1”.").arg(QString::fromUtf8(one.name));
    }
    return std::nullopt;
}

std::expected<ManagerConfig, QString> readManagerConfig(const QByteArray& json) {
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (error.error == QJsonParseError::NoError && !document.isObject())
        return std::unexpected(Text::tr("This is not a JSON object, but another JSON value."));
    if (!document.isObject())
        return std::unexpected(Text::tr("This is not a JSON object: %1 at byte %2.")
                                   .arg(error.errorString(), QString::number(error.offset)));
    QString complaint;
    ManagerConfig config;
    Reader reader(document.object(), QStringLiteral("configuration"), complaint);
    if (reader.number("lockscope-manager", 0) != 1)
        return std::unexpected(Text::tr("“lockscope-manager” is not 1: this is no configuration of a lock manager, or "
                                        "one of a later version."));
    const QJsonArray namespaces = reader.list("namespaces");
    reader.end();
    for (qsizetype i = 0; i < namespaces.size(); ++i)
        config.namespaces.push_back(
            readNamespace(namespaces[i].toObject(), QStringLiteral("namespaces[%1]").arg(i), complaint));
    if (!complaint.isEmpty()) return std::unexpected(complaint);
    if (const auto wrong = complaintOf(config)) return std::unexpected(*wrong);
    return config;
}

} // namespace lockscope
