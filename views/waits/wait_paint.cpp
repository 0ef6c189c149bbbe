// SPDX-License-Identifier: GPL-3.0-or-later
// How a wait-for picture is drawn: edges below, their words, the scissors, and the items over everything.
#include "models/connection_words.h"
#include "theme/badge.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "waits/wait_picture.h"

#include <QPainter>
#include <QPainterPath>

namespace lockscope::views {

namespace {

constexpr double kScissors = 9; ///< radius of the disc that they lie on

/// A label on a ground of its own, so that lines below it do not cross it out.
void paintLabel(QPainter& painter, const QRectF& at, const QFont& font, const QString& text) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::ViolationSoft));
    painter.drawRoundedRect(at, 4, 4);
    painter.setFont(font);
    painter.setPen(color(Role::ViolationText));
    painter.drawText(at, Qt::AlignCenter, text);
}

} // namespace

void WaitPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_layout.edges.size(); ++i)
        paintEdge(painter, i);
    for (const Join& join : m_joins)
        paintJoin(painter, join);
    std::vector<QRectF> taken;
    for (std::size_t i = 0; i < m_layout.edges.size(); ++i)
        paintEdgeText(painter, i, taken);
    for (const WaitLayout::Edge& edge : m_layout.edges)
        if (edge.freed > 0) paintBreak(painter, edge);
    for (std::size_t i = 0; i < m_layout.items.size(); ++i)
        paintItem(painter, i);
}

// Dashed and in words: whether the two are one client is a guess.
void WaitPicture::paintJoin(QPainter& painter, const Join& join) const {
    const QRectF holder = m_layout.items[join.holder].box, waiter = m_layout.items[join.waiter].box;
    const QPointF from = holder.center(), to = waiter.center(), middle = (from + to) / 2;
    // Bent aside, so that it does not lie on the arrows between them.
    const QPointF bow = m_layout.down ? QPointF(holder.width() * 0.4, 0) : QPointF(0, holder.height());
    QPainterPath path(from);
    path.quadTo(middle + bow, to);
    painter.setPen(QPen(color(Role::Violation), 1.4, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    //: Beside a dashed line between two clients of one name, which may be one client.
    const QString text = tr("one client?");
    const QFont font = uiFont(-1.5);
    const QFontMetricsF metrics(font);
    QRectF words(QPointF(), QSizeF(metrics.horizontalAdvance(text) + 6, metrics.height()));
    words.moveCenter(path.pointAtPercent(0.5));
    paintLabel(painter, words, font, text);
}

void WaitPicture::paintEdge(QPainter& painter, std::size_t index) const {
    const WaitLayout::Edge& edge = m_layout.edges[index];
    const Role role = edge.inCycle ? Role::Violation : edge.holds ? Role::Holding : Role::Waiting;
    QPen pen(color(role), edge.inCycle ? 2.2 : 1.6);
    if (!edge.holds) pen.setStyle(Qt::DotLine);
    if (m_possible[index]) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    QPainterPath path(edge.curve[0]);
    path.cubicTo(edge.curve[1], edge.curve[2], edge.curve[3]);
    painter.drawPath(path);
    // The arrow points to what is waited for, or to its holder.
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(role));
    const QPointF to = edge.curve[3];
    const bool upward = edge.back != m_layout.down; // else it comes from the right
    painter.drawPolygon(upward ? QPolygonF({to, to + QPointF(-4, 8), to + QPointF(4, 8)})
                               : QPolygonF({to, to + QPointF(8, -4), to + QPointF(8, 4)}));
}

void WaitPicture::paintEdgeText(QPainter& painter, std::size_t edge, std::vector<QRectF>& taken) const {
    const QString& text = m_edgeTexts[edge];
    if (text.isEmpty()) return;
    const WaitLayout::Edge& its = m_layout.edges[edge];
    const QFont font = uiFont(-1.5);
    const QFontMetricsF metrics(font);
    QSizeF size(metrics.horizontalAdvance(text) + 4, metrics.height());
    const QPointF from = its.curve[0], to = its.curve[3], middle = its.at(0.5);
    std::vector<QRectF> places;
    if (m_layout.down && its.back) {
        size = {size.width() * 0.7, 2 * size.height()};
        // Above the words that stand below the scissors.
        const double up = its.freed > 0 ? size.height() - kScissors / 2 : size.height() / 2;
        places = {QRectF(middle + QPointF(its.freed > 0 ? kScissors + 4 : 5, -up), size)};
    } else if (m_layout.down) {
        places = {QRectF(middle - QPointF(size.width() + (its.freed > 0 ? kScissors + 3 : 6), size.height() / 2), size),
                  QRectF(middle + QPointF(6, -size.height() / 2), size)};
    } else if (its.back) {
        places = {QRectF(its.at(0.75) - QPointF(size.width() / 2, size.height() + 3), size),
                  QRectF(its.at(0.25) - QPointF(size.width() / 2, size.height() + 3), size)};
    } else if (its.freed > 0) { // over the scissors
        places = {QRectF(middle - QPointF(size.width() / 2, size.height() + kScissors + 1), size)};
    } else { // where the arc is level: at its begin, or at its arrow
        places = {QRectF(from - QPointF(size.width() + 5, size.height() + 1), size),
                  QRectF(to + QPointF(11, -size.height() - 1), size)};
    }
    const auto isFree = [&](const QRectF& place) {
        return std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(place); });
    };
    const auto place = std::ranges::find_if(places, isFree);
    if (place == places.end()) return; // the tool tip has it
    taken.push_back(*place);
    painter.fillRect(*place, color(Role::Surface, 0.75)); // another arc may pass below it
    painter.setFont(font);
    painter.setPen(color(its.holds ? Role::HoldingText : Role::WaitingText));
    int flags = Qt::AlignCenter;
    if (m_layout.down && its.back) flags = int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextWordWrap;
    painter.drawText(*place, flags, text);
}

