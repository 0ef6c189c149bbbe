// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lessons/lesson_guide.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace lockscope::views {

class ChoiceButton;
class FailureTable;
class Paragraph;
class Pill;
class StepDots;
class TaskBox;

/// A lesson's narration beside the timeline: words, question, and the way on and back.
class LessonPanel : public QWidget {
    Q_OBJECT
public:
    explicit LessonPanel(LessonGuide* guide, QWidget* parent = nullptr);

    /// The line with the lesson's number and the list: away where the window has it elsewhere.
    void setHeadShown(bool shown);

    QPushButton* nextButton() const { return m_next; }
    QPushButton* backButton() const { return m_back; }
    QPushButton* leaveButton() const { return m_leave; }
    TaskBox* task() const { return m_task; }
    FailureTable* table() const { return m_table; }
    /// At the end: the scenarios to look at next; those that are not needed are hidden.
    const std::vector<QPushButton*>& asides() const { return m_asides; }
    /// Shows this step's run beside the one before; hidden where they differ in more than one thing.
    QPushButton* pairButton() const { return m_pair; }
    /// The words of the narration that the glossary explains; those that are not needed are hidden.
    const std::vector<QToolButton*>& terms() const { return m_terms; }
    /// The answer of that number, from 1.
    ChoiceButton* choice(int number) const { return m_choices[std::size_t(number - 1)]; }

Q_SIGNALS:
    /// The list of lessons shall show.
    void listWanted();
    /// The lesson after this one shall begin.
    void nextLessonWanted();
    /// A word of the narration shall be explained: the id of a term of the glossary.
    void termAsked(QString id);
    /// This step's run shall be shown beside the one before.
    void pairWanted();
    /// A built-in scenario that goes with the lesson shall open.
    void scenarioWanted(QString id);
    /// A run of the table shall open: a built-in scenario with this recipe and seed.
    void runWanted(lockscope::scenario::Scenario scenario, quint64 seed);

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeWords();
    QWidget* makeFoot();
    void refresh();
    void refreshResult();
    /// The keyboard stays in the lesson when the part that has it goes away.
    void setShown(QWidget* part, bool shown);
    /// Which new words can be asked about, if there is room for them.
    void refreshTerms(bool shown);
    void refreshQuestion();
    void refreshFoot();
    void refreshSources();
    void recolorSource();
    void refreshEnd();
    /// Where the narration does not fit, other things give it their room, one after the other: the source, which the
    /// title tells on hover, then the way into free play, which is in the menu, then the words that can be asked about,
    /// then air, and last the words are a little smaller.
    void fitWords();
    void askForBet();

    LessonGuide* m_guide;
    bool m_headShown = true;
    QTimer m_refit; ///< when all parts have their new size
    QWidget* m_head;
    QWidget* m_foot;
    QToolButton* m_list;
    QLabel* m_number;
    Paragraph* m_title;
    QScrollArea* m_scroll;
    QLabel* m_caption;
    Pill* m_result;
    Paragraph* m_answer;
    Paragraph* m_narration;
    FailureTable* m_table;
    std::vector<QToolButton*> m_terms;
    QPushButton* m_pair;
    Paragraph* m_question;
    std::vector<ChoiceButton*> m_choices;
    Paragraph* m_bet;
    QLabel* m_hands;
    TaskBox* m_task;
    QLabel* m_also;
    std::vector<QPushButton*> m_asides;
    QPushButton* m_back;
    QPushButton* m_next;
    QPushButton* m_leave;
    StepDots* m_dots;
    QLabel* m_step;
    QLabel* m_source; ///< its links open in the browser
};

} // namespace lockscope::views
