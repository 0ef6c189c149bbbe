// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <QCoreApplication>

namespace lockscope::verdict {

struct Violation;
enum class Invariant : std::uint8_t;

/// Words::tr(): what people read of a verdict.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Verdict)
};

/// The invariant as it stands in a sentence: "mutual exclusion", in the user's language.
QString invariantName(Invariant invariant);

/// headline() where there is little room: "mutual exclusion violated for 1.2 s", without when it began. Translated.
QString shortHeadline(const Violation& violation, const trace::Trace& trace);

/// The actor of a belief as a student calls it: "A" for the first thread of client A, "A · 2" for the second.
QString actorText(trace::EntityId thread, const trace::Trace& trace);

/// "A", "A and B", "A, B and C" in the user's language.
QString actorsText(const std::vector<trace::EntityId>& threads, const trace::Trace& trace);

/// Sentences one after the other, as the user's language spaces them.
QString paragraph(const QStringList& sentences);

/// A cause, its effect and a remark as one sentence, where there is room for one. The effect begins with a name or a
/// small letter, the remark with a small letter; either may be empty.
QString oneSentence(const QString& cause, const QString& effect, const QString& remark = {});

} // namespace lockscope::verdict
