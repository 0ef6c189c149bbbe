// SPDX-License-Identifier: Apache-2.0
#include "verdict/words.h"

#include <QLocale>

namespace lockscope::verdict {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Verdict)
};
} // namespace

QString lengthText(Nanos length) {
    const QLocale locale;
    const auto unit = [&](double n, int decimals, const char* name) {
        return locale.toString(n, 'f', decimals) + u' ' + QString::fromUtf8(name);
    };
    const double ns = double(length.count());
    if (length < 1us) return unit(ns, 0, "ns");
    if (length < 1ms) return unit(ns / 1e3, 0, "µs");
    if (length < 1s) return unit(ns / 1e6, length < 10ms ? 1 : 0, "ms");
    if (length < 60s) return unit(ns / 1e9, 1, "s");
    const auto s = std::chrono::duration_cast<std::chrono::seconds>(length).count();
    if (length < 1h) return QStringLiteral("%1 m %2 s").arg(s / 60).arg(s % 60);
    return QStringLiteral("%1 h %2 m").arg(s / 3600).arg(s / 60 % 60);
}

QString instantText(Nanos t, Nanos scale) {
    const int decimals = scale >= 1s ? 1 : scale >= 10ms || scale == 0ns ? 3 : 6;
    const QLocale locale;
    if (t < 60s) return locale.toString(double(t.count()) / 1e9, 'f', decimals) + QStringLiteral(" s");
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(t);
    return QStringLiteral("%1 m %2 s")
        .arg(QString::number(minutes.count()), locale.toString(double((t - minutes).count()) / 1e9, 'f', decimals));
}

QString actorText(trace::EntityId thread, const trace::Trace& trace) {
    const trace::Entity& e = trace.entity(thread);
    if (e.kind == trace::EntityKind::Thread && e.name == "1") return trace.displayName(e.parent);
    return trace.displayName(thread);
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

} // namespace lockscope::verdict
