// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

namespace lockscope::views {

/// In the head of the timeline: a text that the lanes in sight have in their names. Hidden until somebody asks for it.
class LaneFilter : public QLineEdit {
    Q_OBJECT
public:
    explicit LaneFilter(QWidget* parent);

Q_SIGNALS:
    /// Escape, or Enter in an empty field: all lanes are wanted again.
    void closed();
    /// Enter: the text stays, and the keyboard goes to the lanes.
    void done();

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace lockscope::views
