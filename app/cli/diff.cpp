// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/instants.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "trace/connection.h"
#include "trace/recording.h"
#include "trace/state_difference.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"

namespace lockscope::cli {

namespace {

QByteArray toJson(const trace::Change& change, const trace::Trace& trace) {
    const auto name = [&](trace::EntityId id) {
        return id == trace::kNoEntity ? QJsonValue(QJsonValue::Null) : QJsonValue(trace.displayName(id));
    };
    JsonLine line;
    line.add("change", QByteArray(trace::changeName(change.kind)))
        .add("subject", name(change.subject))
        .add("connection", name(trace::connectionOf(trace, change.subject)))
        .add("first", name(change.first))
        .add("second", name(change.second))
        .add("before", qint64(change.before))
        .add("after", qint64(change.after))
        .add("grants", qint64(change.count))
        .add("sentence", trace::sentenceOf(change, trace));
    return line.toJson();
}

/// Locks of equal names on several connections are several locks: "shop: “orders” was free, and A holds it."
QString lineOf(const trace::Change& change, const trace::Trace& trace, bool severalConnections) {
    QString sentence = trace::sentenceOf(change, trace);
    const trace::EntityId where = trace::connectionOf(trace, change.subject);
    const bool isLock = trace.entity(change.subject).kind == trace::EntityKind::Lock;
    if (!severalConnections || !isLock || where == trace::kNoEntity) return sentence;
    return trace.displayName(where) + QStringLiteral(": ") + sentence;
}

bool hasSeveralConnections(const trace::Trace& trace) {
    int connections = 0;
    for (trace::EntityId id = 1; id < trace.entityCount(); ++id)
        connections += trace::isConnection(trace, id);
    return connections > 1;
}

} // namespace

int diff(const QStringList& words) {
    const auto arguments = Arguments::parse(
        words, {{QStringLiteral("from")}, {QStringLiteral("to")}, {QStringLiteral("json"), false}}, {tr("FILE")});
    if (!arguments) return misused("diff", arguments.error());
    for (const char* option : {"from", "to"})
        if (!arguments->has(option))
            return misused("diff",
                           tr("--%1 is missing: an instant such as 90s, or 03:12 where the recording has a clock")
                               .arg(QLatin1String(option)));
    const auto recording = trace::loadRecording(arguments->place(0));
    if (!recording) {
        complainOfWords(recording.error().message);
        return kUsage;
    }
    if (recording->damage) complainOfWords(recording->damage->message); // what lies before it is compared
    const auto from = instantOf("from", *arguments->value("from"), *recording->trace);
    const auto to = instantOf("to", *arguments->value("to"), *recording->trace);
    if (!from || !to) return misused("diff", !from ? from.error() : to.error());
    if (*to <= *from) return misused("diff", tr("--to must be later than --from"));

    trace::StateIndex index(recording->trace);
    const trace::State earlier = index.at(*from), later = index.at(*to);
    const auto changes = trace::differences(*recording->trace, earlier, *from, later, *to);
    if (!arguments->has("json")) {
        QString heading = tr("from %1 to %2: %n change(s)", nullptr, int(trace::changesSeen(changes)))
                              .arg(instantText(*recording->trace, *from), instantText(*recording->trace, *to));
        const QString day = dayText(*recording->trace, *from);
        if (!day.isEmpty()) heading += QStringLiteral("  (") + day + QLatin1Char(')');
        say(heading);
    }
    const bool several = hasSeveralConnections(*recording->trace);
    for (const trace::Change& change : changes)
        if (arguments->has("json"))
            say(toJson(change, *recording->trace));
        else
            say(QStringLiteral("  ") + lineOf(change, *recording->trace, several));
    return recording->damage || trace::endsUnseen(changes) ? kUnknown : kFine;
}

} // namespace lockscope::cli
