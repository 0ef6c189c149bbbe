// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lessons/lesson_guide.h"

#include <QWidget>

namespace lockscope::views {

/// The numbers that a step's words speak of, large enough for a class, below the picture that they were counted in.
class NumberStrip : public QWidget {
    Q_OBJECT
public:
    explicit NumberStrip(QWidget* parent = nullptr);
    /// Is hidden while there are none.
    void setNumbers(std::vector<LessonGuide::Number> numbers);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    std::vector<LessonGuide::Number> m_numbers;
};

} // namespace lockscope::views
