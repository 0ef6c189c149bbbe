// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace/export.h"

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "scenario/schema_check.h"
#include "trace/recording.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace lockscope::cli {

namespace {

const QStringList kFormats{QStringLiteral("png"),   QStringLiteral("svg"),      QStringLiteral("csv"),
                           QStringLiteral("jsonl"), QStringLiteral("perfetto"), QStringLiteral("jepsen")};

std::expected<void, QString> write(const QString& format, const trace::LoadedRecording& recording, QIODevice& device) {
    if (format == QLatin1String("csv")) return trace::exportCsv(*recording.trace, device);
    if (format == QLatin1String("jsonl")) return trace::exportJsonl(*recording.trace, device);
    if (format == QLatin1String("perfetto")) return trace::exportPerfetto(*recording.trace, device);
    if (format == QLatin1String("jepsen")) return trace::exportJepsen(*recording.trace, device);
    return paint(format, recording, device);
}

/// Writes to stdout, a pipe or a device. `complaint` has one place, for the reason.
std::expected<void, QString> writeThrough(QFile& device, const QString& format, const trace::LoadedRecording& recording,
                                          const QString& complaint) {
    if (auto done = write(format, recording, device); !done) return done;
    if (!device.flush() || device.error() != QFileDevice::NoError) // a drawing does not tell
        return std::unexpected(complaint.arg(device.errorString()));
    return {};
}

/// An existing file stays whole when anything goes wrong. "-" is stdout. A pipe or a device is written to, not
/// replaced.
std::expected<void, QString> exportTo(const QString& out, const QString& format,
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

} // namespace

bool exportPaints(const QStringList& words) {
    return words.contains(QStringLiteral("png")) || words.contains(QStringLiteral("svg")) ||
           words.contains(QStringLiteral("--to=png")) || words.contains(QStringLiteral("--to=svg"));
}

int exportFile(const QStringList& words) {
    const auto arguments =
        Arguments::parse(words, {{QStringLiteral("to")}}, {QStringLiteral("FILE"), QStringLiteral("OUT")});
    if (!arguments) return misused("export", arguments.error());
    const auto format = arguments->value("to");
    if (!format) return misused("export", tr("--to is missing: %1").arg(kFormats.join(QStringLiteral(", "))));
    if (!kFormats.contains(*format)) {
        return misused("export", tr("there is no format “%1”%2").arg(*format, scenario::suggestion(*format, kFormats)));
    }
    const auto recording = trace::loadRecording(arguments->place(0));
    if (!recording) {
        complainOfWords(recording.error().message);
        return kUsage;
    }
    if (recording->damage) complainOfWords(recording->damage->message); // what lies before it is exported
    if (const auto done = exportTo(arguments->place(1), *format, *recording); !done) {
        complainOfWords(done.error());
        return kUsage;
    }
    return recording->damage ? kUnknown : kFine;
}

} // namespace lockscope::cli
