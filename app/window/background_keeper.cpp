// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/background_keeper.h"

#include "locks/locks_panel.h"
#include "models/lock_facts.h"
#include "session/alert_desk.h"
#include "session/trace_joint.h"
#include "trace/last_stretch.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/process_alive.h"
#include "window/save_dialog.h"
#include "window/work_area.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QRegularExpression>
#include <QStandardPaths>
#include <cerrno>

namespace lockscope::app {

namespace {

constexpr Nanos kLast = 1h;
/// Between them the files reach back half of that at least.
constexpr trace::RecordingBounds kBounds{.keep = 2 * kLast, .mostBytes = 200'000'000};
constexpr int kKeptDays = 7;                                   ///< after a crash
const QString kSwitch = QStringLiteral("kept.last-hour");      ///< in the settings, beside other switches
const QString kName = QStringLiteral("attached-%1.lockscope"); ///< of the program's number and of how many were before

QDir folder() {
    return QDir(QStandardPaths::writableLocation(QStandardPaths::CacheLocation));
}

void removeBoth(const QString& path) {
    QFile::remove(path);
    QFile::remove(trace::fileBefore(path));
}

} // namespace

BackgroundKeeper::BackgroundKeeper(MainWindow* window)
    : QObject(window), m_window(window), m_openLeft(new QAction(tr("Open it"), this)), m_usual(folder().path()) {
    m_openLeft->setToolTip(tr("Open it"));
    connect(m_openLeft, &QAction::triggered, this, [this] { m_window->openFile(m_left); });
    connect(window->context(), &views::ViewContext::sessionChanged, this, &BackgroundKeeper::follow);
    connect(&m_usual, &UsualKeeper::learned, this, &BackgroundKeeper::tellAlerts);
    connect(window, &MainWindow::firstPainted, this, &BackgroundKeeper::offerWhatIsLeft, Qt::QueuedConnection);
}

BackgroundKeeper::~BackgroundKeeper() {
    stop();
}

QList<QAction*> BackgroundKeeper::makeActions(ActionRegistry* registry) {
    const QString group = tr("File");
    m_keep = registry->add("record.background", group, tr("&Keep the last hour of watched servers"), {}, {});
    m_keep->setCheckable(true);
    m_keep->setChecked(m_window->settings()->table(kSwitch) != "off");
    m_keep->setToolTip(tr("On disk, 200 MB at most, until the session is closed; and for 14 days how long each lock is "
                          "usually held"));
    connect(m_keep, &QAction::toggled, this, [this](bool on) {
        m_window->settings()->setTable(kSwitch, on ? "on" : "off");
        stop();
        follow();
    });
    m_save = registry->add("record.save-hour", group, tr("Save the last &hour…"), {Qt::CTRL | Qt::ALT | Qt::Key_S},
                           [this] { askToSave(); });
    m_save->setEnabled(false);
    follow();
    return {m_save, m_keep};
}

void BackgroundKeeper::follow() {
    // The window has it a little sooner than its views; until then there are no panels.
    session::Session* const session = m_window->context()->session() ? m_window->session() : nullptr;
    if (m_ring && session == m_session && session->trace() == m_trace) return;
    if (const auto row = m_ring && session == m_session ? session::rowAfter(m_trace, session) : std::nullopt) {
        m_ring->goOnIn(session->trace(), *row);
        m_trace = session->trace();
        m_usual.follow(session);
        return;
    }
    stop();
    const bool live = session && session->abilities().live;
    if (m_save) m_save->setEnabled(live);
    if (!live || !m_keep || !m_keep->isChecked()) return;
    m_usual.follow(session);
    attachPanels();
    connect(m_window->work(), &WorkArea::panelBuilt, this, &BackgroundKeeper::attachPanels, Qt::UniqueConnection);
    m_session = session;
    m_trace = session->trace();
    folder().mkpath(QStringLiteral("."));
    // Contents of locks are in it, and names of clients.
    QFile::setPermissions(folder().path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_path =
        folder().filePath(kName.arg(QStringLiteral("%1-%2").arg(QCoreApplication::applicationPid()).arg(++m_rings)));
    m_ring = trace::RingRecording::start(
        m_path, m_trace, session->recordingMeta(), kBounds, [this](const trace::RecordingError& error) {
            // Called on the recording's thread.
            QMetaObject::invokeMethod(
                this,
                [this, message = error.message] {
                    m_window->complain(tr("The last hour is not kept on disk: %1").arg(message));
                },
                Qt::QueuedConnection);
        });
}

void BackgroundKeeper::tellAlerts(trace::EntityId connection) {
    for (session::AlertDesk* const desk : session::alertDesksOf(m_session))
        if (desk->connection() == connection) desk->setUsual(m_usual.usualOn(connection));
}

void BackgroundKeeper::attachPanels() {
    for (auto* const panel : m_window->findChildren<views::LocksPanel*>())
        panel->setUsualOverDays([this](trace::EntityId lock) { return m_usual.usualOf(lock); });
}

void BackgroundKeeper::stop() {
    m_usual.follow(nullptr);
    if (!m_ring) return;
    // The recording's end writes all that is left: the window does not wait for it.
    std::function<void()> end = [ring = std::move(m_ring), path = m_path]() mutable {
        ring.reset();
        removeBoth(path);
    };
    m_thread.run(std::move(end), [] {}); // a copy here might be the last to go
    m_path.clear();
    m_session.clear();
    m_trace.reset();
}

std::optional<trace::RingRecording::Kept> BackgroundKeeper::kept() const {
    return m_ring ? std::optional(m_ring->kept()) : std::nullopt;
}

std::int64_t BackgroundKeeper::mostBytes() {
    return kBounds.mostBytes;
}

QStringList BackgroundKeeper::left() {
    static const QRegularExpression kNumbers(QStringLiteral("^attached-(\\d+)(?:-\\d+)?$"));
    QStringList files;
    const QDir where = folder();
    for (const QFileInfo& file : where.entryInfoList({kName.arg(QStringLiteral("*"))}, QDir::Files, QDir::Time)) {
        const auto name = kNumbers.match(file.completeBaseName());
        if (!name.hasMatch() || isAlive(name.captured(1).toLongLong()))
            continue; // also the files with what came before
        if (file.lastModified().daysTo(QDateTime::currentDateTime()) > kKeptDays)
            removeBoth(file.filePath());
        else
            files += file.filePath();
    }
    return files;
}

void BackgroundKeeper::offerWhatIsLeft() {
    const QStringList files = left();
    if (files.isEmpty() || m_window->context()->session()) return;
    // A file that could not be opened is what the person asked for: the offer comes again at the next start.
    if (!m_window->messages()->message().isEmpty()) return;
    m_left = files.front();
    m_window->messages()->offer(tr("Lockscope ended unexpectedly while it watched servers. What it saw last is kept."),
                                m_openLeft);
}

void BackgroundKeeper::askToSave() {
    const QString now = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmm"));
    QFileDialog* const dialog = makeSaveDialog(m_window, {.title = tr("Save the last hour"),
                                                          .filters = {tr("Recordings (*.lockscope)")},
                                                          .suffix = QStringLiteral("lockscope"),
                                                          .name = QStringLiteral("lockscope-%1.lockscope").arg(now)});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (m_window->context()->session()) save(path);
    });
    dialog->open();
}

void BackgroundKeeper::save(const QString& path) {
    const session::Session* const session = m_window->session();
    const auto trace = session->trace();
    struct Done {
        QString error; ///< empty: it is saved
        Nanos length{}, lacks{};
    };
    m_thread.run(
        [path, trace, ring = std::weak_ptr(trace == m_trace ? m_ring : nullptr), meta = session->recordingMeta()] {
            const trace::LastStretch last = trace::lastStretch(trace, kLast, ring.lock().get());
            const auto done = trace::saveRecording(path, last.trace, meta);
            return Done{done ? QString() : done.error().message, last.length, last.lacks};
        },
        [this, path](const Done& done) {
            if (!done.error.isEmpty())
                m_window->complain(done.error);
            else if (done.lacks > Nanos(0))
                //: %1 a file, %2 a length of time
                m_window->messages()->say(tr("Saved %1. It has the last %2 only: what came before is no longer kept.")
                                              .arg(path, views::roundDuration(done.length)),
                                          MessageBar::Kind::Good);
            else
                m_window->messages()->say(tr("Saved %1.").arg(path), MessageBar::Kind::Good);
            Q_EMIT saved(path, done.error);
        });
}

} // namespace lockscope::app
