// SPDX-License-Identifier: Apache-2.0
// A manager's configuration from JSON.
#include "lock/manager/config_limits.h"
#include "lock/manager/manager_config.h"
#include "ports/url_login.h"
#include "trace/json_positions.h"
#include "trace/suggestion.h"

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

/// The mistakes found so far.
struct Findings {
    std::vector<ConfigMistake> mistakes;
    std::set<QString> misspelt; ///< pointers of fields that stand there under a wrong name: they are not missing
};

bool isComment(const QString& field) {
    return field.startsWith(QLatin1String("//"));
}

/// Reads one object's fields; a mistake leaves the usual value.
class Reader {
public:
    Reader(const QJsonValue& value, QString path, Findings& findings)
        : m_object(value.toObject()), m_path(std::move(path)), m_findings(findings) {
        if (!value.isUndefined() && !value.isObject())
            complain(QString(), Text::tr("an object, { … }, should stand here"));
    }

    QString text(const char* name, const QString& usual = {}) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        if (!value.isString()) complain(name, Text::tr("a text, \"…\", should stand here"));
        return value.toString(usual);
    }
    bool truth(const char* name, bool usual) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        if (!value.isBool()) complain(name, Text::tr("true or false should stand here"));
        return value.toBool(usual);
    }
    int number(const char* name, int usual) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        const int number = value.toInt(0);
        if (number >= 1 && number <= 1000) return number;
        complain(name, Text::tr("a whole number from 1 to 1000 should stand here"));
        return usual;
    }
    Nanos duration(const char* name, Nanos usual) {
        const QJsonValue value = take(name);
        if (value.isUndefined()) return usual;
        static const QRegularExpression form(QStringLiteral("^([1-9][0-9]{0,8})(ms|s|m|h)$"));
        const auto match = form.match(value.toString());
        if (!match.hasMatch()) {
            complain(name, Text::tr("a time with its unit should stand here, such as \"250ms\", \"5s\", \"2m\" or "
                                    "\"1h\""));
            return usual;
        }
        const QString unit = match.captured(2);
        const Nanos one = unit == u"ms"  ? Nanos(1ms)
                          : unit == u"s" ? Nanos(1s)
                          : unit == u"m" ? Nanos(1min)
                                         : Nanos(1h);
        const qlonglong count = match.captured(1).toLongLong();
        if (count <= kLongestTime / one) return one * count;
        complain(name, Text::tr("this is longer than 365 days"));
        return usual;
    }
    QString word(const char* name, const QStringList& words) {
        const QString text = this->text(name, words.front());
        if (words.contains(text)) return text;
        complain(name, Text::tr("“%1” is not known here%2").arg(shownWord(text), suggestion(text, words)));
        return words.front();
    }
    QJsonArray list(const char* name) {
        const QJsonValue value = take(name);
        if (!value.isUndefined() && !value.isArray()) complain(name, Text::tr("a list, [ … ], should stand here"));
        return value.toArray();
    }
    Reader object(const char* name) { return {take(name), pathOf(name), m_findings}; }
    ConnectionUrl url(const char* name) {
        const QString text = this->text(name);
        return urlOf(text, pathOf(name), m_findings);
    }
    static ConnectionUrl urlOf(const QString& text, const QString& path, Findings& findings) {
        if (text.isEmpty()) {
            findings.mistakes.push_back({0, path, Text::tr("the address is missing, such as \"redis://host:6379\"")});
            return {};
        }
        auto url = parseConnectionUrl(text);
        if (!url) findings.mistakes.push_back({0, path, url.error()});
        return url ? *std::move(url) : ConnectionUrl();
    }
    /// After the last field: there are no others.
    void end() {
        for (const QString& key : m_object.keys()) {
            if (m_known.contains(key) || isComment(key)) continue;
            if (const QString meant = nearestWord(key, m_known); !meant.isEmpty())
                m_findings.misspelt.insert(m_path + pointerStep(meant));
            complain(key, Text::tr("there is no field “%1” here%2").arg(shownWord(key), suggestion(key, m_known)));
        }
    }

private:
    void complain(const QString& name, const QString& what) { m_findings.mistakes.push_back({0, pathOf(name), what}); }
    void complain(const char* name, const QString& what) { complain(QString(QLatin1String(name)), what); }
    QString pathOf(const QString& name) const { return name.isEmpty() ? m_path : m_path + pointerStep(name); }
    QString pathOf(const char* name) const { return pathOf(QString(QLatin1String(name))); }
    QJsonValue take(const char* name) {
        m_known += QLatin1String(name);
        return m_object.value(QLatin1String(name));
    }
    QJsonObject m_object;
    QString m_path;
    Findings& m_findings;
    QStringList m_known;
};

