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
    bool repeats = false; ///< it may be given several times
};

/// The words of one command, sorted out. Options may stand anywhere before "--".
class Arguments {
public:
    /// The meaning of the words after "--".
    enum class Behind : std::uint8_t { Places, SomebodysCommand };
    /// The error is a sentence: an unknown option with a suggestion, a missing or surplus word. It repeats no value of
    /// an option, and no word that may be a piece of an address.
    /// `places` names the words that stand without an option, "SCENARIO"; all are needed. The last one may be "URL…":
    /// one or more.
    static std::expected<Arguments, QString> parse(const QStringList& words, const std::vector<Option>& options,
                                                   const QStringList& places, Behind behind = Behind::Places);

    bool has(const char* option) const { return m_options.contains(QLatin1String(option)); }
    std::optional<QString> value(const char* option) const;
    /// All values of an option that repeats.
    QStringList values(const char* option) const;
    QString place(int i) const { return m_places.at(i); }
    const QStringList& places() const { return m_places; }

private:
    std::map<QString, QStringList> m_options;
    QStringList m_places;
};

/// Whether both paths lead to one file that there is: what is written to one would replace the other. "-" is no file.
bool leadToOneFile(const QString& read, const QString& written);

/// The duration that an option gives; the complaint names the option.
std::expected<Nanos, QString> durationOf(const char* option, const QString& text, Nanos least = 1ms);

} // namespace lockscope::cli
