// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lessons/lesson_guide.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace lockscope::views {

/// The line above the presenter's view: which lesson, which world, what time it is, the language, and the way out.
class PresenterBar : public QWidget {
    Q_OBJECT
public:
    /// `languages`: their codes and names; `current`: the code of the one in use.
    PresenterBar(ViewContext* context, LessonGuide* guide, const QList<std::pair<QString, QString>>& languages,
                 const QString& current, QWidget* parent = nullptr);

Q_SIGNALS:
    void listWanted();
    void languageWanted(QString code);
    void leaveWanted();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent*) override;

private:
    void refresh();
    /// Where there is little room, the session's name comes without the kind of its world.
    void fitWorld();
    void refreshClock();
    ViewContext* m_context;
    LessonGuide* m_guide;
    QLabel* m_lesson;
    QLabel* m_world;
    QLabel* m_settings;
    QLabel* m_clock;
};

} // namespace lockscope::views
