// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lessons/lesson_guide.h"

#include <QDialog>

class QListWidget;

namespace lockscope::views {

/// The course: every lesson with its idea and how far one has come.
class LessonList : public QDialog {
    Q_OBJECT
public:
    explicit LessonList(const QString& language, QWidget* parent = nullptr);
    /// Reads the lessons' titles again; `current` is the one that is on, or empty.
    void showCourse(const std::map<QString, LessonProgress>& progress, const QString& current);
    QListWidget* list() const { return m_list; }

Q_SIGNALS:
    void lessonChosen(QString id, int step);

private:
    void choose();
    QString m_language;
    QListWidget* m_list;
};

} // namespace lockscope::views
