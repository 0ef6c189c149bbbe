// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/help_desk.h"

#include "cluster/cluster_panel.h"
#include "faults/limits_dialog.h"
#include "glossary/glossary_dialog.h"
#include "lesson/lesson_file.h"
#include "lessons/lesson_guide.h"
#include "locks/locks_panel.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"
#include "timeline/legend_bar.h"
#include "timeline/timeline_panel.h"
#include "timeline/timeline_view.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/what_is_this.h"
#include "window/work_area.h"

#include <QBoxLayout>
#include <QContextMenuEvent>
#include <QCursor>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QWidgetAction>

namespace lockscope::app {
namespace {

const QString kLegend = QStringLiteral("view.legend"); ///< as it is kept among the settings

} // namespace

HelpDesk::HelpDesk(MainWindow* window) : QObject(window), m_window(window) {
    window->installEventFilter(this);
}

bool HelpDesk::eventFilter(QObject* watched, QEvent* event) {
    // A part with a menu of its own takes the event; from all others it comes up to the window.
    if (watched != m_window || event->type() != QEvent::ContextMenu) return false;
    const QPoint where = static_cast<QContextMenuEvent*>(event)->globalPos();
    auto* menu = new QMenu(m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    explainIn(menu, where);
    if (menu->isEmpty()) {
        delete menu;
        return false;
    }
    menu->popup(where);
    return true;
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
        r->add("help.limits", group, tr("What the &simulator leaves out…"), {Qt::CTRL | Qt::Key_F1},
               [this] { showLimits(); }),
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
        showLegend();
    });
    return m_legend;
}

void HelpDesk::attachTimeline() {
    auto* const panel = qobject_cast<views::TimelinePanel*>(m_window->work()->timeline());
    if (!panel) return;
    connect(panel->legend(), &views::LegendBar::termAsked, this, &HelpDesk::showTerm);
    connect(panel, &views::TimelinePanel::menuFilled, this, &HelpDesk::explainIn);
    showLegend();
}

void HelpDesk::attachPanels() {
    for (auto* const panel : m_window->findChildren<views::LocksPanel*>())
        connect(panel, &views::LocksPanel::menuFilled, this, &HelpDesk::explainIn, Qt::UniqueConnection);
    for (auto* const panel : m_window->findChildren<views::ClusterPanel*>())
        connect(panel, &views::ClusterPanel::menuFilled, this, &HelpDesk::explainIn, Qt::UniqueConnection);
}

void HelpDesk::explainIn(QMenu* menu, const QPoint& where) {
    const lesson::Term* const term = lesson::findTerm(whatIsThis(*m_window, *m_window->context(), where));
    if (!term) return;
    const QString language = views::WelcomePage::scenarioLanguage();
    menu->addSeparator();
    auto* const words = new QWidget;
    auto* const column = new QVBoxLayout(words);
    column->setContentsMargins(2 * views::kGrid, views::kGrid, 2 * views::kGrid, views::kGrid);
    column->setSpacing(views::kGrid / 2);
    auto* const name = new QLabel(term->name.in(language));
    name->setFont(views::uiFont(0, QFont::DemiBold));
    auto* const sentence = new QLabel(term->sentence(language));
    sentence->setWordWrap(true);
    constexpr int kWidth = 320;
    sentence->setFixedWidth(int(kWidth * views::textScale()));
    sentence->setFixedHeight(sentence->heightForWidth(sentence->width()));
    column->addWidget(name);
    column->addWidget(sentence);
    auto* const explanation = new QWidgetAction(menu);
    explanation->setDefaultWidget(words);
    explanation->setText(name->text() + QStringLiteral(": ") + sentence->text());
    explanation->setEnabled(false); // words to read, nothing to choose
    words->setEnabled(true);
    menu->addAction(explanation);
    if (const auto lesson = lesson::loadLesson(term->lesson))
        //: In a menu: %1 the number of a lesson, %2 its title.
        menu->addAction(views::icon("lesson"),
                        tr("See it in lesson %1: %2").arg(lesson->order).arg(lesson->title.in(language)), this,
                        [this, id = lesson->id] { m_window->lessons()->open(id); });
    menu->addAction(views::icon("info"), tr("What is this?"), this, [this, id = term->id] { showTerm(id); });
}

