// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/task_box.h"

#include "theme/fonts.h"
#include "theme/widgets.h"
#include "trace/whole_spans.h"

#include <QBoxLayout>
#include <QPushButton>

namespace lockscope::views {
namespace {

using State = lesson::GoalPart::State;

QString marked(const lesson::GoalPart& part) {
    const QString mark = part.state == State::Holds  ? QStringLiteral("✓ ")
                         : part.state == State::Lost ? QStringLiteral("✗ ")
                                                     : QStringLiteral("○ ");
    return withWholeSpans(mark + part.words);
}

Role roleOf(State state) {
    return state == State::Holds ? Role::AcceptedText : state == State::Lost ? Role::ViolationText : Role::Text;
}

} // namespace

TaskBox::TaskBox(LessonGuide* guide, QWidget* parent)
    : QWidget(parent),
      m_guide(guide),
      m_hint(new Paragraph),
      m_ask(new QPushButton(tr("Give me a hint"))),
      m_way(new QPushButton(tr("Show one way"))),
      m_again(new QPushButton) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGrid / 2);
    m_hint->setRole(Role::Text);
    column->addWidget(m_hint);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, kGrid, 0, 0); // apart from the lines on the goal
    row->setSpacing(kGrid);
    row->addWidget(m_ask);
    row->addWidget(m_way);
    row->addStretch(1);
    column->addLayout(row);
    column->addWidget(m_again, 0, Qt::AlignLeft);
    m_way->setToolTip(tr("Plays what somebody could do. It does not count as yours."));
    const std::pair<QPushButton*, const char*> names[]{
        {m_ask, "lesson.hint"}, {m_way, "lesson.way"}, {m_again, "lesson.again"}};
    for (const auto& [button, name] : names) {
        button->setObjectName(QLatin1String(name));
        button->setFocusPolicy(Qt::TabFocus);
    }
    connect(m_ask, &QPushButton::clicked, guide, &LessonGuide::askForHint);
    connect(m_way, &QPushButton::clicked, guide, &LessonGuide::showSolution);
    connect(m_again, &QPushButton::clicked, guide, &LessonGuide::startAgain);
}

Paragraph* TaskBox::line(std::size_t which) {
    while (m_lines.size() <= which) {
        m_lines.push_back(new Paragraph);
        static_cast<QVBoxLayout*>(layout())->insertWidget(int(m_lines.size()) - 1, m_lines.back());
    }
    return m_lines[which];
}

void TaskBox::refresh() {
    const std::vector<lesson::GoalPart> goal = m_guide->goal();
    for (std::size_t i = 0; i < std::max(goal.size(), m_lines.size()); ++i) {
        Paragraph* const shown = line(i);
        shown->setVisible(i < goal.size());
        if (i >= goal.size()) continue;
        shown->setText(marked(goal[i]));
        shown->setRole(roleOf(goal[i].state));
    }
    m_hint->setText(m_guide->hint());
    m_hint->setVisible(!m_hint->text().isEmpty());
    m_ask->setVisible(m_guide->hasHint() && m_hint->text().isEmpty() && !m_guide->goalReached());
    m_way->setVisible(!m_guide->goalReached() && !m_guide->showsSolution());
    m_again->setText(m_guide->showsSolution() ? tr("Now let me try") : tr("Start again without my changes"));
    m_again->setVisible(m_guide->showsSolution() || (m_guide->canStartAgain() && !m_guide->goalReached()));
}

QStringList TaskBox::lines() const {
    QStringList lines;
    for (const Paragraph* line : m_lines)
        if (!line->isHidden()) lines += line->text();
    return lines;
}

} // namespace lockscope::views
