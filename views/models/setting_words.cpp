// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/setting_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <span>

namespace lockscope::views {

namespace {

constexpr const char* kForm = "lockscope::views::WorkloadPanel"; ///< whose words and translations these are

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};

struct Word {
    const char *written, *shown;
};
constexpr Word kSettings[]{
    {"recipe", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Recipe")},
    {"clients", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Clients")},
    {"lease", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Lease")},
    {"watchdog", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Watchdog")},
    {"max_hold", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Longest hold")},
    {"hold", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Work")},
    {"think", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Rest")},
    {"token_check", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "Token check")},
    {"deadline", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "At its deadline")},
    {"on_loss", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "When lost")},
};
constexpr Word kValues[]{
    {"on", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "on")},
    {"off", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "off")},
    {"honoured", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "stops")},
    {"ignored", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "goes on")},
    {"stop", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "stops")},
    {"carry-on", QT_TRANSLATE_NOOP("lockscope::views::WorkloadPanel", "goes on")},
};

QString shown(std::span<const Word> words, const QString& written) {
    const auto found =
        std::ranges::find_if(words, [&](const Word& word) { return written == QLatin1String(word.written); });
    return found == words.end() ? written : QCoreApplication::translate(kForm, found->shown);
}

} // namespace

QString settingText(const QString& setting, const QString& value) {
    return Words::tr("%1 = %2", "a setting and its new value").arg(shown(kSettings, setting), shown(kValues, value));
}

QString settingText(const QString& assignment) {
    const qsizetype equals = assignment.indexOf(u'=');
    return equals < 0 ? assignment : settingText(assignment.left(equals), assignment.mid(equals + 1));
}

} // namespace lockscope::views
