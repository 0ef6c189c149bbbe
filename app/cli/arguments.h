// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

#include <QStringList>
#include <expected>
#include <map>
#include <optional>

namespace lockscope::cli {

/// An option of a command: "--seed N", or a switch.
struct Option {
    QString name; ///< "seed"
    bool takesValue = true;
};

/// The words of one command, sorted out. Options may stand anywhere before "--"; what follows "--" is `rest`.
class Arguments {
public:
    /// The error is a sentence: an unknown option with a suggestion, a missing or surplus word.
    /// `places` names the words that stand without an option, "SCENARIO"; all are needed.
    static std::expected<Arguments, QString> parse(const QStringList& words, const std::vector<Option>& options,
                                                   const QStringList& places);

    bool has(const char* option) const { return m_options.contains(QLatin1String(option)); }
    std::optional<QString> value(const char* option) const;
    QString place(int i) const { return m_places.at(i); }
    bool hasRest() const { return m_hasRest; }
    const QStringList& rest() const { return m_rest; }

private:
    std::map<QString, QString> m_options;
    QStringList m_places;
    QStringList m_rest;
    bool m_hasRest = false;
};

/// The duration that an option gives; the complaint names the option.
std::expected<Nanos, QString> durationOf(const char* option, const QString& text, Nanos least = 1ms);

} // namespace lockscope::cli