void WaitPicture::paintBreak(QPainter& painter, const WaitLayout::Edge& edge) const {
    const QPointF middle = edge.at(0.5);
    const QRectF disc(middle - QPointF(kScissors, kScissors), QSizeF(2 * kScissors, 2 * kScissors));
    //: Beside scissors at the hold whose end breaks a deadlock.
    QString text = tr("break here:\n%n go on", nullptr, int(edge.freed));
    const QFont font = uiFont(-1.5, QFont::DemiBold);
    const QFontMetricsF metrics(font);
    const bool beside = edge.back || m_layout.down;             // a level edge has its room below
    if (edge.back && !m_layout.down) text.replace(u'\n', u' '); // there is room beside it
    QRectF words = metrics.boundingRect(QRectF(0, 0, 400, 100), Qt::AlignCenter, text);
    words.setSize(words.size() + QSizeF(10, 4));
    if (beside)
        words.moveTo(disc.right() + 3, middle.y() - words.height() / 2);
    else
        words.moveTo(middle.x() - words.width() / 2, disc.bottom() + 2);
    if (edge.back && m_layout.down) words.moveTop(disc.bottom() + 2); // its length stands beside the disc
    words.moveRight(std::min(words.right(), m_layout.size.width() - 2));
    paintLabel(painter, words, font, text);
    painter.setPen(QPen(color(Role::Violation), 1.6));
    painter.setBrush(color(Role::Surface));
    painter.drawEllipse(disc);
    paintIcon(painter, disc.adjusted(3, 3, -3, -3), "scissors", Role::ViolationText);
}

void WaitPicture::paintItem(QPainter& painter, std::size_t index) const {
    const WaitLayout::Item& item = m_layout.items[index];
    const bool selected = item.entity == m_context->selection();
    const bool focused = hasFocus() && m_current == int(index);
    const Role line = item.inCycle ? Role::Violation : selected || focused ? Role::Accent : Role::FieldBorder;
    painter.setPen(QPen(color(line), focused ? 2.5 : selected || item.inCycle ? 1.6 : 1));
    painter.setBrush(color(item.isLock ? Role::HoldingSoft : Role::Surface));
    const double radius = item.isLock ? 4 : std::min(item.box.height() / 2, 16.0);
    painter.drawRoundedRect(item.box, radius, radius);

    QRectF words = item.box.adjusted(10, 0, -10, 0);
    if (const int number = item.isLock ? badgeOf(*m_context, item.entity) : -1; number >= 0) {
        const QRectF badge(item.box.left() + 8, item.box.center().y() - kBadgeSide / 2.0, kBadgeSide, kBadgeSide);
        paintBadge(painter, badge, connectionName(*m_context->trace(), item.entity), number);
        words.setLeft(badge.right() + 5);
    }
    const QString& note = m_notes[index];
    const QFont font = uiFont(), small = uiFont(-1.5);
    const double lower = note.isEmpty() ? 0 : QFontMetricsF(small).height();
    const double upper = QFontMetricsF(font).height();
    const double top = item.box.center().y() - (upper + lower) / 2;
    painter.setFont(font);
    painter.setPen(color(Role::Text));
    painter.drawText(QRectF(words.left(), top, words.width(), upper), Qt::AlignCenter,
                     QFontMetrics(font).elidedText(nameOf(int(index)), Qt::ElideMiddle, int(words.width())));
    if (note.isEmpty()) return;
    painter.setFont(small);
    painter.setPen(color(Role::TextDim));
    painter.drawText(QRectF(words.left(), top + upper, words.width(), lower), Qt::AlignCenter,
                     QFontMetrics(small).elidedText(note, Qt::ElideMiddle, int(words.width())));
}

} // namespace lockscope::views
