// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/sharer.h"

#include "session/shared_run.h"
#include "timeline/evidence_card.h"
#include "timeline/timeline_view.h"
#include "window/action_registry.h"
#include "window/exporter.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/save_dialog.h"
#include "window/work_area.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QSaveFile>

namespace lockscope::app {
namespace {

struct CardWords {
    Q_DECLARE_TR_FUNCTIONS(EvidenceCard)
};

constexpr int kMostHeight = 8000; ///< of a picture that still opens everywhere; lanes beyond it are left out
constexpr double kScale = 2;      ///< sharp on paper and dense screens

views::EvidenceCard cardOf(const views::RunPicture& picture) {
    views::EvidenceCard card{picture, views::factsOf(picture.timeline)};
    card.facts.emplace_back(CardWords::tr("Made by"),
                            QStringLiteral("Lockscope ") + QCoreApplication::applicationVersion());
    return card;
}

} // namespace

Sharer::Sharer(MainWindow* window) : QObject(window), m_window(window), m_exporter(new Exporter(window)) {
}

QList<QAction*> Sharer::makeActions(ActionRegistry* registry) {
    const QString group = tr("File");
    m_copyText = registry->add(
        "share.copy-run", group, tr("Copy this run as &text"), {Qt::CTRL | Qt::SHIFT | Qt::Key_C},
        [this] { copyText(); }, "copy");
    QAction* const paste = registry->add("share.paste-run", group, tr("O&pen the copied run"), {QKeySequence::Paste},
                                         [this] { this->paste(); });
    m_copyPicture = registry->add("share.copy-picture", group, tr("Copy the p&icture"),
                                  {Qt::CTRL | Qt::ALT | Qt::Key_C}, [this] { copyPicture(); });
    m_savePicture = registry->add("share.save-picture", group, tr("Save the pict&ure…"),
                                  {Qt::CTRL | Qt::SHIFT | Qt::Key_P}, [this] { savePicture(); });
    m_copyText->setToolTip(tr("Scenario, recipe, seed and what you did: others paste it and have the same run"));
    connect(m_window->context(), &views::ViewContext::sessionChanged, this, &Sharer::refresh);
    refresh();
    return QList<QAction*>{m_copyText, paste, m_copyPicture, m_savePicture} + m_exporter->makeActions(registry);
}

void Sharer::refresh() {
    const session::Session* const session = m_window->context()->session();
    m_copyText->setEnabled(session && session->abilities().rewind);
    for (QAction* action : {m_copyPicture, m_savePicture})
        action->setEnabled(session != nullptr);
}

QString Sharer::text() const {
    const session::Session* const session = m_window->context()->session();
    if (!session || !session->abilities().rewind) return {};
    session::SharedRun run = session::sharedRunOf(*session);
    // The instant in sight is where the talk is about; a text for people needs no nanoseconds.
    run.playhead = std::chrono::floor<std::chrono::milliseconds>(m_window->context()->playhead());
    run.version = QCoreApplication::applicationVersion();
    return session::sharedText(run);
}

void Sharer::copyText() {
    const QString run = text();
    if (run.isEmpty()) return m_window->complain(tr("Only a simulation can be shared as text; record this session."));
    QApplication::clipboard()->setText(run);
    m_window->messages()->say(tr("Copied: %1").arg(run.size() > 160 ? run.left(160) + QChar(0x2026) : run),
                              MessageBar::Kind::Good);
}

void Sharer::paste() {
    const QString text = QApplication::clipboard()->text();
    if (session::looksShared(text)) return m_window->openShared(text);
    m_window->complain(text.isEmpty() ? tr("There is no text in the clipboard to open.")
                                      : tr("The clipboard has no run: a shared run begins with “lockscope:”."));
}

views::RunPicture Sharer::picture() const {
    const views::ViewContext* const context = m_window->context();
    const auto* const timeline = m_window->work()->timeline()->findChild<views::TimelineView*>();
    const views::TimelineView::Sight sight = timeline->sight();
    const scenario::Scenario& scenario = context->settings();
    views::RunPicture picture;
    picture.timeline = {context->trace(), context->verdict(),  Nanos(sight.from),
                        Nanos(sight.to),  context->playhead(), {}};
    const session::Session* const session = context->session();
    const session::Abilities abilities = session->abilities();
    picture.title = session->title();
    if (abilities.workload) {
        picture.timeline.notes = timeline->notes();
        picture.title = tr("%1 · %2 · seed %3").arg(session->title(), scenario.recipe).arg(session->seed());
    }
    if (const QString watched = views::watchedServers(*context->trace()); !watched.isEmpty() && !abilities.workload)
        picture.title = watched;
    picture.goesOn = abilities.live || (abilities.rewind && context->trace()->reached() < session->planned());
    views::tellVerdict(picture);
    return picture;
}

void Sharer::copyPicture() {
    const views::RunPicture shown = picture();
    const QSize size = views::sizeOf(shown, m_window->work()->timeline()->width(), kMostHeight);
    QApplication::clipboard()->setImage(views::imageOf(shown, size, kScale));
    m_window->messages()->say(tr("The picture is in the clipboard."), MessageBar::Kind::Good);
}

void Sharer::savePicture() {
    if (!m_window->context()->session()) return;
    const QString id = m_window->context()->scenario().id;
    QFileDialog* const dialog = makeSaveDialog(
        m_window, {.title = tr("Save the picture"),
                   .filters = {tr("Pictures (*.png)"), tr("Drawings (*.svg)"), tr("Pages with the facts (*.pdf)")},
                   .suffix = QStringLiteral("png"),
                   .name = (id.isEmpty() ? QStringLiteral("lockscope") : id) + QStringLiteral(".png")});
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        for (const char* suffix : {"png", "svg", "pdf"})
            if (filter.contains(QLatin1String(suffix))) dialog->setDefaultSuffix(QLatin1String(suffix));
    });
    connect(dialog, &QFileDialog::fileSelected, this, &Sharer::writePicture);
    dialog->open();
}

void Sharer::writePicture(const QString& path) {
    if (!m_window->context()->session()) return;
    const views::RunPicture shown = picture();
    const QSize size = views::sizeOf(shown, m_window->work()->timeline()->width(), kMostHeight);
    QSaveFile file(path); // an old file stays whole when the disk is full
    bool written = file.open(QIODevice::WriteOnly);
    const auto is = [&path](const char* suffix) { return path.endsWith(QLatin1String(suffix), Qt::CaseInsensitive); };
    if (written && is(".pdf"))
        written = views::writePdf(cardOf(shown), file);
    else if (written)
        written =
            is(".svg") ? views::writeSvg(shown, size, file) : views::imageOf(shown, size, kScale).save(&file, "PNG");
    if (written) written = file.commit();
    if (!written) return m_window->complain(tr("%1 could not be written: %2").arg(path, file.errorString()));
    m_window->messages()->say(tr("Saved %1.").arg(path), MessageBar::Kind::Good);
}

} // namespace lockscope::app
