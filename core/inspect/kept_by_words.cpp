// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by_words.h"

#include <QCoreApplication>
#include <array>

namespace lockscope::inspect {

namespace {
/// The words of one place, by what keeps the hold; nullptr: none.
struct Words {
    KeptByUse use;
    const char* context;
    const char* session;
    const char* transaction;
    const char* either;
};

constexpr std::array kWords{
    Words{KeptByUse::TimeLeft, "Locks",
          //: In the column of times left: the lock is kept by its holder's session.
          QT_TRANSLATE_NOOP("Locks", "by session"), QT_TRANSLATE_NOOP("Locks", "by transaction"),
          //: In the column of times left, and in a ring of 14 letters: the session or the transaction keeps the lock.
          QT_TRANSLATE_NOOP("Locks", "session or txn")},
    Words{KeptByUse::Renewal, "Locks", nullptr,
          //: In the column of renewals: nobody renews the lock, it ends with its holder's transaction.
          QT_TRANSLATE_NOOP("Locks", "ends at commit"), nullptr},
    Words{KeptByUse::RenewalInFull, "Locks", QT_TRANSLATE_NOOP("Locks", "none: the session keeps it"),
          QT_TRANSLATE_NOOP("Locks", "none: it ends at commit"),
          QT_TRANSLATE_NOOP("Locks", "none: the session or the transaction keeps it")},
    Words{KeptByUse::NoLease, "lockscope::views::LocksModel",
          QT_TRANSLATE_NOOP("lockscope::views::LocksModel",
                            "No lease: the lock ends with its holder's session, or is released before."),
          QT_TRANSLATE_NOOP("lockscope::views::LocksModel",
                            "No lease: the lock ends when its holder's transaction does."),
          QT_TRANSLATE_NOOP("lockscope::views::LocksModel",
                            "No lease: the lock ends with its holder's session or transaction, or is released "
                            "before.")},
    Words{KeptByUse::Margin, "Timeline", QT_TRANSLATE_NOOP("Timeline", "kept by its session"),
          QT_TRANSLATE_NOOP("Timeline", "transaction open"),
          QT_TRANSLATE_NOOP("Timeline", "kept by its session or transaction")},
    Words{KeptByUse::Record, "Timeline", QT_TRANSLATE_NOOP("Timeline", "held by %1, kept by its session"),
          QT_TRANSLATE_NOOP("Timeline", "held by %1, kept by its transaction"),
          QT_TRANSLATE_NOOP("Timeline", "held by %1, kept by its session or transaction")},
    Words{KeptByUse::Sentence, "Timeline",
          QT_TRANSLATE_NOOP("Timeline", "%1 is held by %2, whose session keeps it: %3"),
          QT_TRANSLATE_NOOP("Timeline", "%1 is held by %2, whose transaction keeps it: %3"),
          QT_TRANSLATE_NOOP("Timeline", "%1 is held by %2, whose session or transaction keeps it: %3")},
    Words{KeptByUse::Line, "cli", QT_TRANSLATE_NOOP("cli", "kept by its session"),
          QT_TRANSLATE_NOOP("cli", "kept by its transaction"),
          QT_TRANSLATE_NOOP("cli", "kept by its session or transaction")},
    Words{KeptByUse::End, "lockscope::views::LockDetailPanel",
          QT_TRANSLATE_NOOP("lockscope::views::LockDetailPanel", "it is released, or its session ends"),
          QT_TRANSLATE_NOOP("lockscope::views::LockDetailPanel", "its transaction ends"),
          QT_TRANSLATE_NOOP("lockscope::views::LockDetailPanel", "it is released, or its session or transaction ends")},
};

const char* wordsFor(const Words& words, KeptBy by) {
    switch (by) {
    case KeptBy::Session:
        return words.session;
    case KeptBy::Transaction:
        return words.transaction;
    case KeptBy::Either:
        return words.either;
    case KeptBy::NotTold:
        break;
    }
    return nullptr;
}
} // namespace

QString keptByText(KeptBy by, KeptByUse use) {
    for (const Words& words : kWords) {
        if (words.use != use) continue;
        const char* const text = wordsFor(words, by);
        return text ? QCoreApplication::translate(words.context, text) : QString();
    }
    return {};
}

} // namespace lockscope::inspect
