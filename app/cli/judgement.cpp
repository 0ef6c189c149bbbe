// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/judgement.h"

#include "cli/output.h"
#include "cli/text.h"
#include "trace/text.h"
#include "verdict/why_unknown.h"

#include <QJsonArray>
#include <algorithm>
#include <climits>

namespace lockscope::cli {

namespace {

constexpr int kMostSentences = 5; ///< of one invariant; more of the same teaches nothing

const char* outcomeId(verdict::Outcome outcome) {
    switch (outcome) {
    case verdict::Outcome::Holds:
        return "holds";
    case verdict::Outcome::Violated:
        return "violated";
    case verdict::Outcome::Unknown:
        break;
    }
    return "unknown";
}

} // namespace

QString actorName(trace::EntityId id, const trace::Trace& trace) {
    const trace::Entity& entity = trace.entity(id);
    if (entity.kind != trace::EntityKind::Thread) return trace::readable(entity.name);
    const QString client = trace::readable(trace.entity(entity.parent).name);
    return entity.name == "1" ? client : client + QLatin1Char(':') + trace::readable(entity.name);
}

QByteArray violationsJson(const verdict::Verdict& verdict, const trace::Trace& trace) {
    QList<QByteArray> items;
    for (const verdict::Violation& violation : verdict.violations) {
        QJsonArray actors;
        for (const trace::EntityId actor : violation.actors)
            actors += actorName(actor, trace);
        JsonLine line;
        line.add("invariant", verdict::invariantId(violation.invariant))
            .add("lock", trace.displayName(violation.lock))
            .addJson("from_ms", milliseconds(violation.from.count()))
            .addJson("to_ms", violation.to == kNever ? QByteArray("null") : milliseconds(violation.to.count()))
            .add("actors", actors)
            .add("explain", verdict::explain(violation, trace));
        items += line.toJson();
    }
    return jsonArray(items);
}

QByteArray starvedJson(const verdict::Verdict& verdict, const trace::Trace& trace) {
    QList<QByteArray> items;
    for (const verdict::Starved& starved : verdict.starved) {
        JsonLine line;
        line.add("lock", trace.displayName(starved.lock))
            .add("actor", actorName(starved.thread, trace))
            .addJson("asked_ms", milliseconds(starved.asked.count()))
            .addJson("from_ms", milliseconds(starved.from.count()))
            .addJson("to_ms", starved.to == kNever ? QByteArray("null") : milliseconds(starved.to.count()))
            .add("overtaken", std::uint64_t(starved.overtaken))
            .add("explain", verdict::explain(starved, trace));
        items += line.toJson();
    }
    return jsonArray(items);
}

QByteArray outcomesJson(const std::array<verdict::Outcome, verdict::kInvariants.size()>& outcomes) {
    JsonLine line;
    for (const verdict::Invariant invariant : verdict::kInvariants) {
        const verdict::Outcome outcome = outcomes[static_cast<std::size_t>(invariant)];
        line.add(verdict::invariantId(invariant).constData(), QLatin1String(outcomeId(outcome)));
    }
    return line.toJson();
}

QString outcomeWord(verdict::Outcome outcome) {
    switch (outcome) {
    case verdict::Outcome::Holds:
        return tr("holds");
    case verdict::Outcome::Violated:
        return tr("VIOLATED");
    case verdict::Outcome::Unknown:
        break;
    }
    return tr("unknown");
}

QString judgementText(const verdict::Verdict& verdict, const trace::Trace& trace) {
    QStringList lines;
    for (const verdict::Invariant invariant : verdict::kInvariants) {
        const QString id = QString::fromLatin1(verdict::invariantId(invariant));
        lines += QStringLiteral("  %1  %2")
                     .arg(id, -17)
                     .arg(outcomeWord(verdict.outcomes[static_cast<std::size_t>(invariant)]));
        const QString unknown = verdict::whyUnknown(verdict, invariant, trace);
        if (!unknown.isEmpty()) lines += QStringLiteral("      ") + unknown;
        int told = 0;
        for (const verdict::Violation& violation : verdict.violations) {
            if (violation.invariant != invariant) continue;
            if (++told <= kMostSentences) lines += QStringLiteral("      ") + verdict::explain(violation, trace);
        }
        if (told > kMostSentences)
            lines += QStringLiteral("      ") + tr("… and %n more", nullptr, told - kMostSentences);
    }
    int told = 0;
    for (const verdict::Starved& starved : verdict.starved) {
        if (++told == 1) lines += QStringLiteral("  %1  %2").arg(QStringLiteral("starvation"), -17).arg(tr("SEEN"));
        if (told <= kMostSentences) lines += QStringLiteral("      ") + verdict::explain(starved, trace);
    }
    if (told > kMostSentences) lines += QStringLiteral("      ") + tr("… and %n more", nullptr, told - kMostSentences);
    return lines.join(QLatin1Char('\n'));
}

QString sizeText(std::optional<std::uint64_t> acquisitions, std::size_t events, const QByteArray& digest) {
    const auto several = [](std::uint64_t number) { return int(std::min<std::uint64_t>(number, INT_MAX)); };
    const QString text = tr("%n event(s), digest %1", nullptr, several(events)).arg(QString::fromLatin1(digest));
    //: %1: "1273 events, digest 0acc…"
    return acquisitions ? tr("%n acquisition(s), %1", nullptr, several(*acquisitions)).arg(text) : text;
}

} // namespace lockscope::cli
