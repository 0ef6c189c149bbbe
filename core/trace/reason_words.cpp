// SPDX-License-Identifier: Apache-2.0
#include "trace/reason_words.h"

#include "trace/member.h"
#include "trace/server_told.h"

#include <QCoreApplication>
#include <map>

namespace lockscope::trace {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Events)
};

} // namespace

QString reasonWords(const QString& reason) {
    static const std::map<QString, const char*> kReasons{
        {QStringLiteral("foreign-format"), QT_TRANSLATE_NOOP("Events", "another kind of lock has this key")},
        {QStringLiteral("unreachable"), QT_TRANSLATE_NOOP("Events", "the server was not reached")},
        {QStringLiteral("outcome-unknown"), QT_TRANSLATE_NOOP("Events", "no answer: whether it was done is unknown")},
        {QStringLiteral("not-owner"), QT_TRANSLATE_NOOP("Events", "the server says: not yours")},
        {QStringLiteral("refused"), QT_TRANSLATE_NOOP("Events", "the server refused it")},
        {QStringLiteral("not-supported"), QT_TRANSLATE_NOOP("Events", "this server cannot do it")},
        {QStringLiteral("server-failed-over"),
         QT_TRANSLATE_NOOP("Events", "failed over: another server answers, or this one has another role")},
        {QStringLiteral("database-swapped"), QT_TRANSLATE_NOOP("Events", "another database took its place (SWAPDB)")},
        {QStringLiteral("server-emptied"), QT_TRANSLATE_NOOP("Events", "all keys were deleted")},
        {QString::fromLatin1(kLeftOut),
         QT_TRANSLATE_NOOP("Events", "the window keeps no more of a busy watch: the recording of "
                                     "the last hour may reach further back")},
        {QString::fromLatin1(kOutOfService),
         QT_TRANSLATE_NOOP("Events", "it is neither a master that serves nor a connected replica")},
        {QStringLiteral("wait-exceeded"), QT_TRANSLATE_NOOP("Events", "the wait is over")},
    };
    const QByteArray text = reason.toUtf8();
    if (const auto member = toldValue(text, kMemberAway))
        //: Each %1 is the address of a member of an ensemble of servers.
        return Words::tr("%1 does not answer any more").arg(QString::fromUtf8(*member));
    if (const auto member = toldValue(text, kMemberBack))
        return Words::tr("%1 answers again").arg(QString::fromUtf8(*member));
    if (const auto member = toldValue(text, kMemberLeads))
        return Words::tr("%1 leads now").arg(QString::fromUtf8(*member));
    if (const auto member = toldValue(text, kMemberRestarted))
        return Words::tr("%1 was started again").arg(QString::fromUtf8(*member));
    if (const auto member = toldValue(text, kMemberEmptied))
        return Words::tr("all keys of %1 were deleted").arg(QString::fromUtf8(*member));
    if (const auto told = toldValue(text, kTookOver)) {
        const QString both = QString::fromUtf8(*told);
        if (!both.contains(u' ')) return Words::tr("another server took the place of one"); // redacted
        //: %1 and %2 are addresses of servers.
        return Words::tr("%1 took the place of %2").arg(both.section(u' ', 0, 0), both.section(u' ', 1));
    }
    if (const auto told = toldValue(text, kSlotsMoved)) {
        const QString all = QString::fromUtf8(*told);
        if (!all.contains(u' ')) return Words::tr("slots went to another server"); // redacted
        //: Of a cluster: %1 are numbers of slots such as "448 5461-5470", %2 and %3 addresses of servers.
        return Words::tr("slots %1 went from %2 to %3")
            .arg(all.section(u' ', 2), all.section(u' ', 1, 1), all.section(u' ', 0, 0));
    }
    const auto found = kReasons.find(reason);
    return found == kReasons.end() ? reason : Words::tr(found->second);
}

} // namespace lockscope::trace
