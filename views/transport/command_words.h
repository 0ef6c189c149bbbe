// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

#include <QString>
#include <optional>

class QAction;

namespace lockscope::views {

/// The words by which a command is found.
struct CommandWords {
    QString name;  ///< "Pause client", translated, without its mnemonic
    QString group; ///< where it lives, translated; empty: nowhere
    /// The command's name in English, whatever language the interface has, and other words for it in all languages.
    QString also;
    bool operator==(const CommandWords&) const = default;
};
CommandWords wordsOf(const QAction& action);

/// How well a command answers what was typed, better ones first. 0: not at all.
enum class CommandMatch : std::uint8_t {
    None,
    Letters, ///< all letters come in order somewhere in the name
    Also,    ///< each word typed begins a word of the name, the group, or the other words for it
    Words,   ///< each word typed begins a word of the name, or of the group and the name
    Begins,  ///< the name begins with the typed text
    Equal,
};
/// "what is a lease" → "lease": the words that say what is wanted. All of them, if there are no others.
QString withoutLittleWords(const QString& typed);
CommandMatch matchOf(const QString& typed, const CommandWords& words);

/// An instant as people write it: "6.8s", "1 m 20 s", "12 秒", or as the clock shows it, "01:20.5". nullopt: it is
/// none.
std::optional<Nanos> timeTyped(const QString& text);

/// "go to 12", "跳到 12 秒": seconds where no unit is typed. nullopt: it asks for no instant.
std::optional<Nanos> instantAskedFor(const QString& text);
/// "10x", "0.5×", "10 倍": how many times as fast as real time. nullopt: it is no speed.
std::optional<double> speedTyped(const QString& text);

} // namespace lockscope::views