QString nameOf(SwitchMode mode) {
    return QString::fromLatin1(switchModeName(mode));
}

NamespaceConfig readNamespace(const QJsonValue& value, const QString& path, Findings& findings) {
    NamespaceConfig config;
    Reader reader(value, path, findings);
    config.name = reader.text("name").toUtf8();
    const QJsonArray engines = reader.list("engines");
    for (qsizetype i = 0; i < engines.size(); ++i) {
        Reader engine(engines[i], QStringLiteral("%1/engines/%2").arg(path).arg(i), findings);
        EngineConfig one;
        one.url = engine.url("url");
        one.recipe = engine.text("recipe").toUtf8();
        engine.end();
        config.engines.push_back(std::move(one));
    }
    const QJsonArray witnesses = reader.list("witnesses");
    for (qsizetype i = 0; i < witnesses.size(); ++i) {
        const QString place = QStringLiteral("%1/witnesses/%2").arg(path).arg(i);
        config.witnesses.push_back(Reader::urlOf(witnesses[i].toString(), place, findings));
    }
    Reader change = reader.object("switch");
    const QString drain = nameOf(SwitchMode::Drain), immediate = nameOf(SwitchMode::Immediate);
    config.mode = change.word("mode", {drain, immediate}) == immediate ? SwitchMode::Immediate : SwitchMode::Drain;
    config.onFailure = change.truth("on-failure", config.onFailure);
    config.failBackAfter = change.duration("fail-back-after", config.failBackAfter);
    config.drainFor = change.duration("drain-for", config.drainFor);
    config.confirmFor = change.duration("confirm-for", config.confirmFor);
    change.end();
    Reader health = reader.object("health");
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

std::vector<ConfigMistake> notJson(const QByteArray& json, const QJsonDocument& document,
                                   const QJsonParseError& error) {
    if (error.error == QJsonParseError::NoError && !document.isObject())
        return {{1, {}, Text::tr("this is no JSON object, { … }, but another JSON value")}};
    return {{JsonPositions::lineOf(json, error.offset), {}, Text::tr("this is not JSON: %1").arg(error.errorString())}};
}
} // namespace

std::expected<ManagerConfig, std::vector<ConfigMistake>> parseManagerConfig(const QByteArray& json) {
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (!document.isObject()) return std::unexpected(notJson(json, document, error));
    const JsonPositions positions(json);
    Findings findings;
    ManagerConfig config;
    const QJsonObject top = document.object();
    if (top[QLatin1String("lockscope-manager")] != QJsonValue(1)) {
        const QString path = QStringLiteral("/lockscope-manager");
        return std::unexpected(std::vector<ConfigMistake>{
            {positions.line(path), path,
             Text::tr("“lockscope-manager” is not 1: this is no configuration of a lock manager, or one of a later "
                      "version")}});
    }
    for (const auto& [path, line] : positions.duplicates()) {
        if (!isComment(path.section(QLatin1Char('/'), -1).replace(QLatin1String("~1"), QLatin1String("/"))))
            findings.mistakes.push_back(
                {line, path, Text::tr("this field stands here for the second time; leave one out")});
    }
    Reader reader(top, {}, findings);
    reader.number("lockscope-manager", 1);
    const QJsonArray namespaces = reader.list("namespaces");
    reader.end();
    for (qsizetype i = 0; i < namespaces.size(); ++i)
        config.namespaces.push_back(readNamespace(namespaces[i], QStringLiteral("/namespaces/%1").arg(i), findings));
    std::erase_if(findings.mistakes, [&](const ConfigMistake& one) { return findings.misspelt.contains(one.path); });
    std::set<QString> told = findings.misspelt;
    for (const ConfigMistake& mistake : findings.mistakes)
        told.insert(mistake.path);
    for (ConfigMistake& mistake : mistakesIn(config)) {
        if (!told.contains(mistake.path)) findings.mistakes.push_back(std::move(mistake));
    }
    for (ConfigMistake& mistake : findings.mistakes) {
        if (mistake.line == 0) mistake.line = positions.line(mistake.path);
    }
    std::ranges::stable_sort(findings.mistakes, {}, &ConfigMistake::line);
    if (!findings.mistakes.empty()) return std::unexpected(std::move(findings.mistakes));
    return config;
}

std::expected<ManagerConfig, QString> readManagerConfig(const QByteArray& json) {
    auto config = parseManagerConfig(json);
    if (!config) return std::unexpected(config.error().front().toString());
    return *std::move(config);
}

} // namespace lockscope
