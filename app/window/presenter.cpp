// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/presenter.h"

#include "lessons/failure_table.h"
#include "lessons/lesson_panel.h"
#include "lessons/presenter_bar.h"
#include "locks/protocol_panel.h"
#include "theme/fonts.h"
#include "theme/widgets.h"
#include "timeline/timeline_view.h"
#include "transport/player.h"
#include "transport/transport_bar.h"
#include "transport/verdict_banner.h"
#include "waits/waits_panel.h"
#include "window/action_registry.h"
#include "window/help_desk.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/stage.h"
#include "window/work_area.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStatusBar>
#include <QVBoxLayout>

namespace lockscope::app {
namespace {

/// No text is smaller than this many pixels in a window this wide.
constexpr double kLeastText = 17, kAtWidth = 1600;
constexpr double kSmallest = -2; ///< the smallest font of the window, in points beside the usual one
const QString kPause = QStringLiteral("break.pause-client"); ///< of the panel of faults: it resumes what is paused
constexpr double kNarrowPanel = 0.33;                        ///< the narration's part of the window
constexpr double kWaits = 0.3; ///< the part of the wait-for picture, of two clients and two locks

using Phase = views::LessonGuide::Phase;

class Blank : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), Qt::black); }
};

} // namespace

Presenter::Presenter(MainWindow* window, Stage* stage) : QObject(window), m_window(window), m_stage(stage) {
    m_pace.setSingleShot(true);
    m_pace.setInterval(60);
    connect(&m_pace, &QTimer::timeout, this, &Presenter::fit);
    connect(window->context(), &views::ViewContext::sessionChanged, this, [this] {
        if (!m_window->context()->session()) setOn(false);
    });
    connect(window->context(), &views::ViewContext::spotlightChanged, this, &Presenter::fitSoon);
}

void Presenter::furnish() {
    if (m_bar) return;
    QList<std::pair<QString, QString>> names;
    for (const QString& code : languages())
        names += {code, languageName(code)};
    auto* bar = new views::PresenterBar(m_window->context(), m_window->lessons()->guide(), names,
                                        resolvedLanguage(m_window->settings()->language()));
    connect(bar, &views::PresenterBar::leaveWanted, this, [this] { setOn(false); });
    connect(bar, &views::PresenterBar::listWanted, m_window->lessons(), &LessonDesk::showList);
    connect(bar, &views::PresenterBar::languageWanted, m_window->settings(), &Settings::setLanguage);
    m_bar = bar;
    m_banner = new QWidget;
    auto* around = new QVBoxLayout(m_banner); // as far from the edges as the protocol below the timeline
    around->setContentsMargins(2 * views::kGrid, views::kGrid / 2, 2 * views::kGrid, 0);
    auto* verdict = new views::VerdictBanner(m_window->context());
    verdict->setPlain(true);
    around->addWidget(verdict);
    auto* protocol = new views::ProtocolPanel(m_window->context());
    protocol->setBrief(true);
    m_protocol = protocol;
    m_waits = new views::WaitsPanel(m_window->context(), views::WaitPicture::Direction::Down);
    m_waits->hide();
    auto* keys = new views::KeyRow;
    connect(keys, &views::KeyRow::pressed, this, &Presenter::press);
    connect(m_window->lessons()->guide(), &views::LessonGuide::changed, this, [this] {
        nameKeys();
        showWaits();
        fitSoon(); // a task needs other room than a step
    });
    connect(m_window->player(), &views::Player::playingChanged, this, &Presenter::nameKeys);
    if (const QAction* const pause = m_window->registry()->find(kPause))
        connect(pause, &QAction::changed, this, &Presenter::nameKeys);
    m_keys = keys;
    nameKeys();
    m_stage->put(Stage::Place::Top, m_bar);
    m_stage->put(Stage::Place::Above, m_banner);
    m_stage->put(Stage::Place::Right, m_waits);
    m_stage->put(Stage::Place::Below, m_protocol);
    m_stage->put(Stage::Place::Bottom, m_keys);
    m_blank = new Blank(m_window);
    m_blank->hide();
}

