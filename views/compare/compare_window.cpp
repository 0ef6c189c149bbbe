// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_window.h"

#include "compare/difference_mark.h"
#include "models/event_words.h"
#include "session/simulated_session.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/screen_room.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "timeline/timeline_view.h"
#include "trace/duration.h"
#include "trace/time_text.h"
#include "transport/player.h"
#include "transport/verdict_banner.h"
#include "verdict/words.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace lockscope::views {
namespace {

constexpr int kLeastChoice = 160;          ///< px
constexpr auto kLook = 30ms;               ///< between two looks at how far the runs have come: a frame or two
constexpr Nanos kBefore = 4s, kAfter = 6s; ///< in sight around the place where they part

/// A setting's value that is a time, as people read it.
QString timeIn(const QString& value) {
    const auto time = parseDuration(value);
    if (!time) return value;
    return *time % 1ms == Nanos(0) ? spanText(*time) : durationText(*time); // of odd ones, as many digits as matter
}

QString clientOf(const trace::Trace& trace, trace::EntityId thread) {
    return trace.displayName(trace.clientOf(thread));
}

} // namespace

QString contrastWords(const experiment::Contrast& contrast) {
    const QString& value = contrast.value;
    if (contrast.setting == QLatin1String("recipe")) return CompareWindow::tr("recipe %1").arg(value);
    if (contrast.setting == QLatin1String("token_check"))
        return value == QLatin1String("on") ? CompareWindow::tr("with fencing: the resource checks tokens")
                                            : CompareWindow::tr("without fencing: nobody checks tokens");
    if (contrast.setting == QLatin1String("watchdog"))
        return value == QLatin1String("off")
                   ? CompareWindow::tr("without a watchdog")
                   : CompareWindow::tr("with a watchdog that renews every %1").arg(timeIn(value));
    if (contrast.setting == QLatin1String("deadline"))
        return value == QLatin1String("honoured") ? CompareWindow::tr("holders stop at their own deadline")
                                                  : CompareWindow::tr("holders ignore their own deadline");
    if (contrast.setting == QLatin1String("on_loss"))
        return value == QLatin1String("stop") ? CompareWindow::tr("holders stop when they are told of a loss")
                                              : CompareWindow::tr("holders carry on after a loss");
    if (contrast.setting == QLatin1String("manager")) {
        if (value == QLatin1String("drain")) return CompareWindow::tr("the manager waits for the old holders");
        if (value == QLatin1String("immediate"))
            return CompareWindow::tr("the manager takes the lock from the old holders");
        return CompareWindow::tr("without a manager: nobody tells the old holders");
    }
    if (contrast.setting == QLatin1String("lease")) return CompareWindow::tr("a lease of %1").arg(timeIn(value));
    return CompareWindow::tr("%1: %2").arg(contrast.setting, value);
}

