// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"

#include <QWidget>

namespace lockscope::views {

/// One line over a group of buttons: a dot, the kind of thing that they act on, and at the right end which one it is:
/// "● client      A · holds".
class TargetLine : public QWidget {
    Q_OBJECT
public:
    explicit TargetLine(const QString& kind, QWidget* parent = nullptr);
    /// `name` is set in bold, `state` after it; `dot`: how it is with the target.
    void setTarget(const QString& name, const QString& state, Role dot);
    /// "A · holds".
    QString target() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    QString m_kind, m_name, m_state;
    Role m_dot = Role::TextFaint;
};

} // namespace lockscope::views
