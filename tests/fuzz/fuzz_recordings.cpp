// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/picture.h"
#include "driver.h"
#include "experiment/run.h"
#include "recording_mutator.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "trace/export.h"
#include "trace/recording.h"
#include "trace/state.h"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::fuzz;

namespace {

constexpr std::size_t kSmall = 20'000; ///< rows; of longer traces no picture is painted

/// A recording of a short run, as the program makes it.
QByteArray recorded(const char* scenario, const char* recipe, Nanos until, const QString& file) {
    auto loaded = scenario::loadScenario(QString::fromLatin1(scenario));
    if (!loaded) qFatal("there is no scenario %s", scenario);
    loaded->recipe = QString::fromLatin1(recipe);
    loaded->until = until;
    const experiment::RunReport report = experiment::run(*loaded, 1);
    trace::RecordingMeta meta;
    meta.scenario = scenario::toJson(*loaded);
    meta.seed = 1;
    meta.recipe = loaded->recipe;
    meta.origin = QStringLiteral("simulated");
    meta.progressBoundNs = session::boundsFor(*loaded).progress.count();
    if (const auto saved = trace::saveRecording(file, report.trace, meta); !saved)
        qFatal("%s", qPrintable(saved.error().message));
    return contentOf(file);
}

class RecordingTarget final : public Target {
public:
    const char* name() const override { return "fuzz_recordings"; }

    std::vector<QByteArray> seeds() override {
        return {recorded("gc-pause", "redis-setnx-expire", 7s, m_path),
                recorded("contention", "redis-fair", 1s, m_path),
                recorded("partition-holder", "redis-set", 8s, m_path)};
    }
    /// Recordings with a name whose parent does not exist, one for each kind of names that have parents.
    std::vector<QByteArray> edges() override {
        const QByteArray good = seeds().front();
        std::vector<QByteArray> edges;
        for (const char* kind : {"2", "4", "5", "6"})
            for (const char* cell : {"parent", "other"})
                for (const char* id : {"4294967295", "2147483648"})
                    edges.push_back(m_mutator.after(
                        good, {QByteArray("UPDATE entities SET ") + cell + " = " + id +
                               " WHERE id = (SELECT min(id) FROM entities WHERE kind = " + kind + ')'}));
        return edges;
    }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }

    Outcome check(const QByteArray& input) override {
        if (!putInto(m_path, input)) return Outcome::wrong(QStringLiteral("no room for the recording"));
        const auto loaded = trace::loadRecording(m_path);
        if (!loaded) return checkMessage(loaded.error());
        ++m_opened;
        m_whole += loaded->damage ? 0 : 1;
        if (loaded->damage) {
            if (const Outcome told = checkMessage(*loaded->damage); told.complaint) return told;
        }
        for (const auto& step : {&RecordingTarget::judged, &RecordingTarget::played, &RecordingTarget::exported,
                                 &RecordingTarget::painted, &RecordingTarget::savedAgain})
            if (const auto wrong = (this->*step)(*loaded)) return Outcome::wrong(*wrong);
        return Outcome::fine(m_kind + (loaded->damage ? " damaged" : " whole"));
    }

    std::optional<QString> idle() const override {
        if (m_opened > 20 && m_whole > 10) return std::nullopt;
        return QStringLiteral("%1 recordings opened, %2 of them whole").arg(m_opened).arg(m_whole);
    }

private:
    /// A sentence that names the file, in words of ours: the database's own say nothing to whoever opens it.
    Outcome checkMessage(const trace::RecordingError& error) const {
        const QString& message = error.message;
        if (!message.contains(m_path) || message.contains(QLatin1String("%1")))
            return Outcome::wrong(QStringLiteral("the message does not name the file: ") + message);
        for (const char* inner : {"malformed", "Unable to", "disk image", "a database", "no such", "encrypted"})
            if (message.contains(QLatin1String(inner)))
                return Outcome::wrong(QStringLiteral("the message repeats the database's words: ") + message);
        return Outcome::fine("refused " + QByteArray::number(int(error.kind)));
    }

