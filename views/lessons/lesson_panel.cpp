// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_panel.h"

#include "lesson/glossary.h"
#include "lessons/choice_button.h"
#include "lessons/failure_table.h"
#include "lessons/source_label.h"
#include "lessons/task_box.h"
#include "lessons/whole_names.h"
#include "scenario/scenario_file.h"
#include "theme/follow_focus.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QGuiApplication>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <numeric>

namespace lockscope::views {
namespace {

constexpr int kChoices = 4;
constexpr int kTerms = 3;                         ///< new words that a step may explain
constexpr int kAsides = 3;                        ///< scenarios that a lesson may lead to
constexpr double kWords = 3, kSmallerWords = 1.5; ///< points above the usual size

/// A layout inside of another one remembers the height of parts that were shown or hidden since.
void forgetHeights(QLayout* layout) {
    for (int i = 0; i < layout->count(); ++i)
        if (QLayout* const inner = layout->itemAt(i)->layout()) forgetHeights(inner);
    layout->invalidate();
}

/// The height that a part needs, px, as its own parts are shown now.
int needed(const QWidget* part, int wide) {
    QLayout* const layout = part->layout();
    forgetHeights(layout);
    // Without a text that wraps, a layout has no height for a width.
    return layout->hasHeightForWidth() ? layout->totalHeightForWidth(wide) : layout->totalSizeHint().height();
}

} // namespace

LessonPanel::LessonPanel(LessonGuide* guide, QWidget* parent) : QWidget(parent), m_guide(guide) {
    setAccessibleName(tr("Lesson"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_head = makeHead();
    column->addWidget(m_head);
    m_scroll = new QScrollArea;
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(makeWords());
    followFocus(m_scroll);
    column->addWidget(m_scroll, 1);
    m_foot = makeFoot();
    column->addWidget(m_foot);
    m_refit.setSingleShot(true);
    m_refit.setInterval(0);
    connect(&m_refit, &QTimer::timeout, this, [this] {
        if (m_guide->lesson()) fitWords();
    });
    connect(guide, &LessonGuide::changed, this, &LessonPanel::refresh);
    connect(guide, &LessonGuide::betMissing, this, &LessonPanel::askForBet);
    recolorSource();
    refresh();
}

QWidget* LessonPanel::makeHead() {
    auto* head = new QWidget;
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(3 * kGrid, 2 * kGrid, 2 * kGrid, kGrid);
    column->setSpacing(kGrid);
    auto* row = new QHBoxLayout;
    m_number = new DimLabel;
    row->addWidget(m_number, 1);
    m_list = new QToolButton;
    m_list->setText(tr("Lessons"));
    m_list->setToolTip(
        tr("All lessons (%1)").arg(QKeySequence(Qt::CTRL | Qt::Key_L).toString(QKeySequence::NativeText)));
    m_list->setFocusPolicy(Qt::TabFocus);
    connect(m_list, &QToolButton::clicked, this, &LessonPanel::listWanted);
    row->addWidget(m_list);
    column->addLayout(row);
    m_title = new Paragraph;
    m_title->setRole(Role::Text);
    m_title->setFont(uiFont(6, QFont::DemiBold));
    column->addWidget(m_title);
    return head;
}

void LessonPanel::setHeadShown(bool shown) {
    m_number->setVisible(shown);
    m_list->setVisible(shown);
    m_headShown = shown;
    if (!m_guide->lesson()) return;
    refreshQuestion();
    refreshFoot();
}

QWidget* LessonPanel::makeWords() {
    auto* words = new QWidget;
    auto* column = new QVBoxLayout(words);
    column->setContentsMargins(3 * kGrid, kGrid, 3 * kGrid, kGrid);
    column->setSpacing(kGrid + kGrid / 2);
    m_caption = new QLabel;
    m_caption->setFont(uiFont(0, QFont::DemiBold));
    column->addWidget(m_caption);
    m_result = new Pill;
    m_result->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    column->addWidget(m_result);
    m_answer = new Paragraph;
    column->addWidget(m_answer);
    m_narration = new Paragraph;
    m_narration->setRole(Role::Text);
    m_narration->setFont(uiFont(kWords));
    column->addWidget(m_narration);
    auto* terms = new QHBoxLayout;
    terms->setSpacing(kGrid / 2);
    for (int i = 0; i < kTerms; ++i) {
        auto* term = new QToolButton;
        term->setIcon(icon("info"));
        term->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        term->setAutoRaise(true);
        term->setFocusPolicy(Qt::TabFocus);
        connect(term, &QToolButton::clicked, this,
                [this, term] { Q_EMIT termAsked(term->property("term").toString()); });
        m_terms.push_back(term);
        terms->addWidget(term);
    }
    terms->addStretch(1);
    column->addLayout(terms);
    m_table = new FailureTable;
    m_table->setObjectName(QStringLiteral("lesson.table"));
    connect(m_table, &FailureTable::computed, this, [this] { m_refit.start(); });
    connect(m_table, &FailureTable::runWanted, this, &LessonPanel::runWanted);
    column->addWidget(m_table);
    m_pair = new QPushButton(icon("clients"), tr("Side by side with the run before"));
    m_pair->setObjectName(QStringLiteral("lesson.pair"));
    m_pair->setFocusPolicy(Qt::TabFocus);
    const QKeySequence pairKey(Qt::CTRL | Qt::SHIFT | Qt::Key_B);
    m_pair->setToolTip(
        tr("Both runs on one axis, and where they part (%1)").arg(pairKey.toString(QKeySequence::NativeText)));
    connect(m_pair, &QPushButton::clicked, this, &LessonPanel::pairWanted);
    column->addWidget(m_pair);
    m_question = new Paragraph;
    m_question->setRole(Role::Text);
    m_question->setFont(uiFont(kWords, QFont::DemiBold));
    column->addSpacing(kGrid);
    column->addWidget(m_question);
    for (int i = 0; i < kChoices; ++i) {
        auto* choice = new ChoiceButton(i + 1);
        choice->setObjectName(QStringLiteral("lesson.choice-%1").arg(i + 1));
        choice->setToolTip(tr("Shift counts a hand of the class"));
        connect(choice, &ChoiceButton::clicked, this, [this, i] {
            if (QGuiApplication::keyboardModifiers() & Qt::ShiftModifier)
                m_guide->countHand(i);
            else
                m_guide->choose(i);
        });
        m_choices.push_back(choice);
        column->addWidget(choice);
    }
    auto* below = new QHBoxLayout;
    m_bet = new Paragraph;
    below->addWidget(m_bet, 1);
    m_hands = new DimLabel;
    below->addWidget(m_hands, 0, Qt::AlignTop);
    column->addLayout(below);
    m_task = new TaskBox(m_guide);
    column->addWidget(m_task);
    m_also = new DimLabel(tr("See also"));
    column->addWidget(m_also);
    for (int i = 0; i < kAsides; ++i) {
        auto* aside = new QPushButton;
        aside->setObjectName(QStringLiteral("lesson.aside-%1").arg(i + 1));
        aside->setFocusPolicy(Qt::TabFocus);
        connect(aside, &QPushButton::clicked, this,
                [this, aside] { Q_EMIT scenarioWanted(aside->property("scenario").toString()); });
        m_asides.push_back(aside);
        column->addWidget(aside, 0, Qt::AlignLeft);
    }
    column->addStretch(1);
    return words;
}

QWidget* LessonPanel::makeFoot() {
    auto* foot = new QWidget;
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(3 * kGrid, kGrid, 3 * kGrid, 2 * kGrid);
    column->setSpacing(kGrid + kGrid / 2);
    auto* row = new QHBoxLayout;
    row->setSpacing(kGrid);
    m_back = new QPushButton(tr("Back"));
    m_back->setObjectName(QStringLiteral("lesson.back"));
    m_back->setFont(uiFont(1));
    m_back->setFocusPolicy(Qt::TabFocus);
    m_back->setToolTip(tr("The step before (←)"));
    connect(m_back, &QPushButton::clicked, m_guide, &LessonGuide::back);
    m_next = new QPushButton(tr("Next"));
    m_next->setObjectName(QStringLiteral("lesson.next"));
    m_next->setFont(uiFont(1, QFont::DemiBold));
    m_next->setFocusPolicy(Qt::TabFocus);
    makePrimary(m_next);
    connect(m_next, &QPushButton::clicked, this, [this] {
        if (m_guide->phase() == LessonGuide::Phase::End)
            Q_EMIT nextLessonWanted();
        else if (m_guide->phase() == LessonGuide::Phase::Step && m_guide->arrived())
            m_guide->goOn();
        else
            m_guide->skip();
    });
    // In a row of their own: between two large buttons a narrow window has no room for them.
    auto* progress = new QHBoxLayout;
    progress->setSpacing(kGrid);
    m_dots = new StepDots;
    m_step = new DimLabel;
    progress->addWidget(m_dots, 0, Qt::AlignVCenter);
    progress->addStretch(1);
    progress->addWidget(m_step, 0, Qt::AlignVCenter);
    m_leave = new QPushButton;
    m_leave->setObjectName(QStringLiteral("lesson.leave"));
    m_leave->setFocusPolicy(Qt::TabFocus);
    connect(m_leave, &QPushButton::clicked, this, [this] {
        if (m_guide->phase() == LessonGuide::Phase::Away || m_guide->phase() == LessonGuide::Phase::End)
            m_guide->close();
        else
            m_guide->leave();
    });
    m_source = new SourceLabel;
    m_source->setObjectName(QStringLiteral("lesson.source"));
    m_source->setWordWrap(true);
    m_source->setOpenExternalLinks(true);
    column->addWidget(m_source);
    column->addWidget(m_leave);
    column->addLayout(progress);
    // At the bottom: whatever comes and goes above, they stay under the hand.
    row->addWidget(m_back);
    row->addStretch(1);
    row->addWidget(m_next);
    column->addLayout(row);
    return foot;
}

void LessonPanel::setShown(QWidget* part, bool shown) {
    if (!shown && part->hasFocus()) m_next->setFocus(Qt::OtherFocusReason);
    part->setVisible(shown);
}

void LessonPanel::refresh() {
    const lesson::Lesson* const lesson = m_guide->lesson();
    if (!lesson) return;
    using Phase = LessonGuide::Phase;
    const Phase phase = m_guide->phase();
    m_number->setText(m_guide->number());
    m_title->setText(m_guide->title());
    m_caption->setVisible(phase == Phase::Turn || phase == Phase::End || phase == Phase::Away);
    m_caption->setText(phase == Phase::Turn  ? tr("Your turn")
                       : phase == Phase::End ? tr("Remember")
                                             : tr("The lesson waits for you"));
    const QString words = phase == Phase::Away
                              ? tr("Break the run as you like: it is yours now. Right-click a row, or use the controls "
                                   "at the left, then play on. The lesson goes on where you left it.")
                              : withWholeNames(m_guide->narration());
    if (words != m_narration->text()) {
        m_narration->setText(words);
        m_narration->setAccessibleDescription(phase == Phase::Step ? tr("Look at: %1").arg(m_guide->where())
                                                                   : QString());
        m_scroll->verticalScrollBar()->setValue(0);
        QAccessibleEvent told(m_narration, QAccessible::NameChanged); // a screen reader reads it out
        QAccessible::updateAccessibility(&told);
    }
    m_table->setTable(m_guide->table(), m_guide->language());
    m_table->setVisible(m_guide->table());
    refreshResult();
    refreshQuestion();
    refreshFoot();
    m_refit.start(); // parts that were hidden have their size a moment later
}

void LessonPanel::refreshTerms(bool shown) {
    const bool told = m_guide->phase() == LessonGuide::Phase::Step || m_guide->phase() == LessonGuide::Phase::Turn;
    const auto terms =
        told ? lesson::termsIn(m_guide->narration(), m_guide->language()) : std::vector<const lesson::Term*>{};
    // Where the names are long, two words may be all that fit.
    int room = width() - 6 * kGrid;
    for (std::size_t i = 0; i < m_terms.size(); ++i) {
        QToolButton* const button = m_terms[i];
        if (i < terms.size()) {
            button->setText(terms[i]->name.in(m_guide->language()));
            button->setProperty("term", terms[i]->id);
            button->setToolTip(terms[i]->sentence(m_guide->language()));
            button->setAccessibleName(tr("What is this: %1?").arg(button->text()));
        }
        room -= button->sizeHint().width() + kGrid / 2;
        setShown(button, shown && i < terms.size() && (i == 0 || room >= 0));
    }
}

void LessonPanel::refreshResult() {
    const auto result = m_guide->result();
    m_result->setVisible(result && !result->bet.isEmpty());
    m_answer->setVisible(result.has_value() || m_guide->phase() == LessonGuide::Phase::End);
    if (result) {
        m_result->setText(result->right ? tr("Your bet was right") : tr("The run answers otherwise"));
        m_result->setTone(result->right ? Pill::Tone::Accepted : Pill::Tone::Waiting);
        m_answer->setText(result->right || result->bet.isEmpty()
                              ? tr("The run says: %1").arg(result->answer)
                              : tr("The run says: %1. Your bet: %2").arg(result->answer, result->bet));
    }
    refreshEnd();
}

void LessonPanel::refreshEnd() {
    const bool end = m_guide->phase() == LessonGuide::Phase::End;
    const QStringList asides = end ? m_guide->lesson()->aside : QStringList();
    m_also->setVisible(!asides.isEmpty());
    for (std::size_t i = 0; i < m_asides.size(); ++i) {
        const QString id = asides.value(qsizetype(i));
        const auto scenario = id.isEmpty() ? std::nullopt : std::optional(scenario::loadScenario(id));
        if (scenario && *scenario) m_asides[i]->setText((*scenario)->titleIn(m_guide->language()));
        m_asides[i]->setProperty("scenario", id);
        setShown(m_asides[i], scenario && *scenario);
    }
    if (!end) return;
    const auto [right, made] = m_guide->score();
    QStringList lines;
    const auto& steps = m_guide->lesson()->steps;
    // A lesson of one's own may ask nothing.
    if (std::ranges::any_of(steps, [](const lesson::Step& step) { return step.ask.has_value(); }))
        lines += made > 0 ? tr("%1 of your %n bet(s) came true.", "", made).arg(right)
                          : tr("Next time, bet before you look: you will see more.");
    if (!m_guide->solved()) lines += tr("Your task is still open: Back leads to it.");
    m_answer->setText(lines.join(u'\n'));
    m_answer->setVisible(!lines.isEmpty());
}

void LessonPanel::refreshQuestion() {
    using Phase = LessonGuide::Phase;
    setShown(m_pair, m_guide->pair().has_value());
    const bool asks = m_guide->phase() == Phase::Step && !m_guide->question().isEmpty() && m_guide->arrived();
    m_question->setVisible(asks);
    if (asks) m_question->setText(withWholeNames(m_guide->question()));
    const QStringList choices = m_guide->choices();
    const std::vector<int> hands = m_guide->hands();
    const int most = hands.empty() ? 0 : std::ranges::max(hands);
    m_hands->setVisible(asks && most > 0);
    m_hands->setText(tr("%n hand(s) counted", "", std::accumulate(hands.begin(), hands.end(), 0)));
    for (int i = 0; i < kChoices; ++i) {
        ChoiceButton* const button = m_choices[std::size_t(i)];
        setShown(button, asks && i < choices.size());
        if (!asks || i >= choices.size()) continue;
        const bool mine = m_guide->chosen() == i;
        button->setHands(hands.empty() ? 0 : hands[std::size_t(i)], most);
        button->setChoice(withWholeNames(choices[i]),
                          m_guide->locked() ? (mine ? ChoiceButton::Mark::Locked : ChoiceButton::Mark::Passed)
                          : mine            ? ChoiceButton::Mark::Chosen
                                            : ChoiceButton::Mark::Open);
    }
    const bool turn = m_guide->phase() == Phase::Turn;
    m_task->setVisible(turn);
    m_task->refresh();
    m_bet->setVisible(asks || turn);
    m_bet->setRole(Role::TextDim);
    if (turn) {
        m_bet->setText(
            m_guide->showsSolution() ? tr("This is one way to do it: watch what is done, and when.")
            : m_guide->goalReached() ? tr("Done. Finish or Page Down goes on.")
            : m_guide->isLost()
                ? tr("The goal cannot be reached in this run any more: see ✗ below. Start again from the beginning.")
            : m_headShown
                ? tr("Space plays, Home goes to the start. Use the controls at the left (Ctrl+K finds each by its "
                     "name), or a row's menu (right-click). A change counts from now on, the upright line. F7 shows "
                     "protocol and verdict, F10 the statistics. The program checks, and says when it is done.")
                : tr("Use the keys below, or right-click a row; F5 leads to all controls. A change counts from now on, "
                     "the upright line. The program checks, and says when it is done."));
        m_bet->setRole(m_guide->isLost()        ? Role::ViolationText
                       : m_guide->goalReached() ? Role::AcceptedText
                                                : Role::TextDim);
    } else if (asks) {
        m_bet->setText(m_guide->locked() ? tr("Bet locked in. Go on, and the run answers.")
                       : m_guide->chosen().has_value()
                           ? tr("Enter or Next locks your bet.")
                           : tr("Bet: click an answer or press its number. Next goes on without a bet."));
    }
}

void LessonPanel::refreshFoot() {
    using Phase = LessonGuide::Phase;
    const Phase phase = m_guide->phase();
    m_back->setEnabled(phase == Phase::End || (phase != Phase::Away && m_guide->step() > 0));
    m_next->setText(phase == Phase::Away   ? tr("Back to the lesson")
                    : phase == Phase::End  ? tr("Next lesson")
                    : phase == Phase::Turn ? (m_guide->goalReached() ? tr("Finish") : tr("Skip"))
                    : m_guide->arrived()   ? tr("Next")
                                           : tr("Show the end of this step"));
    m_next->setToolTip(phase == Phase::Step ? tr("Space plays on and goes on; → goes on at once") : QString());
    m_leave->setText(phase == Phase::Away || phase == Phase::End ? tr("Close the lesson")
                                                                 : tr("What if …? Try it in free play"));
    m_dots->setVisible(phase != Phase::End && phase != Phase::Away);
    m_step->setVisible(m_dots->isVisibleTo(this));
    m_dots->setStep(m_guide->step(), m_guide->steps());
    m_step->setText(phase == Phase::Turn ? tr("your turn")
                                         : tr("step %1 of %2").arg(m_guide->step() + 1).arg(m_guide->steps()));
    refreshSources();
    fitWords();
}

void LessonPanel::refreshSources() {
    const auto& sources = m_guide->lesson()->sources;
    QStringList all, shown;
    for (const lesson::Source& source : sources)
        all += m_guide->textOf(source.text);
    // With large text one source takes as much room as an answer does.
    const std::size_t count = m_headShown ? sources.size() : std::min<std::size_t>(sources.size(), 1);
    const bool links = std::any_of(sources.begin(), sources.begin() + std::ptrdiff_t(count),
                                   [](const lesson::Source& source) { return !source.url.isEmpty(); });
    for (std::size_t i = 0; i < count; ++i) {
        const QString words = all[qsizetype(i)], url = sources[i].url.toHtmlEscaped();
        shown += !links          ? words
                 : url.isEmpty() ? words.toHtmlEscaped()
                                 : QStringLiteral("<a href=\"%1\">%2&nbsp;↗</a>").arg(url, words.toHtmlEscaped());
    }
    m_source->setText(tr("Source: %1").arg(shown.join(QStringLiteral("; "))));
    m_source->setTextInteractionFlags(links ? Qt::TextBrowserInteraction : Qt::NoTextInteraction);
    m_source->setFocusPolicy(links ? Qt::TabFocus : Qt::NoFocus);
    m_title->setToolTip(tr("Source: %1").arg(all.join(QStringLiteral("; "))));
}

void LessonPanel::fitWords() {
    using Phase = LessonGuide::Phase;
    const Phase phase = m_guide->phase();
    enum GivenUp { Nothing, Source, Leave, Terms, Air, Size };
    for (const GivenUp given : {Nothing, Source, Leave, Terms, Air, Size}) {
        setShown(m_source, given < Source);
        // At the end, and away from the lesson, the button closes it.
        setShown(m_leave, phase != Phase::Turn && !(phase == Phase::Step && given >= Leave));
        refreshTerms(given < Terms);
        for (ChoiceButton* choice : m_choices)
            choice->setTight(given >= Air);
        m_scroll->widget()->layout()->setSpacing(given >= Air ? kGrid / 2 : kGrid + kGrid / 2);
        const double size = given >= Size ? kSmallerWords : kWords;
        m_narration->setFont(uiFont(size));
        m_question->setFont(uiFont(size, QFont::DemiBold));
        const int room = height() - needed(m_head, width()) - needed(m_foot, width());
        // With some air: what the parts take in the end is some pixels more than what they said before.
        constexpr int kAir = 2 * kGrid + kGrid / 2;
        if (needed(m_scroll->widget(), width()) + kAir <= room) return;
    }
}

void LessonPanel::askForBet() {
    m_bet->setRole(Role::WaitingText);
    m_bet->setText(tr("Bet first: click an answer or press its number. → goes on without a bet."));
    fitWords();
    m_scroll->widget()->layout()->activate(); // so that it is known where the words stand
    m_scroll->ensureWidgetVisible(m_bet);
}

void LessonPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_guide->lesson()) fitWords();
}

void LessonPanel::recolorSource() {
    QPalette dim = m_source->palette();
    dim.setColor(QPalette::WindowText, color(Role::TextDim));
    m_source->setPalette(dim);
}

void LessonPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) recolorSource();
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) m_refit.start();
}

void LessonPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Surface));
    painter.fillRect(QRect(width() - 1, 0, 1, height()), color(Role::Hairline));
}

} // namespace lockscope::views
