// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/help_desk.h"

#include "glossary/glossary_dialog.h"
#include "session/shared_run.h"
#include "theme/icons.h"
#include "timeline/legend_bar.h"
#include "timeline/timeline_panel.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/what_is_this.h"
#include "window/work_area.h"

#include <QMessageBox>

namespace lockscope::app {
namespace {

const QString kLegend = QStringLiteral("view.legend"); ///< as it is kept among the settings

} // namespace

HelpDesk::HelpDesk(MainWindow* window) : QObject(window), m_window(window) {
}

views::GlossaryDialog* HelpDesk::glossary() const {
    return m_glossary;
}

QList<QAction*> HelpDesk::makeActions() {
    ActionRegistry* const r = m_window->registry();
    const QString group = tr("Help");
    return {
        r->add(
            "help.what", group, tr("&What is this?"), {QKeySequence::HelpContents}, [this] { explainThis(); }, "info"),
        r->add("help.glossary", group, tr("All &words…"), {Qt::SHIFT | Qt::Key_F1}, [this] { showTerm({}); }),
        r->add(
            "help.about", group, tr("&About Lockscope"), {}, [this] { showAbout(); }, "lockscope")};
}

QAction* HelpDesk::makeLegendAction() {
    m_legend = m_window->registry()->add("view.legend", tr("View"), tr("Le&gend of the timeline"),
                                         {Qt::CTRL | Qt::SHIFT | Qt::Key_L}, {});
    m_legend->setCheckable(true);
    m_legend->setChecked(m_window->settings()->table(kLegend) == "on");
    connect(m_legend, &QAction::toggled, this, [this](bool on) {
        m_window->settings()->setTable(kLegend, on ? "on" : "off");
        setLegendShown(on);
    });
    return m_legend;
}

void HelpDesk::attachTimeline() {
    auto* const panel = qobject_cast<views::TimelinePanel*>(m_window->work()->timeline());
    if (!panel) return;
    connect(panel->legend(), &views::LegendBar::termAsked, this, &HelpDesk::showTerm);
    setLegendShown(m_legend && m_legend->isChecked());
}

void HelpDesk::setLegendShown(bool shown) {
    if (!m_window->work()) return;
    if (auto* const panel = qobject_cast<views::TimelinePanel*>(m_window->work()->timeline()))
        panel->legend()->setVisible(shown);
}

std::vector<views::CommandField::Find> HelpDesk::finds(const QString& typed) {
    std::vector<views::CommandField::Find> found;
    if (session::looksShared(typed))
        found.push_back({tr("Open the shared run"), {}, "open", [this, typed] { m_window->openShared(typed); }, typed});
    constexpr std::size_t kMost = 4;
    constexpr qsizetype kLeastLetters = 2;
    if (typed.size() < kLeastLetters) return found;
    const QString language = views::WelcomePage::scenarioLanguage();
    for (const lesson::Term* term : lesson::findTerms(typed, language)) {
        if (found.size() >= kMost) break;
        found.push_back({term->name.in(language), tr("What is this?"), "info", [this, id = term->id] { showTerm(id); },
                         term->id + u' ' + term->name.in(QStringLiteral("en")) + u' ' + term->also});
    }
    return found;
}

void HelpDesk::explainThis() {
    showTerm(whatIsThis(*m_window, *m_window->context()));
}

void HelpDesk::showTerm(const QString& id) {
    if (!m_glossary) {
        m_glossary = new views::GlossaryDialog(views::WelcomePage::scenarioLanguage(), m_window);
        m_glossary->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_glossary, &views::GlossaryDialog::lessonWanted, this, [this](const QString& lesson) {
            m_glossary->close();
            m_window->lessons()->open(lesson);
        });
    }
    m_glossary->showTerm(id);
    m_glossary->show();
    m_glossary->raise();
    m_glossary->activateWindow();
}

void HelpDesk::showAbout() {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Lockscope"),
        tr("<h3>Lockscope %1</h3><p>An oscilloscope for distributed locks: what clients believe, what servers record, "
           "and what the guarded resource accepts.</p><p>The program is free software under the GNU General Public "
           "License 3 or later; its lock library is under the Apache License 2.0.</p><p>Built with Qt %2.</p>")
            .arg(QCoreApplication::applicationVersion(), QLatin1String(qVersion())),
        QMessageBox::Close, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(views::icon("lockscope").pixmap(64));
    box->open();
}

} // namespace lockscope::app
