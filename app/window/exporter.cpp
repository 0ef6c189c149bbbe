// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/exporter.h"

#include "theme/widgets.h"
#include "timeline/animated_webp.h"
#include "timeline/run_movie.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/save_dialog.h"
#include "window/sharer.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSaveFile>
#include <QStatusBar>

namespace lockscope::app {
namespace {

constexpr int kMovieWidth = 1200, kMovieHeight = 1200; ///< pixels at most: it is shown in a page, not printed

/// A format's entry in the list of a file dialogue.
QString filterOf(const trace::ExportFormat& format) {
    const QString id = QLatin1String(format.id);
    const QString name = id == QLatin1String("csv")        ? Exporter::tr("Table of all events")
                         : id == QLatin1String("jsonl")    ? Exporter::tr("All events, one JSON object a line")
                         : id == QLatin1String("perfetto") ? Exporter::tr("Trace for Perfetto")
                                                           : Exporter::tr("History for Jepsen and its checkers");
    return QStringLiteral("%1 (*.%2)").arg(name, QLatin1String(format.suffix));
}

/// Nothing is left of a file that does not become whole; the error is a sentence.
std::expected<void, QString> writeWhole(const QString& path,
                                        const std::function<std::expected<void, QString>(QIODevice&)>& write) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return std::unexpected(file.errorString());
    if (auto done = write(file); !done) return done;
    if (!file.commit()) return std::unexpected(file.errorString());
    return {};
}

} // namespace

/// An animated picture in the making.
struct Exporter::Movie {
    views::RunMovie frames;
    views::AnimatedWebp file;
    QString path;
    int next = 0;
    Movie(const views::RunPicture& picture, QString where)
        : frames(picture, kMovieWidth, kMovieHeight), file(frames.size()), path(std::move(where)) {}
};

Exporter::Exporter(MainWindow* window) : QObject(window), m_window(window) {
}

Exporter::~Exporter() {
    m_stop.request_stop();
}

QList<QAction*> Exporter::makeActions(ActionRegistry* registry) {
    const QString group = tr("File");
    m_movie = registry->add("export.movie", group, tr("Save an &animated picture…"),
                            {Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_P}, [this] { askForMovie(); });
    m_movie->setToolTip(tr("The part of the timeline in sight, as it happens: WebP, half a minute at most"));
    m_trace = registry->add("export.trace", group, tr("&Export the events…"), {Qt::CTRL | Qt::ALT | Qt::Key_E},
                            [this] { askForTrace(); });
    m_trace->setToolTip(tr("For other programs: a table, JSON, Perfetto or Jepsen"));
    connect(m_window->context(), &views::ViewContext::sessionChanged, this, &Exporter::refresh);
    refresh();
    return {m_movie, m_trace};
}

void Exporter::refresh() {
    const bool can = m_window->context()->session() && !m_busy;
    for (QAction* action : {m_movie, m_trace})
        if (action) action->setEnabled(can);
}

void Exporter::askForTrace() {
    QStringList filters;
    for (const trace::ExportFormat& format : trace::kExportFormats)
        filters += filterOf(format);
    QFileDialog* const dialog = makeSaveDialog(m_window, {.title = tr("Export the events"),
                                                          .filters = filters,
                                                          .suffix = QLatin1String(trace::kExportFormats.front().suffix),
                                                          .name = m_window->context()->scenario().id});
    const auto chosen = [filters](const QString& filter) -> const trace::ExportFormat& {
        return trace::kExportFormats[std::size_t(std::max<qsizetype>(filters.indexOf(filter), 0))];
    };
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, chosen](const QString& filter) {
        dialog->setDefaultSuffix(QLatin1String(chosen(filter).suffix));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, chosen](const QString& path) {
        if (m_window->context()->session()) writeTrace(path, chosen(dialog->selectedNameFilter()));
    });
    dialog->open();
}

void Exporter::askForMovie() {
    QFileDialog* const dialog =
        makeSaveDialog(m_window, {.title = tr("Save an animated picture"),
                                  .filters = {tr("Animated pictures (*.webp)")},
                                  .suffix = QStringLiteral("webp"),
                                  .name = m_window->context()->scenario().id + QStringLiteral(".webp")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (m_window->context()->session()) writeMovie(path);
    });
    dialog->open();
}

