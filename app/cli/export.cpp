// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace/export.h"

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/instants.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "experiment/replay.h"
#include "scenario/scenario_file.h"
#include "scenario/schema_check.h"
#include "trace/recording.h"
#include "trace/time_text.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace lockscope::cli {

namespace {

const QString kCard = QStringLiteral("card");
const QStringList kPainted{QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("webp"), kCard};

/// A part of the run as a scenario, for the simulator.
const QString kScenario = QStringLiteral("scenario");

QStringList formats() {
    QStringList all = kPainted;
    all += kScenario;
    for (const trace::ExportFormat& format : trace::kExportFormats)
        all += QLatin1String(format.id);
    return all;
}

/// The format, and for a picture or a scenario the part of the run that it shows.
struct Wanted {
    QString format;
    Stretch stretch;
    Names names = Names::Shown;
    CardForm form = CardForm::Pdf;
};

std::expected<void, QString> writeScenario(const Wanted& wanted, const trace::Trace& trace, trace::RecordingMeta meta,
                                           QIODevice& device) {
    // The scenario that was recorded names clients and locks. Without it the world is measured, as of a watched server.
    if (wanted.names == Names::Hidden) meta.scenario.clear();
    const auto replay = experiment::replayOf(trace, meta, wanted.stretch.from.value_or(Nanos(0)),
                                             wanted.stretch.until.value_or(trace.reached()));
    if (!replay) return std::unexpected(replay.error());
    for (const QString& note : replay->notes)
        complain(note);
    const QByteArray json = scenario::toJson(replay->scenario);
    if (device.write(json) == json.size()) return {};
    return std::unexpected(device.errorString());
}

std::expected<void, QString> write(const Wanted& wanted, const trace::LoadedRecording& recording, QIODevice& device) {
    if (wanted.format == kCard) return paintCard(wanted.form, wanted.names, recording, wanted.stretch, device);
    if (kPainted.contains(wanted.format)) return paint(wanted.format, wanted.names, recording, wanted.stretch, device);
    const std::shared_ptr<const trace::Trace> shown = shownTrace(wanted.names, recording);
    for (const trace::ExportFormat& format : trace::kExportFormats)
        if (wanted.format == QLatin1String(format.id)) return format.write(*shown, device, {});
    Q_ASSERT(wanted.format == kScenario);
    return writeScenario(wanted, *shown, recording.meta, device);
}

/// Writes to stdout, a pipe or a device. `complaint` has one place, for the reason.
std::expected<void, QString> writeThrough(QFile& device, const Wanted& format, const trace::LoadedRecording& recording,
                                          const QString& complaint) {
    if (auto done = write(format, recording, device); !done) return done;
    if (!device.flush() || device.error() != QFileDevice::NoError) // a drawing does not tell
        return std::unexpected(complaint.arg(device.errorString()));
    return {};
}

/// An existing file stays whole when anything goes wrong. "-" is stdout. A pipe or a device is written to, not
/// replaced.
std::expected<void, QString> exportTo(const QString& out, const Wanted& format,
                                      const trace::LoadedRecording& recording) {
    if (out == QLatin1String("-")) {
        QFile device;
        if (!device.open(stdout, QIODevice::WriteOnly)) return std::unexpected(device.errorString());
        return writeThrough(device, format, recording, tr("the output cannot be written: %1"));
    }
    if (const QFileInfo there(out); there.exists() && !there.isFile() && !there.isDir()) {
        QFile device(out);
        if (!device.open(QIODevice::WriteOnly))
            return std::unexpected(tr("%1 cannot be written: %2").arg(out, device.errorString()));
        return writeThrough(device, format, recording, tr("%1 cannot be written: %2").arg(out));
    }
    QSaveFile device(out);
    if (!device.open(QIODevice::WriteOnly))
        return std::unexpected(tr("%1 cannot be written: %2").arg(out, device.errorString()));
    if (auto done = write(format, recording, device); !done) return done;
    if (!device.commit()) return std::unexpected(tr("%1 cannot be written: %2").arg(out, device.errorString()));
    return {};
}

/// The part of the run that --from and --until name. An error is a sentence.
std::expected<Stretch, QString> stretchOf(const Arguments& arguments, const trace::Trace& trace) {
    Stretch stretch;
    if (const auto text = arguments.value("from")) {
        const auto at = instantOf("from", *text, trace);
        if (!at) return std::unexpected(at.error());
        stretch.from = *at;
    }
    if (const auto text = arguments.value("until")) {
        const auto at = instantOf("until", *text, trace, Beyond::TheEnd);
        if (!at) return std::unexpected(at.error());
        if (*at <= stretch.from.value_or(Nanos(0))) return std::unexpected(tr("--until must be later than --from"));
        stretch.until = *at;
    }
    if (stretch.from && *stretch.from >= trace.reached())
        return std::unexpected(tr("--from: nothing was recorded after that; the recording ends after %1")
                                   .arg(durationText(trace.reached())));
    return stretch;
}

} // namespace

bool exportPaints(const QStringList& words) {
    return std::ranges::any_of(kPainted, [&](const QString& format) {
        return words.contains(format) || words.contains(QStringLiteral("--to=") + format);
    });
}

int exportFile(const QStringList& words) {
    const auto arguments = Arguments::parse(words,
                                            {{QStringLiteral("to")},
                                             {QStringLiteral("from")},
                                             {QStringLiteral("until")},
                                             {QStringLiteral("redact"), false}},
                                            {QStringLiteral("FILE"), QStringLiteral("OUT")});
    if (!arguments) return misused("export", arguments.error());
    const auto format = arguments->value("to");
    if (!format) return misused("export", tr("--to is missing: %1").arg(formats().join(QStringLiteral(", "))));
    if (!formats().contains(*format)) {
        return misused("export",
                       tr("there is no format “%1”%2").arg(*format, scenario::suggestion(*format, formats())));
    }
    Wanted wanted{*format, {}};
    if (arguments->has("redact")) wanted.names = Names::Hidden;
    if (arguments->place(1).endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) wanted.form = CardForm::Png;
    if (leadToOneFile(arguments->place(0), arguments->place(1)))
        return misused("export", tr("OUT is the recording itself, and would be lost: name another file"));
    const bool hasStretch = kPainted.contains(*format) || *format == kScenario;
    for (const char* option : {"from", "until"}) {
        const auto text = arguments->value(option);
        if (!text) continue;
        if (!hasStretch)
            return misused("export",
                           tr("--%1: only a picture or a scenario shows a part of the run").arg(QLatin1String(option)));
        if (text->contains(u':')) continue; // a time of day, by the recording's clock
        if (const auto at = durationOf(option, *text, Nanos(0)); !at) return misused("export", at.error());
    }
    const auto recording = trace::loadRecording(arguments->place(0));
    if (!recording) {
        complainOfWords(recording.error().message);
        return kUsage;
    }
    if (recording->damage) complainOfWords(recording->damage->message); // what lies before it is exported
    if (const auto stretch = stretchOf(*arguments, *recording->trace))
        wanted.stretch = *stretch;
    else
        return misused("export", stretch.error());
    if (const auto done = exportTo(arguments->place(1), wanted, *recording); !done) {
        complainOfWords(done.error());
        return kUsage;
    }
    return recording->damage ? kUnknown : kFine;
}

} // namespace lockscope::cli
