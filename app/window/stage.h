// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QBoxLayout;

namespace lockscope::app {

/// The middle of the window: the timeline or the welcome page, with places around it that stay empty until a lesson
/// puts something there.
class Stage : public QWidget {
    Q_OBJECT
public:
    enum class Place : std::uint8_t { Top, Left, Above, Right, Below, Bottom };
    explicit Stage(QWidget* centre, QWidget* parent = nullptr);
    /// Adds a widget at this place; it comes after those that are there.
    void put(Place place, QWidget* widget);

private:
    QBoxLayout *m_top, *m_left, *m_above, *m_right, *m_below, *m_bottom;
};

} // namespace lockscope::app
