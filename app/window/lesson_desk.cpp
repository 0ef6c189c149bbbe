// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/lesson_desk.h"

#include "lesson/lesson_file.h"
#include "lesson/old_bet.h"
#include "lessons/lesson_list.h"
#include "lessons/lesson_panel.h"
#include "lessons/number_strip.h"
#include "locks/protocol_panel.h"
#include "scenario/user_files.h"
#include "session/simulated_session.h"
#include "theme/fonts.h"
#include "timeline/timeline_view.h"
#include "waits/lock_waits.h"
#include "welcome/welcome_page.h"
#include "window/compare_desk.h"
#include "window/help_desk.h"
#include "window/lesson_keys.h"
#include "window/main_window.h"
#include "window/presenter.h"
#include "window/stage.h"
#include "window/work_area.h"

namespace lockscope::app {
namespace {

using Phase = views::LessonGuide::Phase;
constexpr int kPanelWidth = 380;
constexpr double kTable = 1.5;     ///< times the usual width, for words with a table
constexpr int kRoomForPanel = 880; ///< px, of a window with a panel below the picture

QDockWidget* dockOf(const WorkArea& work, lesson::Look::Panel panel) {
    switch (panel) {
    case lesson::Look::Panel::None:
    case lesson::Look::Panel::Queue: // stands below the picture
        break;
    case lesson::Look::Panel::Waits:
        return work.waits();
    case lesson::Look::Panel::Verdict:
        return work.inspector();
    case lesson::Look::Panel::Statistics:
        return work.statistics();
    case lesson::Look::Panel::Cluster:
        return work.cluster();
    }
    return nullptr;
}

} // namespace

LessonDesk::LessonDesk(MainWindow* window, Stage* stage)
    : QObject(window),
      m_window(window),
      m_stage(stage),
      m_guide(new views::LessonGuide(window->context(), window->player(), this)),
      m_keys(new LessonKeys(m_guide, window)) {
    m_guide->setLanguage(views::WelcomePage::scenarioLanguage());
    connect(m_guide, &views::LessonGuide::worldWanted, this, &LessonDesk::showWorld);
    connect(m_guide, &views::LessonGuide::changed, this, &LessonDesk::refresh);
    connect(m_keys, &LessonKeys::nextLessonWanted, this, &LessonDesk::openNext);
    connect(m_guide, &views::LessonGuide::lessonWanted, this, [this](const QString& id) { open(id); });
    connect(m_guide, &views::LessonGuide::progressed, this,
            [this](const QString& id, const views::LessonProgress& progress) {
                m_window->settings()->setLesson(
                    id, {progress.step, progress.done, progress.solved, progress.bets, progress.old});
            });
}

bool LessonDesk::isGuiding() const {
    return m_guide->phase() == Phase::Step || m_guide->phase() == Phase::Turn || m_guide->phase() == Phase::End;
}

void LessonDesk::needPanel() {
    if (m_panel) return;
    m_panel = new views::LessonPanel(m_guide);
    setPanelWidth(m_panelWidth);
    m_stage->put(Stage::Place::Left, m_panel);
    m_numbers = new views::NumberStrip;
    m_stage->put(Stage::Place::Below, m_numbers);
    connect(m_panel, &views::LessonPanel::listWanted, this, &LessonDesk::showList);
    connect(m_panel, &views::LessonPanel::nextLessonWanted, this, &LessonDesk::openNext);
    connect(m_panel, &views::LessonPanel::termAsked, this,
            [this](const QString& id) { m_window->help()->showTerm(id); });
    connect(m_panel, &views::LessonPanel::pairWanted, this, [this] { m_window->comparison()->open(); });
    connect(m_panel, &views::LessonPanel::scenarioWanted, m_window, &MainWindow::openScenario);
    connect(m_panel, &views::LessonPanel::runWanted, this, &LessonDesk::openRun);
}

void LessonDesk::setPanelWidth(int width) {
    m_panelWidth = width;
    if (!m_panel) return;
    const int usual = width > 0 ? width : int(kPanelWidth * views::textScale());
    m_panel->setFixedWidth(m_guide->table() ? int(usual * kTable) : usual);
}

views::LessonProgress LessonDesk::progressOf(const QString& id) const {
    const KeptLesson kept = m_window->settings()->lesson(id);
    return {kept.step, kept.done, kept.solved, kept.bets, kept.old};
}

void LessonDesk::begin(const QString& id, int step) {
    // A class bets on what its teacher has chosen, and on nothing else.
    if (step == 0 && !m_window->presenter()->isOn() && askOldBet(id)) return takeKeyboard();
    open(id, step);
}

bool LessonDesk::askOldBet(const QString& next) {
    struct Bet {
        QString lesson;
        int step;
    };
    std::vector<Bet> made;
    const QString now = m_guide->lesson() ? m_guide->lesson()->id : QString(); // too fresh to be called back to mind
    for (const QString& id : lesson::builtinLessons())
        if (id != next && id != now)
            for (const auto& [step, choice] : m_window->settings()->lesson(id).bets)
                made.push_back({id, step});
    constexpr std::size_t kMost = 4; // tries: each plays a run
    const auto asked = std::size_t(std::max(0, m_window->settings()->oldBets()));
    for (std::size_t i = 0; i < std::min(made.size(), kMost); ++i) {
        const auto& [of, step] = made[(asked + i) % made.size()];
        const auto lesson = lesson::loadLesson(of);
        // Another one each time, and another run of the same one when all were asked.
        auto bet = lesson ? lesson::oldBet(*lesson, step, asked / made.size()) : std::nullopt;
        if (!bet) continue;
        m_window->settings()->setOldBets(int(asked + i + 1));
        m_guide->setProgress(next, progressOf(next));
        needPanel();
        return m_guide->openWithOldBet(*std::move(bet), of, next).has_value();
    }
    return false;
}

void LessonDesk::open(const QString& id, int step, views::LessonGuide::Arrival arrival) {
    m_guide->setProgress(id, progressOf(id));
    needPanel();
    if (const auto opened = m_guide->open(id, step, arrival); !opened) return m_window->complain(opened.error());
    takeKeyboard();
}

void LessonDesk::takeKeyboard() {
    if (!m_panel || !isGuiding()) return;
    // Without this a style shows no focus until Tab was pressed once.
    m_window->setAttribute(Qt::WA_KeyboardFocusChange);
    // A field or a table that has the focus would keep the lesson's keys for itself. In "your turn" the panel's large
    // button skips the task, so the lanes come first: their menus break things.
    auto* const timeline = m_window->findChild<views::TimelineView*>();
    if (m_guide->phase() == Phase::Turn && timeline)
        timeline->takeKeyboard();
    else
        m_panel->nextButton()->setFocus(Qt::TabFocusReason);
}

std::expected<void, QString> LessonDesk::preview(const lesson::Lesson& lesson, int step) {
    needPanel();
    return m_guide->open(lesson, step, views::LessonGuide::Arrival::AtOnce);
}

void LessonDesk::restore(const views::LessonGuide::Place& place) {
    if (place.phase == Phase::Off) return;
    needPanel();
    m_guide->restore(place);
}

void LessonDesk::showList() {
    if (!m_list) {
        m_list = new views::LessonList(views::WelcomePage::scenarioLanguage(), m_window);
        connect(m_list, &views::LessonList::lessonChosen, this,
                [this](const QString& id, int step) { begin(id, step); });
    }
    std::map<QString, views::LessonProgress> progress;
    for (const QString& id : lesson::builtinLessons() + scenario::userFiles(scenario::Shelf::Lessons)) {
        progress[id] = progressOf(id);
    }
    m_window->player()->pause();
    m_list->showCourse(progress, m_guide->lesson() ? m_guide->lesson()->id : QString());
    m_list->open();
}

void LessonDesk::openNext() {
    if (!m_guide->lesson()) return;
    const QStringList course = lesson::builtinLessons();
    const qsizetype here = course.indexOf(m_guide->lesson()->id);
    if (here >= 0 && here + 1 < course.size())
        begin(course[here + 1]);
    else
        showList();
}

void LessonDesk::openRun(const scenario::Scenario& scenario, quint64 seed) {
    m_window->setSession(std::make_unique<session::SimulatedSession>(scenario, seed));
}

void LessonDesk::showWorld(const scenario::Scenario& scenario, quint64 seed) {
    m_window->setSession(std::make_unique<session::SimulatedSession>(scenario, seed), false);
}

void LessonDesk::refresh() {
    const Phase phase = m_guide->phase();
    if (m_panel) m_panel->setVisible(phase != Phase::Off);
    const views::LessonGuide::Bet bet = m_guide->bet();
    for (auto* timeline : m_window->findChildren<views::TimelineView*>())
        timeline->setBet({bet.words, bet.brief, bet.right});
    setPanelWidth(m_panelWidth);
    if (m_numbers) m_numbers->setNumbers(m_guide->numbers());
    lightProtocol();
    showPanel();
    const bool plain = m_guide->table() || (m_guide->lesson() && m_guide->lesson()->plain);
    if (phase == m_phase && plain == m_plain) return;
    const bool other = phase != m_phase;
    m_phase = phase;
    m_plain = plain;
    WorkArea* const work = m_window->work();
    if (!work) return;
    if (!isGuiding())
        work->takeBack();
    else
        work->lend(phase == Phase::Turn ? Layout::Task : plain ? Layout::Plain : Layout::Lesson);
    if (other) takeKeyboard(); // at once: later it would be taken from a person who has gone elsewhere by then
    showPanel();               // the layout has put its own panels there
}

void LessonDesk::showPanel() {
    WorkArea* const work = m_window->work();
    if (!work) return;
    const bool room = m_window->height() >= kRoomForPanel && !m_window->presenter()->isOn();
    QDockWidget* const wanted = room ? dockOf(*work, m_guide->panel()) : nullptr;
    // Where that panel has no room, the detail of the lock has the same picture.
    const bool inDetail = m_phase == Phase::Step && !wanted && m_guide->panel() == lesson::Look::Panel::Waits;
    for (auto* waits : m_window->findChildren<views::LockWaits*>())
        waits->setPointedAt(inDetail);
    if (wanted == m_lent && (!wanted || wanted->isVisible())) return;
    // Before the layout changes: it remembers what is in sight as the person's choice.
    if (m_lent && m_lent != wanted) m_lent->hide();
    m_lent = wanted && !wanted->isVisible() ? wanted : nullptr;
    if (!wanted || m_phase != Phase::Step) return;
    wanted->show();
    wanted->raise();
}

void LessonDesk::lightProtocol() {
    for (auto* panel : m_window->findChildren<views::ProtocolPanel*>())
        panel->lookAt(m_guide->protocol());
}

} // namespace lockscope::app
