// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace lockscope::views {

/// A few lines in the fixed face in a quiet frame; can be selected and copied.
class CodeBox : public QLabel {
    Q_OBJECT
public:
    explicit CodeBox(QWidget* parent = nullptr);
    /// The first line is dimmed: it names what the others are.
    void setLines(const QStringList& lines);
    QStringList lines() const { return m_lines; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void compose();
    QStringList m_lines;
};

} // namespace lockscope::views
