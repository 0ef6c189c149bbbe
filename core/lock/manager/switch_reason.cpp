// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/switch_reason.h"

#include <QCoreApplication>
#include <array>

namespace lockscope::detail {

namespace {
struct Words {
    SwitchReason reason;
    const char* id;
    const char* sentence;
};

constexpr std::array kWords{
    Words{SwitchReason::Start, "start", QT_TRANSLATE_NOOP("LockManager", "the first engine")},
    Words{SwitchReason::Hand, "hand", QT_TRANSLATE_NOOP("LockManager", "switched by hand")},
    Words{SwitchReason::Configuration, "configuration",
          QT_TRANSLATE_NOOP("LockManager", "the configuration names another primary")},
    Words{SwitchReason::Health, "health",
          QT_TRANSLATE_NOOP("LockManager", "the engine in use fails its health checks")},
    Words{SwitchReason::FailBack, "fail-back",
          QT_TRANSLATE_NOOP("LockManager", "the primary has been healthy again for long enough")},
    Words{SwitchReason::Split, "split",
          QT_TRANSLATE_NOOP("LockManager", "two processes wanted different engines at once")},
    Words{SwitchReason::Unreadable, "unreadable",
          QT_TRANSLATE_NOOP("LockManager", "too few servers answer for the record of the engine in use")},
};
} // namespace

QByteArray idOf(SwitchReason reason) {
    for (const Words& words : kWords)
        if (words.reason == reason) return words.id;
    return {};
}

SwitchReason switchReasonOf(const QByteArray& id) {
    for (const Words& words : kWords)
        if (id == words.id) return words.reason;
    return SwitchReason::Unknown;
}

bool isChoice(SwitchReason reason) {
    return reason == SwitchReason::Hand || reason == SwitchReason::Configuration;
}

QString sentenceOf(SwitchReason reason) {
    for (const Words& words : kWords)
        if (words.reason == reason) return QCoreApplication::translate("LockManager", words.sentence);
    return {};
}

} // namespace lockscope::detail
