// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/failover_story.h"

namespace lockscope::verdict {

/// How another server came to decide, without the hold of `chronicle`, and who got the lock from it. `length` of the
/// violation: the longer it is, the coarser are the times. Translated.
QString failoverText(const Chronicle& chronicle, const FailoverStory& story, Nanos length, const trace::Trace& trace);

/// failoverText() as one sentence with a remark, which begins with a small letter and may be empty.
QString failoverSentence(const Chronicle& chronicle, const FailoverStory& story, Nanos length,
                         const trace::Trace& trace, const QString& remark);

/// failoverSentence() with names and times of the usual length.
QString longestUsualFailover(const QString& remark);

/// Which server that decides no more gave `who` the lock, and why it went on giving it. Translated.
QString formerMasterText(trace::EntityId who, const FormerMasterStory& story, Nanos length, const trace::Trace& trace);

} // namespace lockscope::verdict