void Presenter::setOn(bool on) {
    if (on == m_on || (on && !m_window->context()->session())) return;
    m_on = on;
    furnish();
    for (QWidget* part : {m_bar, m_banner, m_protocol, static_cast<QWidget*>(m_keys)})
        part->setVisible(on);
    showWaits();
    m_window->menuWidget()->setVisible(!on);
    if (views::LessonPanel* const panel = m_window->lessons()->panel()) panel->setHeadShown(!on);
    for (auto* timeline : m_window->findChildren<views::TimelineView*>())
        timeline->setBrief(on);
    m_window->help()->setLegendForced(on);
    m_window->statusBar()->setVisible(!on && m_window->context()->session());
    if (WorkArea* const work = m_window->work()) work->setVisible(!on && m_window->context()->session());
    if (views::TimelineView* const timeline = m_window->findChild<views::TimelineView*>())
        connect(timeline, &views::TimelineView::lanesChanged, this, &Presenter::fitSoon, Qt::UniqueConnection);
    if (on) {
        qApp->installEventFilter(this);
        fit();
    } else {
        qApp->removeEventFilter(this);
        setBlank(false);
        views::setTextScale(m_window->settings()->textScale());
        m_window->lessons()->setPanelWidth(0);
    }
    Q_EMIT changed(on);
}

void Presenter::fit() {
    if (!m_on) return;
    const double usual = views::uiFont(kSmallest).pointSizeF() / views::textScale() * m_window->logicalDpiY() / 72;
    views::setTextScale(kLeastText * m_window->width() / kAtWidth / usual);
    m_window->lessons()->setPanelWidth(int(m_window->width() * kNarrowPanel));
    m_waits->setFixedWidth(int(m_window->width() * kWaits));
    m_blank->setGeometry(m_window->rect());
    foldProtocol();
}

void Presenter::showWaits() {
    m_waits->setVisible(m_on && m_window->lessons()->guide()->panel() == lesson::Look::Panel::Waits);
}

void Presenter::fitSoon() {
    if (m_on && !m_pace.isActive()) m_pace.start();
}

/// The three truths and the lanes that a lesson lights come first: the protocol is there where it takes no room from
/// them.
void Presenter::foldProtocol() {
    const auto* const timeline = m_window->findChild<const views::TimelineView*>();
    if (!timeline) return;
    const int room = timeline->spareHeight() + (m_protocol->isVisible() ? m_protocol->height() : 0);
    // Before anybody has taken a step there is no row that could show that it has the keyboard. A task is done on the
    // lanes, the servers' among them.
    QListView* const steps = static_cast<views::ProtocolPanel*>(m_protocol)->view();
    bool some = false;
    for (int row = 0; row < steps->model()->rowCount(); ++row)
        some |= !steps->isRowHidden(row);
    const bool task = m_window->lessons()->guide()->phase() == Phase::Turn;
    m_protocol->setVisible(!task && room >= m_protocol->sizeHint().height());
    steps->setFocusPolicy(some ? Qt::StrongFocus : Qt::NoFocus);
}

void Presenter::setBlank(bool blank) {
    if (!m_blank || blank == m_blank->isVisible()) return;
    if (blank) m_window->player()->pause();
    m_blank->setGeometry(m_window->rect());
    m_blank->setVisible(blank);
    m_blank->raise();
}

void Presenter::press(views::KeyRow::Key key) {
    views::LessonGuide* const guide = m_window->lessons()->guide();
    const bool leads = m_window->lessons()->isGuiding();
    using Key = views::KeyRow::Key;
    switch (key) {
    case Key::Play:
        return leads ? guide->goOn() : m_window->player()->toggle();
    case Key::Next:
        if (guide->phase() == Phase::Away) return guide->comeBack();
        // In a task the keys go through the run, as they do in the window.
        return leads && guide->phase() != Phase::Turn ? guide->skip()
                                                      : m_window->player()->next(session::Milestone::Event);
    case Key::PauseHolder:
        return m_window->registry()->find(kPause)->trigger();
    case Key::Heal:
        return m_window->registry()->find(QStringLiteral("break.heal"))->trigger();
    case Key::Blank:
        return setBlank(true);
    }
}

