// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QCommandLineParser>
#include <QJsonDocument>
#include <QJsonObject>
#include <cstdio>
#include <expected>

namespace lockscope::bench {

constexpr int kFailed = 3; ///< the exit code where a server or a look has failed

/// The command line of a benchmark: numbers by name, and --json.
class Arguments {
public:
    struct Number {
        const char* name;
        const char* usually;
    };
    /// Takes them from the application's; ends the process at one that is none of these.
    explicit Arguments(std::initializer_list<Number> numbers) {
        m_parser.addOption(QCommandLineOption(QStringLiteral("json")));
        for (const Number& number : numbers)
            m_parser.addOption(
                QCommandLineOption(QLatin1String(number.name), {}, QStringLiteral("N"), QLatin1String(number.usually)));
        m_parser.process(*QCoreApplication::instance());
    }
    int number(const char* name) const { return m_parser.value(QLatin1String(name)).toInt(); }
    bool json() const { return m_parser.isSet(QStringLiteral("json")); }

private:
    QCommandLineParser m_parser;
};

/// One line of JSON on the standard output.
inline void printLine(const QJsonObject& line) {
    std::puts(QJsonDocument(line).toJson(QJsonDocument::Compact).constData());
}

/// Whether a server runs; says why not.
inline bool started(const std::expected<void, QString>& server) {
    if (!server) qCritical("%s", qPrintable(server.error()));
    return server.has_value();
}

} // namespace lockscope::bench
