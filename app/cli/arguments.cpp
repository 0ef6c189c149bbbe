// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"

#include "cli/text.h"
#include "ports/url_login.h"
#include "scenario/scenario.h"
#include "scenario/schema_check.h"

#include <QFileInfo>
#include <QRegularExpression>

namespace lockscope::cli {

namespace {

/// The part of an unknown option that a message shows: its name. "-pSECRET" is how some programs take a password.
QString nameShown(const QString& word) {
    if (!word.startsWith(QLatin1String("--"))) return word.first(2);
    return shownWord(word).section(QLatin1Char('='), 0, 0);
}

} // namespace

std::expected<Arguments, QString> Arguments::parse(const QStringList& words, const std::vector<Option>& options,
                                                   const QStringList& places, Behind behind) {
    Arguments arguments;
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QString& word = words[i];
        if (word == QLatin1String("--")) {
            if (behind == Behind::Places) arguments.m_places += words.mid(i + 1);
            break;
        }
        if (!word.startsWith(QLatin1Char('-')) || word.size() == 1) {
            arguments.m_places += word;
            continue;
        }
        const QString name = word.section(QLatin1Char('='), 0, 0).mid(2);
        const auto known = std::ranges::find(options, name, &Option::name);
        if (!word.startsWith(QLatin1String("--")) || known == options.end()) {
            QStringList names;
            for (const Option& option : options)
                names += QStringLiteral("--") + option.name;
            const QString shown = nameShown(word);
            return std::unexpected(tr("there is no option %1%2").arg(shown, scenario::suggestion(shown, names)));
        }
        if (arguments.m_options.contains(name) && !known->repeats)
            return std::unexpected(tr("--%1 is given twice").arg(name));
        if (!known->takesValue) {
            if (word.contains(QLatin1Char('='))) return std::unexpected(tr("--%1 takes no value").arg(name));
            arguments.m_options[name] << QString();
        } else if (word.contains(QLatin1Char('='))) {
            arguments.m_options[name] << word.section(QLatin1Char('='), 1);
        } else if (i + 1 < words.size() && words[i + 1] != QLatin1String("--")) {
            arguments.m_options[name] << words[++i];
        } else {
            return std::unexpected(tr("--%1 needs a value").arg(name));
        }
    }
    if (arguments.m_places.size() < places.size()) {
        return std::unexpected(tr("%1 is missing").arg(places[arguments.m_places.size()]));
    }
    if (const qsizetype empty = arguments.m_places.indexOf(QString()); empty >= 0 && !places.isEmpty())
        return std::unexpected(tr("%1 is empty").arg(places[std::min(empty, places.size() - 1)]));
    const bool several = !places.isEmpty() && places.back().endsWith(QChar(0x2026));
    if (arguments.m_places.size() > places.size() && !several) {
        // A password with a space in it falls apart: beside an address, any word may be a piece of one.
        static const QRegularExpression kOfAddress(QStringLiteral("://|@"));
        if (!arguments.m_places.filter(kOfAddress).isEmpty()) {
            return std::unexpected(tr("there is more than %1; what has a space in it needs quotes")
                                       .arg(places.join(QStringLiteral(", "))));
        }
        return std::unexpected(tr("“%1” is one word too many").arg(arguments.m_places[places.size()]));
    }
    return arguments;
}

std::optional<QString> Arguments::value(const char* option) const {
    const auto found = m_options.find(QLatin1String(option));
    if (found == m_options.end()) return std::nullopt;
    return found->second.back();
}

QStringList Arguments::values(const char* option) const {
    const auto found = m_options.find(QLatin1String(option));
    return found == m_options.end() ? QStringList() : found->second;
}

std::expected<Nanos, QString> durationOf(const char* option, const QString& text, Nanos least) {
    const auto duration = scenario::parseDuration(text);
    if (duration && *duration >= least) return *duration;
    return std::unexpected(tr("--%1 “%2” should be a time of at least %3 with its unit, such as 5s, 250ms or 1.5h")
                               .arg(QLatin1String(option), text, scenario::formatDuration(least)));
}

bool leadToOneFile(const QString& read, const QString& written) {
    const QString one = QFileInfo(read).canonicalFilePath();
    return !one.isEmpty() && one == QFileInfo(written).canonicalFilePath();
}

} // namespace lockscope::cli