    std::optional<QString> judged(const trace::LoadedRecording& recording) {
        verdict::Judge judge(recording.trace, session::boundsFor(recording.meta));
        judge.consume();
        const verdict::Verdict verdict = judge.verdict(recording.meta.finished);
        m_kind.clear();
        for (const verdict::Outcome outcome : verdict.outcomes)
            m_kind += char('0' + int(outcome));
        constexpr std::size_t kMost = 200; // of a trace of nonsense there are thousands
        for (std::size_t i = 0; i < std::min(verdict.violations.size(), kMost); ++i) {
            const verdict::Violation& violation = verdict.violations[i];
            if (verdict::explain(violation, *recording.trace).isEmpty() ||
                verdict::headline(violation, *recording.trace).isEmpty())
                return QStringLiteral("a violation without a word");
            if (violation.to < violation.from)
                return QStringLiteral("a violation ends at %1 ns, before its beginning at %2 ns")
                    .arg(violation.to.count())
                    .arg(violation.from.count());
        }
        return std::nullopt;
    }

    /// The states at some times, in any order, are those that one gets by going through the rows.
    std::optional<QString> played(const trace::LoadedRecording& recording) {
        const trace::Trace& trace = *recording.trace;
        trace::StateIndex index(recording.trace);
        const std::size_t rows = trace.size();
        const trace::State end = index.atRow(rows);
        for (const std::size_t part : {rows / 2, rows / 5, rows})
            (void)index.atRow(part);
        trace::State folded;
        for (std::size_t i = 0; i < rows; ++i)
            folded.apply(trace.at(i), trace);
        if (!(index.atRow(rows) == end) || !(folded == end))
            return QStringLiteral("the state at the end depends on the way there");
        return std::nullopt;
    }

    std::optional<QString> exported(const trace::LoadedRecording& recording) {
        const trace::Trace& trace = *recording.trace;
        QBuffer lines, table;
        lines.open(QIODevice::WriteOnly);
        table.open(QIODevice::WriteOnly);
        if (!trace::exportJsonl(trace, lines) || !trace::exportCsv(trace, table))
            return QStringLiteral("an export failed");
        std::size_t count = 0;
        for (const QByteArray& line : lines.data().split('\n')) {
            if (line.isEmpty()) continue;
            ++count;
            if (QJsonDocument::fromJson(line).object().size() != 8)
                return QStringLiteral("no JSON object of eight fields: ") + QString::fromUtf8(line);
        }
        if (count != trace.size()) return QStringLiteral("%1 lines of %2 events").arg(count).arg(trace.size());
        if (std::size_t(table.data().count('\n')) < trace.size() + 1)
            return QStringLiteral("rows are missing in the CSV");
        return std::nullopt;
    }

    std::optional<QString> painted(const trace::LoadedRecording& recording) {
        if (recording.trace->size() > kSmall) return std::nullopt;
        const bool rarely = recording.trace->size() % 16 == 0; // a PNG takes the time of many drawings
        for (const char* format : rarely ? std::vector{"svg", "png"} : std::vector{"svg"}) {
            QBuffer picture;
            picture.open(QIODevice::WriteOnly);
            if (const auto done = cli::paint(QString::fromLatin1(format), cli::Names::Shown, recording, {}, picture);
                !done)
                return QStringLiteral("no picture: ") + done.error();
            if (picture.data().isEmpty()) return QStringLiteral("an empty picture");
        }
        return std::nullopt;
    }

    /// A recording that was read and saved reads the same again.
    std::optional<QString> savedAgain(const trace::LoadedRecording& recording) {
        QFile::remove(m_path);
        if (const auto saved = trace::saveRecording(m_path, recording.trace, recording.meta); !saved)
            return QStringLiteral("it cannot be saved: ") + saved.error().message;
        const auto again = trace::loadRecording(m_path);
        if (!again) return QStringLiteral("saved, it is refused: ") + again.error().message;
        if (again->damage) return QStringLiteral("saved, it is damaged: ") + again->damage->message;
        if (again->trace->digest() != recording.trace->digest()) return QStringLiteral("saved, it is another trace");
        return std::nullopt;
    }

    /// In memory where there is such a place: SQLite waits for the disk with each transaction.
    static QString placeInMemory() {
        const QString memory = QStringLiteral("/dev/shm");
        return (QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) + QStringLiteral("/fuzz-recordings-XXXXXX");
    }

    QTemporaryDir m_dir{placeInMemory()};
    QString m_path = m_dir.filePath(QStringLiteral("some.lockscope"));
    RecordingMutator m_mutator{m_dir.filePath(QStringLiteral("change.lockscope"))};
    QByteArray m_kind;
    int m_opened = 0, m_whole = 0;
};

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    RecordingTarget target;
    return fuzz::run(argc, argv, target);
}
