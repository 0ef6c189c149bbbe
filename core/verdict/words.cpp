// SPDX-License-Identifier: Apache-2.0
#include "verdict/words.h"

#include "trace/client_name.h"
#include "trace/filled.h"

namespace lockscope::verdict {

QString actorText(trace::EntityId thread, const trace::Trace& trace) {
    return trace::clientName(trace, thread);
}

QString actorsText(const std::vector<trace::EntityId>& threads, const trace::Trace& trace) {
    QStringList names;
    for (const trace::EntityId thread : threads)
        names << actorText(thread, trace);
    // Many names tell less than a number. At least two are left out, so one plural form does.
    constexpr qsizetype kNamed = 4;
    if (names.size() > kNamed + 1) {
        const qsizetype others = names.size() - kNamed;
        names.resize(kNamed);
        names << Words::tr("%1 others", "at the end of a list of clients").arg(others);
    }
    if (names.isEmpty()) return {};
    // Not QLocale's list: in the C locale, which scripts use, that has no "and".
    QString last = names.takeLast();
    if (names.isEmpty()) return last;
    QString list = names.takeFirst();
    for (const QString& name : names)
        list = Words::tr("%1, %2", "a list of clients").arg(list, name);
    return Words::tr("%1 and %2", "the end of a list of clients").arg(list, last);
}

QString paragraph(const QStringList& sentences) {
    QString text;
    for (const QString& sentence : sentences) {
        if (sentence.isEmpty()) continue;
        text = text.isEmpty() ? sentence : Words::tr("%1 %2", "a sentence after a sentence").arg(text, sentence);
    }
    return text;
}

QString oneSentence(const QString& cause, const QString& effect, const QString& remark) {
    const auto open = [](const QString& sentence) { return sentence.chopped(1); }; // its full stop
    QString text = cause;
    if (!effect.isEmpty())
        text = trace::filled(Words::tr("%1, so %2", "a cause and its effect, in one sentence"), {open(text), effect});
    return remark.isEmpty() ? text : Words::tr("%1; %2", "a sentence and a remark, as one").arg(open(text), remark);
}

} // namespace lockscope::verdict