void Exporter::writeTrace(const QString& path, const trace::ExportFormat& format) {
    if (m_busy || !begin(path)) return;
    // A growing trace is read without locks; what comes after this moment may or may not be in the file.
    m_thread.run(
        [path, format, trace = m_window->context()->trace(), stop = m_stop.get_token()] {
            const auto done = writeWhole(path, [&](QIODevice& device) { return format.write(*trace, device, stop); });
            return done ? QString() : done.error();
        },
        [this, path](const QString& error) { end(path, error); });
}

void Exporter::writeMovie(const QString& path) {
    if (m_busy || !begin(path)) return;
    paintNext(std::make_shared<Movie>(m_window->sharer()->picture(), path));
}

/// Frames are painted here, one a turn of the event loop, and encoded on the other thread meanwhile.
void Exporter::paintNext(const std::shared_ptr<Movie>& movie) {
    const int i = movie->next++;
    showProgress(i * 100 / movie->frames.frames());
    const QImage frame = movie->frames.frame(i);
    const bool last = i + 1 == movie->frames.frames();
    const auto encode = [movie, frame, i, last, stop = m_stop.get_token()] {
        if (stop.stop_requested()) return tr("stopped");
        auto done = movie->file.add(frame, movie->frames.stay(i));
        if (done && last)
            done = writeWhole(movie->path, [&](QIODevice& device) -> std::expected<void, QString> {
                const auto bytes = movie->file.finish();
                if (!bytes) return std::unexpected(bytes.error());
                if (device.write(*bytes) == bytes->size()) return {};
                return std::unexpected(device.errorString());
            });
        return done ? QString() : done.error();
    };
    m_thread.run(encode, [this, movie, last](const QString& error) {
        if (last || !error.isEmpty())
            end(movie->path, error);
        else
            paintNext(movie);
    });
}

bool Exporter::begin(const QString& path) {
    m_stop = std::stop_source();
    // A place that cannot be written to says so now, and not when the last frame is painted.
    if (QSaveFile place(path); !place.open(QIODevice::WriteOnly)) {
        end(path, place.errorString());
        return false;
    }
    m_busy = true;
    m_toldOfClosing = false;
    m_name = QFileInfo(path).fileName();
    refresh();
    if (!m_pill) {
        m_pill = new views::Pill({}, views::Pill::Tone::Neutral);
        m_pill->setDot(true);
        m_pill->setClickable(true);
        m_pill->setToolTip(tr("Stops the writing; nothing of the file is left"));
        connect(m_pill, &QAbstractButton::clicked, this, &Exporter::stop);
        m_window->statusBar()->addPermanentWidget(m_pill);
    }
    showProgress(0);
    m_pill->show();
    m_window->messages()->sayUntilNext(tr("Writing %1…").arg(m_name));
    return true;
}

void Exporter::showProgress(int percent) {
    //: In the status bar: %1 a file that is being written, %2 how much of it is done.
    const QString words = percent > 0 ? tr("writing %1 · %2 %").arg(m_name).arg(percent) : tr("writing %1").arg(m_name);
    m_pill->setText(words);
    m_pill->setAccessibleName(words);
}

bool Exporter::mayClose() {
    if (!m_busy || m_toldOfClosing) return true;
    m_toldOfClosing = true;
    m_window->complain(
        tr("%1 is still being written. Closing again stops that, and nothing of it is left.").arg(m_name));
    return false;
}

void Exporter::end(const QString& path, const QString& error) {
    m_busy = false;
    if (m_pill) m_pill->hide();
    refresh();
    if (m_stop.stop_requested() && !error.isEmpty())
        m_window->messages()->say(tr("Stopped: nothing of %1 was written.").arg(m_name));
    else if (error.isEmpty())
        m_window->messages()->say(tr("Saved %1.").arg(path), MessageBar::Kind::Good);
    else
        m_window->complain(tr("%1 could not be written: %2").arg(path, error));
    Q_EMIT finished(path, error);
}

} // namespace lockscope::app
