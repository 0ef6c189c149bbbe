// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/chapter_words.h"

#include <QCoreApplication>
#include <array>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Chapters)
};

struct Chapter {
    const char* id;
    const char* words;
};
constexpr std::array kChapters{
    Chapter{"basics", QT_TRANSLATE_NOOP("Chapters", "First steps")},
    Chapter{"time", QT_TRANSLATE_NOOP("Chapters", "Leases, pauses and clocks")},
    Chapter{"waiting", QT_TRANSLATE_NOOP("Chapters", "Waiting")},
    Chapter{"failover", QT_TRANSLATE_NOOP("Chapters", "Replicas and forgotten data")},
    Chapter{"redlock", QT_TRANSLATE_NOOP("Chapters", "Redlock")},
    Chapter{"engines", QT_TRANSLATE_NOOP("Chapters", "Changing the engine")},
    Chapter{"sessions", QT_TRANSLATE_NOOP("Chapters", "Sessions: ZooKeeper and etcd")},
    Chapter{"databases", QT_TRANSLATE_NOOP("Chapters", "Databases")},
    Chapter{"museum", QT_TRANSLATE_NOOP("Chapters", "Museum: failures that were published")},
};

} // namespace

QString chapterWords(const QString& chapter) {
    const auto known =
        std::ranges::find_if(kChapters, [&](const Chapter& c) { return chapter == QLatin1String(c.id); });
    return known == kChapters.end() ? chapter : Words::tr(known->words);
}

} // namespace lockscope::views
