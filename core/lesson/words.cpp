// SPDX-License-Identifier: Apache-2.0
// How facts and filled texts read.
#include "lesson/facts.h"
#include "lesson/lesson_check.h"
#include "trace/time_text.h"
#include "trace/whole_spans.h"

namespace lockscope::lesson {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("lesson", text);
}

/// An instant in narration: to a tenth of a second.
QString instantWords(Nanos t) {
    return instantText(t, 1s);
}

} // namespace

QString Facts::text(const Fact& fact, Nanos here) const {
    const Value is = value(fact, here);
    if (isClients(fact.kind)) {
        //: Between names of clients: "A, B".
        return is.clients.isEmpty() ? tr("nobody") : is.clients.join(tr(", "));
    }
    if (fact.kind == Fact::Kind::At) return instantWords(Nanos(is.number));
    if (isTime(fact.kind)) return is.number == INT64_MAX ? tr("never") : spanText(Nanos(is.number));
    if (fact.kind == Fact::Kind::Violated) return is.number != 0 ? tr("violated") : tr("not violated");
    return QString::number(is.number);
}

QString Facts::filled(const QString& text, const Scene& scene, Nanos here) const {
    QString filled = text;
    for (const QString& name : namesIn(text)) {
        QString word = client(name);
        if (const auto value = scene.values.find(name); value != scene.values.end())
            word = this->text(value->second, here);
        else if (const auto moment = m_names.moments.find(name); moment != m_names.moments.end())
            word = instantWords(moment->second.at);
        filled.replace(u'{' + name + u'}', word);
    }
    return withWholeSpans(filled);
}

} // namespace lockscope::lesson