void Presenter::nameKeys() {
    const views::LessonGuide* const guide = m_window->lessons()->guide();
    const Phase phase = guide->phase();
    const bool onTheWay = phase == Phase::Step && !guide->arrived();
    using Key = views::KeyRow::Key;
    m_keys->setWords(Key::Play, m_window->player()->isPlaying() ? tr("pause") : tr("play on"));
    m_keys->setWords(Key::Next, phase == Phase::Away                          ? tr("back to the lesson")
                                : phase == Phase::Turn || phase == Phase::Off ? tr("next event")
                                : onTheWay ? tr("to the step's end") //: the run jumps to where the step stops
                                           : tr("next step"));
    const QAction* const pause = m_window->registry()->find(kPause);
    const QString paused = pause ? pause->property("undoneFor").toString() : QString();
    const QString other = pause ? pause->data().toString() : QString();
    //: %1 a client that is paused.
    m_keys->setWords(Key::PauseHolder, !paused.isEmpty() ? tr("resume %1").arg(paused)
                                       //: %1 a client: the one that was chosen, or any while none holds the lock.
                                       : !other.isEmpty() ? tr("pause %1").arg(other)
                                                          : tr("pause the holder"));
}

bool Presenter::takeOfMenus(const QKeyEvent& key) {
    const auto trigger = [this](const char* id) {
        if (QAction* const action = m_window->registry()->find(QLatin1String(id)); action && action->isEnabled())
            action->trigger();
        return true;
    };
    if (key.matches(QKeySequence::Undo)) return trigger("edit.undo");
    if (key.matches(QKeySequence::HelpContents)) return trigger("help.what");
    if (key.modifiers() != Qt::ControlModifier) return false;
    if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter) return trigger("lesson.return");
    return key.key() == Qt::Key_L && trigger("lesson.list");
}

bool Presenter::take(int key) {
    using Key = views::KeyRow::Key;
    views::LessonGuide* const guide = m_window->lessons()->guide();
    const bool leads = m_window->lessons()->isGuiding(), turn = guide->phase() == Phase::Turn;
    switch (key) {
    case Qt::Key_Escape:
    case Qt::Key_F5:
        setOn(false);
        return true;
    case Qt::Key_B:
    case Qt::Key_Period: // remotes send one or the other
        press(Key::Blank);
        return true;
    case Qt::Key_P:
        press(Key::PauseHolder);
        return true;
    case Qt::Key_H:
        press(Key::Heal);
        return true;
    case Qt::Key_Space:
        press(Key::Play);
        return true;
    case Qt::Key_Right:
        press(Key::Next);
        return true;
    case Qt::Key_PageDown:
        turn ? guide->skip() : press(Key::Next);
        return true;
    case Qt::Key_Left:
        leads && !turn ? guide->back() : m_window->player()->previous(session::Milestone::Event);
        return true;
    case Qt::Key_PageUp:
        leads ? guide->back() : m_window->player()->previous(session::Milestone::Event);
        return true;
    default:
        return false;
    }
}

bool Presenter::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        if (watched == m_window) m_pace.start();
        // Text that grew, or a line above, may have taken room from the lanes after it was divided.
        if (qobject_cast<const views::TimelineView*>(watched)) fitSoon();
    }
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
    const auto* widget = qobject_cast<const QWidget*>(watched);
    if (!widget || widget->window() != m_window || qobject_cast<const QLineEdit*>(widget)) return false;
    auto* key = static_cast<QKeyEvent*>(event);
    if (!isBlank() && !key->modifiers() && views::FailureTable::needsKey(widget, key->key())) return false;
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept(); // the menus are away, and their keys with them: all come here
        return true;
    }
    if (isBlank()) {
        setBlank(false);
        return true;
    }
    if (takeOfMenus(*key)) return true;
    return !(key->modifiers() & ~Qt::KeypadModifier) && take(key->key());
}

} // namespace lockscope::app
