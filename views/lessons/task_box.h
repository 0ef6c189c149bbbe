// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lessons/lesson_guide.h"

#include <QWidget>

class QPushButton;

namespace lockscope::views {

class Paragraph;

/// How far a lesson's task is: a line for each part of its goal, a hint for those who ask, and the ways out of a run
/// in which it cannot be done any more.
class TaskBox : public QWidget {
    Q_OBJECT
public:
    explicit TaskBox(LessonGuide* guide, QWidget* parent = nullptr);
    void refresh();

    /// The lines in sight, each with its mark: "✓ A client has been paused".
    QStringList lines() const;
    QPushButton* hintButton() const { return m_ask; }
    QPushButton* wayButton() const { return m_way; }
    QPushButton* againButton() const { return m_again; }

private:
    Paragraph* line(std::size_t which);

    LessonGuide* m_guide;
    std::vector<Paragraph*> m_lines; ///< as many as were needed so far
    Paragraph* m_hint;
    QPushButton* m_ask;
    QPushButton* m_way;
    QPushButton* m_again;
};

} // namespace lockscope::views