void HelpDesk::setLegendForced(bool forced) {
    m_legendForced = forced;
    showLegend();
}

void HelpDesk::showLegend() {
    if (!m_window->work()) return;
    if (auto* const panel = qobject_cast<views::TimelinePanel*>(m_window->work()->timeline()))
        panel->legend()->setVisible(m_legendForced || (m_legend && m_legend->isChecked()));
}

QList<views::ShortcutSheet::Extra> HelpDesk::keysOfParts() {
    const QString timeline = views::TimelineView::tr("Timeline"), lesson = tr("Lessons"), presenter = tr("Presenter"),
                  pair = tr("Side by side");
    const QString ctrl = QKeySequence(Qt::ControlModifier).toString(QKeySequence::NativeText);
    return {
        {timeline, QStringLiteral("↑ ↓"), tr("Choose a lane")},
        {timeline, QKeySequence(Qt::Key_Return).toString(QKeySequence::NativeText), tr("The lane's lock in detail")},
        {timeline, QKeySequence(Qt::Key_Menu).toString(QKeySequence::NativeText), tr("What can be done to the lane")},
        {timeline, QKeySequence(Qt::SHIFT).toString(QKeySequence::NativeText) + QStringLiteral("← →"),
         tr("Move along the axis")},
        {timeline, ctrl + tr("wheel"), tr("Zoom at the mouse")},
        {timeline, ctrl + tr("drag"), tr("Draw a fault over a lane")},
        {timeline, QStringLiteral("← →"), tr("On the strip of faults: choose one")},
        {timeline, QKeySequence(Qt::ALT).toString(QKeySequence::NativeText) + QStringLiteral("← → ↑ ↓"),
         tr("Move or stretch the chosen fault")},
        {timeline, QKeySequence(Qt::Key_Delete).toString(QKeySequence::NativeText), tr("Take the chosen fault back")},
        {lesson, QKeySequence(Qt::Key_Space).toString(QKeySequence::NativeText), tr("Play on; go on")},
        {lesson, QStringLiteral("1 … 4"), tr("Choose an answer")},
        {lesson, QKeySequence(Qt::SHIFT).toString(QKeySequence::NativeText) + QStringLiteral("1 … 4"),
         tr("Count a hand of the class for an answer")},
        {lesson, QKeySequence(Qt::Key_Backspace).toString(QKeySequence::NativeText), tr("Take the last hand back")},
        {lesson, QKeySequence(Qt::Key_Return).toString(QKeySequence::NativeText), tr("Lock the bet; go on")},
        {lesson, QStringLiteral("← →"), tr("Step back, step on")},
        {lesson,
         QKeySequence(Qt::Key_PageUp).toString(QKeySequence::NativeText) + QLatin1Char(' ') +
             QKeySequence(Qt::Key_PageDown).toString(QKeySequence::NativeText),
         tr("Step back, step on; out of a task, too")},
        {presenter, QStringLiteral("B ."), tr("Blank the screen")},
        {presenter, QKeySequence(Qt::Key_Escape).toString(QKeySequence::NativeText), tr("Leave the presenter's view")},
        {pair, QKeySequence(Qt::Key_D).toString(), tr("To where the two runs part")},
    };
}

void HelpDesk::explainThis() {
    showTerm(whatIsThis(*m_window, *m_window->context(), QCursor::pos()));
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
    const lesson::Lesson* const lesson = m_window->lessons()->guide()->lesson();
    m_glossary->setOpenLesson(lesson ? lesson->id : QString());
    const bool first = !m_glossary->isVisible();
    m_glossary->show();
    if (first && m_window->context()->session()) {
        // In the corner where the least is told: the lanes stay in sight while one reads.
        const QRect window = m_window->geometry();
        const QSize size = m_glossary->frameGeometry().size();
        m_glossary->move(std::max(window.left(), window.right() - size.width() - views::kGrid),
                         std::max(window.top(), window.bottom() - size.height() - views::kGrid));
    }
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

void HelpDesk::showLimits() {
    auto* const dialog = new views::LimitsDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const views::ViewContext& context = *m_window->context();
    if (const auto& nodes = context.settings().nodes; context.session() && !nodes.empty())
        dialog->showKind(nodes.front().kind);
    dialog->open();
}

} // namespace lockscope::app
