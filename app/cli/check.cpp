// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/judgement.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "session/bounds.h"
#include "trace/recording.h"
#include "trace/time_text.h"

namespace lockscope::cli {

namespace {

struct Checked {
    trace::LoadedRecording recording;
    verdict::Verdict verdict;
    std::uint64_t acquisitions = 0;
    QByteArray digest;
    bool whole = true; ///< nothing is missing and nothing was changed
};

Checked judge(trace::LoadedRecording recording) {
    Checked checked;
    verdict::Judge judge(recording.trace, session::boundsFor(recording.meta));
    judge.consume();
    checked.verdict = judge.verdict(recording.meta.finished);
    for (std::size_t i = 0; i < recording.trace->size(); ++i) {
        if (recording.trace->kindAt(i) == trace::EventKind::Granted) ++checked.acquisitions;
    }
    checked.digest = recording.trace->digest();
    if (recording.damage) {
        complainOfWords(recording.damage->message);
        checked.whole = false;
    } else if (!recording.meta.digest.isEmpty() && recording.meta.digest != checked.digest) {
        complain(tr("the recording was changed after it was made: its digest is not that of its events"));
        checked.whole = false;
    } else if (recording.meta.finished && recording.meta.seal == trace::RecordingMeta::Seal::Missing) {
        complain(
            tr("the digest covers the recording's events, but not its scenario, its recipe and the bound that it is "
               "judged by: it was made by an older version"));
    }
    checked.recording = std::move(recording);
    return checked;
}

/// A violation in a broken recording counts. Whether the missing rest would have been fine is unknown.
ExitStatus status(const Checked& checked) {
    const ExitStatus status = statusOf(checked.verdict);
    return status == kFine && !checked.whole ? kUnknown : status;
}

/// A recording of others' clients, without any of our own.
bool isWatched(const Checked& checked) {
    return checked.acquisitions == 0 && checked.recording.meta.recipe.isEmpty();
}

QByteArray toJson(const QString& file, const Checked& checked) {
    const trace::Trace& trace = *checked.recording.trace;
    const trace::RecordingMeta& meta = checked.recording.meta;
    const QJsonValue recipe = meta.recipe.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(meta.recipe);
    JsonLine line;
    line.add("file", file)
        .add("origin", meta.origin)
        .add("recipe", recipe)
        .add("seed", meta.seed)
        .addJson("until_ms", milliseconds(trace.reached().count()))
        .add("events", static_cast<std::uint64_t>(trace.size()))
        .add("acquisitions",
             isWatched(checked) ? QJsonValue(QJsonValue::Null) : QJsonValue(qint64(checked.acquisitions)))
        .add("digest", checked.digest)
        .add("finished", meta.finished)
        .add("whole", checked.whole)
        .addJson("invariants", outcomesJson(checked.verdict.outcomes))
        .addJson("violations", violationsJson(checked.verdict, trace))
        .addJson("starved", starvedJson(checked.verdict, trace));
    return line.toJson();
}

} // namespace

int check(const QStringList& words) {
    const auto arguments = Arguments::parse(words, {{QStringLiteral("json"), false}}, {tr("FILE")});
    if (!arguments) return misused("check", arguments.error());
    const QString file = arguments->place(0);
    auto recording = trace::loadRecording(file);
    if (!recording) {
        complainOfWords(recording.error().message);
        return kUsage;
    }
    const Checked checked = judge(*std::move(recording));
    if (arguments->has("json")) {
        say(toJson(file, checked));
    } else {
        say(QStringLiteral("%1 · %2").arg(file, durationText(checked.recording.trace->reached())) +
            (checked.recording.meta.finished ? QString() : tr(" · the recording ended early")));
        say(judgementText(checked.verdict, *checked.recording.trace));
        const std::size_t events = checked.recording.trace->size();
        // Clients of others tell nobody when a lock is granted to them.
        const QString size =
            isWatched(checked)
                ? tr("%1; acquisitions are not recorded by watching").arg(sizeText({}, events, checked.digest))
                : sizeText(checked.acquisitions, events, checked.digest);
        say(QStringLiteral("  ") + size);
    }
    return status(checked);
}

} // namespace lockscope::cli
