// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTextEdit>

namespace lockscope::views {

/// A few lines in the fixed face in a quiet frame, as high as they are; can be selected and copied. Keys and values may
/// be longer than the panel is wide: they break wherever they must.
class CodeBox : public QTextEdit {
    Q_OBJECT
public:
    explicit CodeBox(QWidget* parent = nullptr);
    enum class FirstLine : std::uint8_t { Heading, LikeTheOthers };
    /// If some lines are indented, the others are dimmed, as headings. Else the first of several lines is, where it is
    /// a heading.
    void setLines(const QStringList& lines, FirstLine first = FirstLine::Heading);
    QStringList lines() const { return m_lines; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void compose();
    void fitHeight();
    QStringList m_lines;
    FirstLine m_first = FirstLine::Heading;
};

} // namespace lockscope::views