CompareWindow::CompareWindow(const session::SharedRun& run, std::optional<experiment::Contrast> contrast,
                             QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_run(run),
      m_contrasts(experiment::contrastsOf(run.scenario)),
      m_choice(new QComboBox),
      m_play(new QToolButton),
      m_clock(new QLabel),
      m_story(new QPushButton),
      m_outcome(new Paragraph) {
    setObjectName(QStringLiteral("compare"));
    setWindowTitle(tr("Side by side — Lockscope"));
    setMinimumSize(kSmallestWindow);
    // So high that belief, record and effect of both runs are in sight, as far as the screen and its frame allow.
    resize(roomFor(this, {1600, 1040}));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    top->setSpacing(kGrid);
    m_play->setIcon(icon("play"));
    m_play->setToolTip(tr("Play (Space)"));
    m_play->setAccessibleName(tr("Play"));
    m_play->setFixedSize(32, 32);
    top->addWidget(m_play);
    m_clock->setFont(fixedFont(3, QFont::Medium));
    m_clock->setText(clockText(Nanos(0)));
    m_clock->setAccessibleName(tr("Time %1").arg(m_clock->text()));
    top->addWidget(m_clock);
    top->addSpacing(2 * kGrid);
    auto* what = new QLabel(tr("The lower run differs in &one thing:"));
    what->setBuddy(m_choice);
    top->addWidget(what);
    m_choice->setAccessibleName(tr("What differs"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_choice->setMinimumWidth(kLeastChoice); // the whole choice stands over the lower run, too
    top->addWidget(m_choice);
    top->addStretch(1);
    auto* open = new QPushButton(tr("Open the lower run"));
    open->setToolTip(tr("In the main window, with its seed and what was done by hand"));
    connect(open, &QPushButton::clicked, this, [this] { Q_EMIT openWanted(m_other); });
    top->addWidget(open);
    column->addLayout(top);

    auto* words = new QHBoxLayout;
    words->setContentsMargins(2 * kGrid, 0, 2 * kGrid, kGrid);
    words->setSpacing(2 * kGrid);
    makePrimary(m_story);
    m_story->setToolTip(tr("Goes to the place where the runs part (D)"));
    connect(m_story, &QPushButton::clicked, this, &CompareWindow::showDifference);
    words->addWidget(m_story);
    m_outcome->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    words->addWidget(m_outcome, 1);
    column->addLayout(words);

    for (Side& side : m_sides) {
        side.context = new ViewContext(this);
        column->addWidget(new HairLine(Qt::Horizontal));
        column->addWidget(makeSide(side), 1);
    }
    m_player = new Player(m_sides[0].context, this);
    connect(m_play, &QToolButton::clicked, m_player, &Player::toggle);
    connect(m_player, &Player::playingChanged, this, [this](bool on) { m_play->setIcon(icon(on ? "pause" : "play")); });
    connect(m_sides[0].context, &ViewContext::playheadChanged, this, [this](Nanos t) {
        m_clock->setText(clockText(t));
        m_clock->setAccessibleName(tr("Time %1").arg(m_clock->text()));
        m_sides[1].context->setPlayhead(t);
    });
    connect(m_sides[1].context, &ViewContext::seekRequested, m_player, &Player::seek);
    for (int which : {0, 1})
        connect(m_sides[std::size_t(which)].view->zoom(), &TimelineZoom::changed, this,
                [this, which] { followSight(which); });

    m_pace.setInterval(kLook);
    connect(&m_pace, &QTimer::timeout, this, &CompareWindow::check);
    setRun(m_sides[0], m_run);
    int chosen = 0;
    if (contrast) {
        const auto known = std::ranges::find(m_contrasts, *contrast);
        chosen = int(known - m_contrasts.begin());
        if (known == m_contrasts.end()) m_contrasts.push_back(*contrast);
    }
    for (const experiment::Contrast& one : m_contrasts)
        m_choice->addItem(contrastWords(one), one.toString());
    connect(m_choice, &QComboBox::activated, this, &CompareWindow::choose);
    m_choice->setCurrentIndex(chosen);
    choose(chosen);
    m_sides[0].view->setFocus();
}

CompareWindow::~CompareWindow() {
    // Views hold on to the contexts, which hold on to the sessions: take these away before they go.
    for (Side& side : m_sides)
        side.context->setSession(nullptr);
}

QWidget* CompareWindow::makeSide(Side& side) {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(2 * kGrid, kGrid / 2, 2 * kGrid, kGrid / 2);
    head->setSpacing(2 * kGrid);
    side.caption = new QLabel;
    side.caption->setFont(uiFont(1, QFont::DemiBold));
    head->addWidget(side.caption);
    side.banner = new VerdictBanner(side.context);
    head->addWidget(side.banner, 1);
    column->addLayout(head);
    side.view = new TimelineView(side.context);
    side.view->setBrief(true);
    side.mark = new DifferenceMark(side.view);
    column->addWidget(side.view, 1);
    return box;
}

void CompareWindow::setRun(Side& side, const session::SharedRun& run) {
    std::unique_ptr<session::Session> old = std::move(side.session);
    side.session = std::make_unique<session::SimulatedSession>(run);
    side.context->setSession(side.session.get());
    side.session->advanceTo(side.session->planned());
}

void CompareWindow::choose(int index) {
    if (index < 0 || index >= int(m_contrasts.size())) {
        m_story->setText(tr("Nothing about this scenario can be changed alone."));
        m_story->setEnabled(false);
        return;
    }
    contrast(m_contrasts[std::size_t(index)]);
}

void CompareWindow::contrast(const experiment::Contrast& contrast) {
    m_ready = false;
    m_difference.reset();
    for (Side& side : m_sides)
        side.mark->setInstant({});
    const auto other = experiment::contrasted(m_run.scenario, contrast);
    m_story->setEnabled(false);
    m_outcome->clear();
    if (!other) {
        m_pace.stop();
        m_story->setText(other.error());
        return;
    }
    m_other = m_run;
    m_other.scenario = *other;
    const Nanos playhead = m_sides[0].context->playhead();
    setRun(m_sides[1], m_other);
    m_sides[1].context->setPlayhead(playhead);
    //: Over the upper of two runs: %1 its recipe.
    m_sides[0].caption->setText(tr("As it is · %1").arg(m_run.scenario.recipe));
    QString heading = contrastWords(contrast); // which stands within a sentence elsewhere
    heading[0] = heading[0].toUpper();
    m_sides[1].caption->setText(heading);
    m_story->setText(tr("Computing both runs…"));
    m_pace.start();
}

void CompareWindow::check() {
    for (const Side& side : m_sides) {
        const auto trace = side.session->trace();
        if (trace->reached() < side.session->planned() || side.session->verdict()->rows < trace->size()) return;
    }
    m_pace.stop();
    m_difference = experiment::firstDifference(*m_sides[0].session->trace(), *m_sides[1].session->trace());
    m_ready = true;
    tell();
    showDifference();
    Q_EMIT ready();
}

QString CompareWindow::happening(const Side& side, std::optional<std::size_t> row) const {
    if (!row) return tr("nothing more happens");
    const auto trace = side.session->trace();
    const trace::Event event = trace->at(*row);
    //: What happens first in one of two runs: %1 a client, %2 what it does, %3 when.
    return tr("%1: %2 at %3").arg(clientOf(*trace, event.actor), eventWord(event), instant(*trace, Nanos(event.at)));
}

QString CompareWindow::brokenBy(const Side& side) const {
    QStringList broken;
    const auto verdict = side.session->verdict();
    for (const verdict::Invariant invariant : verdict::kInvariants)
        if (verdict->outcomes[std::size_t(invariant)] == verdict::Outcome::Violated)
            broken += verdict::invariantName(invariant);
    //: Between the names of invariants in a list.
    const QString comma = tr(", ", "list");
    return broken.isEmpty() ? tr("holds everything") : tr("breaks %1").arg(broken.join(comma));
}

void CompareWindow::tell() {
    for (Side& side : m_sides)
        side.mark->setInstant(m_difference ? std::optional(m_difference->at) : std::nullopt);
    m_story->setEnabled(m_difference.has_value());
    m_story->setText(m_difference ? tr("They part at %1").arg(instant(*m_sides[0].session->trace(), m_difference->at))
                                  : tr("Both runs tell the same story"));
    const QString ends = tr("By the end: above %1; below %2.").arg(brokenBy(m_sides[0]), brokenBy(m_sides[1]));
    m_outcome->setText(m_difference ? tr("Above, %1; below, %2.  ·  %3")
                                          .arg(happening(m_sides[0], m_difference->first),
                                               happening(m_sides[1], m_difference->second), ends)
                                    : ends);
    m_outcome->setToolTip(m_outcome->text());
}

QString CompareWindow::story() const {
    return m_story->text();
}

QString CompareWindow::outcome() const {
    return m_outcome->text();
}

void CompareWindow::showDifference() {
    if (!m_difference) return;
    m_player->pause();
    m_player->seek(m_difference->at);
    for (const auto& [side, row] : {std::pair{&m_sides[0], m_difference->first}, {&m_sides[1], m_difference->second}})
        if (row) // the lane on which they part comes into sight
            Q_EMIT side->context->revealRequested(m_difference->at, side->session->trace()->at(*row).subject);
    TimelineView* const view = m_sides[0].view;
    view->zoom()->setFollowing(false);
    view->zoom()->setRange((m_difference->at - kBefore).count(), (m_difference->at + kAfter).count());
}

void CompareWindow::followSight(int from) {
    if (m_following) return;
    m_following = true;
    const Side &changed = m_sides[std::size_t(from)], &other = m_sides[std::size_t(1 - from)];
    TimelineZoom* const zoom = other.view->zoom();
    zoom->setEnd(std::max(zoom->end(), changed.view->zoom()->end()));
    other.view->setSight(changed.view->sight());
    m_following = false;
}

void CompareWindow::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Space:
        return m_player->toggle();
    case Qt::Key_Right:
        return m_player->next(session::Milestone::Event);
    case Qt::Key_Left:
        return m_player->previous(session::Milestone::Event);
    case Qt::Key_D:
        return showDifference();
    case Qt::Key_Escape:
        close();
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace lockscope::views
