// SPDX-License-Identifier: Apache-2.0
#include "trace/reason_words.h"

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
    const auto found = kReasons.find(reason);
    return found == kReasons.end() ? reason : Words::tr(found->second);
}

} // namespace lockscope::trace
