// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/shortcut_sheet.h"

#include "theme/fonts.h"
#include "theme/mnemonic.h"
#include "theme/palette.h"
#include "theme/widgets.h"

#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>

namespace lockscope::views {
namespace {

/// Lengths in px that follow the text's size.
struct Measures {
    int row = scaled(26), column = scaled(340), head = scaled(56), under = scaled(20), hint = scaled(26);

private:
    static int scaled(int px) { return int(px * textScale()); }
};
constexpr int kPad = 32, kGap = 32;

QString keysOf(const QAction* action) {
    QStringList keys;
    for (const QKeySequence& sequence : action->shortcuts())
        keys << sequence.toString(QKeySequence::NativeText);
    // "or" would need translating at every key; a wide gap does not.
    return keys.join(QStringLiteral("   "));
}

} // namespace

ShortcutSheet::ShortcutSheet(QWidget* window) : QWidget(window) {
    setFocusPolicy(Qt::StrongFocus);
    window->installEventFilter(this);
    hide();
}

void ShortcutSheet::open(const QList<QAction*>& actions, const QList<Extra>& extras) {
    m_lines.clear();
    m_shown = 0;
    QStringList groups;
    for (const QAction* action : actions)
        if (const QString group = action->property("group").toString();
            !action->shortcut().isEmpty() && !groups.contains(group))
            groups << group;
    for (const Extra& extra : extras)
        if (!groups.contains(extra.group)) groups << extra.group;
    QStringList spoken;
    const auto put = [&](const QString& keys, const QString& text) {
        m_lines << Line{keys, text};
        spoken << tr("%1: %2").arg(text, keys);
        ++m_shown;
    };
    for (const QString& group : groups) {
        m_lines << Line{QString(), group, true};
        for (const QAction* action : actions) {
            if (action->shortcut().isEmpty() || action->property("group").toString() != group) continue;
            put(keysOf(action), withoutMnemonic(action->text()));
        }
        for (const Extra& extra : extras)
            if (extra.group == group) put(extra.keys, extra.text);
    }
    setAccessibleName(tr("Keyboard shortcuts"));
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    m_returnFocus = window()->focusWidget();
    m_scroll = 0;
    setGeometry(window()->rect());
    show();
    raise();
    setFocus();
}

void ShortcutSheet::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Shadow, 0.45));
    const Measures m;
    const int across = std::clamp((width() - 2 * kPad) / (m.column + kGap), 1, 3);
    // Whole groups per column, as even as they go.
    const int total = int(m_lines.size());
    const int perColumn = (total + across - 1) / across;
    QList<QList<Line>> columns(1);
    for (qsizetype i = 0; i < m_lines.size(); ++i) {
        if (m_lines[i].heading && columns.size() < across) {
            qsizetype size = 1;
            while (i + size < m_lines.size() && !m_lines[i + size].heading)
                ++size;
            if (!columns.last().isEmpty() && columns.last().size() + size / 2 > perColumn) columns << QList<Line>();
        }
        columns.last() << m_lines[i];
    }
    qsizetype rows = 0;
    for (const auto& column : columns)
        rows = std::max(rows, column.size());
    QRect sheet(0, 0, int(columns.size()) * (m.column + kGap) - kGap + 2 * kPad, m.head + int(rows) * m.row + kPad);
    // Lines that have no room are scrolled to.
    const int whole = sheet.height();
    sheet.setHeight(std::min(whole, height() - 16));
    sheet.moveCenter(rect().center());
    m_most = whole - sheet.height();
    m_page = sheet.height() - m.head - kPad;
    m_scroll = std::clamp(m_scroll, 0, m_most);

    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(color(Role::FieldBorder));
    painter.setBrush(color(Role::Surface));
    painter.drawRoundedRect(QRectF(sheet).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10);
    painter.setPen(color(Role::Text));
    painter.setFont(uiFont(3, QFont::DemiBold));
    painter.drawText(sheet.adjusted(kPad, m.under, -kPad, 0), Qt::AlignLeft | Qt::AlignTop, tr("Keyboard shortcuts"));
    painter.setFont(uiFont(-1));
    painter.setPen(color(Role::TextFaint));
    painter.drawText(sheet.adjusted(kPad, m.hint, -kPad, 0), Qt::AlignRight | Qt::AlignTop,
                     m_most > 0 ? tr("↑ ↓ for more, any other key closes this") : tr("any key closes this"));

    painter.setClipRect(sheet.adjusted(0, m.head, 0, -kPad / 2));
    int left = sheet.left() + kPad;
    for (const auto& column : columns) {
        int top = sheet.top() + m.head - m_scroll;
        for (const Line& line : column) {
            const QRect row(left, top, m.column, m.row);
            if (line.heading) {
                painter.setFont(captionFont());
                painter.setPen(color(Role::TextDim));
                painter.drawText(row.adjusted(0, 6, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, line.text.toUpper());
            } else {
                painter.setFont(fixedFont());
                const int keys = painter.fontMetrics().horizontalAdvance(line.keys);
                painter.setPen(color(Role::Accent));
                painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, line.keys);
                painter.setFont(uiFont());
                painter.setPen(color(Role::Text));
                painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                                 painter.fontMetrics().elidedText(line.text, Qt::ElideRight, m.column - keys - 12));
            }
            top += m.row;
        }
        left += m.column + kGap;
    }
    if (m_most == 0) return;
    const double track = m_page, handle = track * m_page / (m_page + m_most);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::Hairline));
    painter.drawRoundedRect(
        QRectF(sheet.right() - 14, sheet.top() + m.head + (track - handle) * m_scroll / m_most, 6, handle), 3, 3);
}

void ShortcutSheet::scrollBy(int pixels) {
    m_scroll = std::clamp(m_scroll + pixels, 0, m_most);
    update();
}

bool ShortcutSheet::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        // Every key means "close", also shortcuts of other windows.
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void ShortcutSheet::wheelEvent(QWheelEvent* event) {
    scrollBy(-event->angleDelta().y());
}

void ShortcutSheet::keyPressEvent(QKeyEvent* event) {
    if (m_most > 0) switch (event->key()) {
        case Qt::Key_Up:
            return scrollBy(-Measures().row);
        case Qt::Key_Down:
            return scrollBy(Measures().row);
        case Qt::Key_PageUp:
            return scrollBy(-m_page);
        case Qt::Key_PageDown:
            return scrollBy(m_page);
        case Qt::Key_Home:
            return scrollBy(-m_most);
        case Qt::Key_End:
            return scrollBy(m_most);
        default:
            break;
        }
    hide();
    if (m_returnFocus) m_returnFocus->setFocus();
}

void ShortcutSheet::mousePressEvent(QMouseEvent*) {
    hide();
    if (m_returnFocus) m_returnFocus->setFocus();
}

bool ShortcutSheet::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parent() && event->type() == QEvent::Resize) setGeometry(static_cast<QWidget*>(watched)->rect());
    return QWidget::eventFilter(watched, event);
}

} // namespace lockscope::views
