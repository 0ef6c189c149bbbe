// SPDX-License-Identifier: Apache-2.0
#include "verdict/failover_text.h"

#include "trace/deadline.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "verdict/words.h"

namespace lockscope::verdict {

using trace::Trace;

namespace {

QString diedTooEarly(bool crashed, const QString& former, const QString& at, const QString& who) {
    return (crashed ? Words::tr("%1 crashed at %2 before the lock of %3 had reached a replica.")
                    : Words::tr("%1 was killed at %2 before the lock of %3 had reached a replica."))
        .arg(former, at, who);
}

QString madeMaster(const QString& next, const QString& at, const QString& heir, const QString& given) {
    return Words::tr("%1 became master at %2 without it and gave %3 the lock at %4.").arg(next, at, heir, given);
}

/// Two sentences, or two parts of one.
struct CauseAndEffect {
    QString cause;
    QString effect; ///< begins with a name, or as `Form` says
};
enum class Form : std::uint8_t { Sentences, OneSentence };

CauseAndEffect partsOf(const Chronicle& c, const FailoverStory& story, Form form, Nanos length, const Trace& trace) {
    const auto at = [&](Nanos t) { return instantText(trace, t, length); };
    const bool one = form == Form::OneSentence;
    const QString who = actorText(c.thread, trace), former = trace.displayName(story.former),
                  next = trace.displayName(story.next);
    QString before;
    // A lock that ends with its connection is in no log that replicas read: lag has nothing to do with it.
    if (c.deadline == trace::kEndNotKnown && !c.bySession)
        before = story.killed
                     ? (story.crashed
                            ? Words::tr("%1 crashed at %2, and the lock of %3 with it: it belonged to a connection, "
                                        "and no replica knows of it.")
                            : Words::tr("%1 was killed at %2, and the lock of %3 with it: it belonged to a "
                                        "connection, and no replica knows of it."))
                           .arg(former, at(*story.killed), who)
                     : Words::tr("%1 took the place of %2 at %3, without the lock of %4: it belongs to a "
                                 "connection to %2, and no replica knows of it.")
                           .arg(next, former, at(story.took), who);
    else if (!story.killed && story.behind > 0ns)
        before = Words::tr("%1, %2 behind, took the place of %3 at %4, without the lock of %5.")
                     .arg(next, durationText(story.behind), former, at(story.took), who);
    else if (!story.killed)
        before =
            Words::tr("%1 took the place of %2 at %3, without the lock of %4.").arg(next, former, at(story.took), who);
    else if (story.copied)
        before = (story.crashed ? Words::tr("%1 crashed at %2 before the lock of %3 had reached %4.")
                                : Words::tr("%1 was killed at %2 before the lock of %3 had reached %4."))
                     .arg(former, at(*story.killed), who, next);
    else
        before = diedTooEarly(story.crashed, former, at(*story.killed), who);
    const bool gave = c.successorAt && *c.successorAt >= story.took;
    const QString heir = actorText(c.successor, trace), given = gave ? at(*c.successorAt) : QString();
    QString now;
    if (story.outdated != trace::kNoEntity && heirless(story, c)) {
        const QString old = actorText(story.outdated, trace);
        now = one ? Words::tr("it still had an old lock of %1, whose end had not reached it.").arg(old)
                  : Words::tr("It still had an old lock of %1, whose end had not reached it.").arg(old);
        if (story.killed)
            now = Words::tr("%1 became master at %2 with an old lock of %3, whose end had not reached it.")
                      .arg(next, at(story.took), old);
    } else if (story.killed && gave)
        now = madeMaster(next, at(story.took), heir, given);
    else if (story.killed)
        now = Words::tr("%1 became master at %2 without it.").arg(next, at(story.took));
    else if (gave)
        now =
            (one ? Words::tr("it gave %1 the lock at %2.") : Words::tr("It gave %1 the lock at %2.")).arg(heir, given);
    return {before, now};
}

} // namespace

QString failoverText(const Chronicle& chronicle, const FailoverStory& story, Nanos length, const Trace& trace) {
    const auto [cause, effect] = partsOf(chronicle, story, Form::Sentences, length, trace);
    return paragraph({cause, effect});
}

QString failoverSentence(const Chronicle& chronicle, const FailoverStory& story, Nanos length, const Trace& trace,
                         const QString& remark) {
    const auto [cause, effect] = partsOf(chronicle, story, Form::OneSentence, length, trace);
    return oneSentence(cause, effect, remark);
}

QString longestUsualFailover(const QString& remark) {
    const auto at = [](Nanos t) { return instantText(t); };
    const QString former = QStringLiteral("redis-1"), next = QStringLiteral("redis-3");
    const QString late = QStringLiteral("B"), heir = QStringLiteral("A");
    return oneSentence(diedTooEarly(false, former, at(854ms), late), madeMaster(next, at(3420ms), heir, at(4262ms)),
                       remark);
}

QString formerMasterText(trace::EntityId who, const FormerMasterStory& story, Nanos length, const Trace& trace) {
    const auto at = [&](Nanos t) { return instantText(trace, t, length); };
    const QString former = trace.displayName(story.former), next = trace.displayName(story.next);
    QString cut;
    if (story.cut)
        cut = story.cut->to == kNever
                  ? Words::tr("%1 has been cut off from %2 since %3.").arg(former, next, at(story.cut->from))
                  : Words::tr("%1 was cut off from %2 from %3 to %4.")
                        .arg(former, next, at(story.cut->from), at(story.cut->to));
    return paragraph({Words::tr("%1 got the lock at %2 from %3, whose place %4 had taken at %5.")
                          .arg(actorText(who, trace), at(story.gave), former, next, at(story.took)),
                      cut});
}

} // namespace lockscope::verdict
