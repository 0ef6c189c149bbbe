// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPlainTextEdit>

namespace lockscope::views {

/// A field for several lines that looks like one for a single line: its words begin as far from the border, and the
/// border tells where the keyboard is.
class FieldEdit : public QPlainTextEdit {
public:
    explicit FieldEdit(QWidget* parent = nullptr) : QPlainTextEdit(parent) {
        constexpr int kBeside = 4; // what a line edit leaves there, beyond the frame and the document's own margin
        setViewportMargins(kBeside, 0, kBeside, 0);
        viewport()->setAutoFillBackground(false); // the style fills the whole field, up to its round corners
    }

protected:
    void focusInEvent(QFocusEvent* event) override {
        QPlainTextEdit::focusInEvent(event);
        update(); // Qt paints the viewport again, and not the frame around it
    }
    void focusOutEvent(QFocusEvent* event) override {
        QPlainTextEdit::focusOutEvent(event);
        update();
    }
};

} // namespace lockscope::views
