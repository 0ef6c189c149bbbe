// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/fault_axis.h"

#include "editor/axis_keys.h"
#include "editor/blank_values.h"
#include "editor/field_words.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/palette.h"
#include "theme/widgets.h"
#include "trace/duration.h"
#include "trace/json_edit.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace lockscope::views {

namespace {

constexpr int kMargin = AxisScale::kMargin, kCondition = 6, kRow = 24, kAxis = 40, kLanes = 3;
constexpr int kWidest = 220; ///< px, of a fault at a time; a condition has more words

} // namespace

FaultAxis::FaultAxis(EditedDocument* document, QWidget* parent) : QWidget(parent), m_document(document) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Faults on the axis of time"));
    setToolTip(tr("Drag a fault to another instant; double click adds one there; Delete removes the chosen one"));
    connect(document, &EditedDocument::changed, this, [this] {
        m_laidOutFor = -1;
        if (m_current >= count()) m_current = -1;
        update();
        tell();
    });
}

void FaultAxis::setLeft(int px) {
    const int left = px > 0 ? px : kMargin;
    if (left == m_left) return;
    m_left = left;
    m_laidOutFor = -1;
    update();
}

void FaultAxis::layOut() {
    if (m_laidOutFor == width()) return;
    m_laidOutFor = width();
    m_marks.clear();
    m_until = std::max<Nanos>(parseDuration(m_document->at(QStringLiteral("/until")).toString()).value_or(60s), 1ms);
    const QString language = QCoreApplication::translate("Language", "en");
    const QFontMetrics metrics(uiFont(-1));
    const QJsonArray faults = m_document->at(QStringLiteral("/faults")).toArray();
    std::array<int, kLanes> ends{};
    int conditions = m_left;
    const auto waiting = std::ranges::count_if(
        faults, [](const QJsonValue& fault) { return !parseDuration(fault[u"at"].toString()).has_value(); });
    // Conditions share a line of their own.
    const int widestCondition =
        std::max(2 * kWidest, int((width() - m_left - kMargin) / std::max<qsizetype>(waiting, 1)));
    for (int i = 0; i < int(faults.size()); ++i) {
        QJsonObject fault = faults[i].toObject();
        Mark mark{i, parseDuration(fault.value(u"at").toString()), {}, {}, {}};
        mark.lasts = parseDuration(fault.value(u"for").toString()).value_or(Nanos{});
        fault.remove(u"at");
        mark.words = elementWords(fault, language);
        const int wide =
            std::min(metrics.horizontalAdvance(mark.words) + 3 * kGrid, mark.at ? kWidest : widestCondition);
        if (!mark.at) {
            mark.rect = {conditions, kCondition, wide, kRow - 4};
            conditions += wide + kGrid;
        } else {
            const int x = std::min(xOf(*mark.at), width() - kMargin);
            // The first lane where there is room; the last one takes what is left over.
            std::size_t lane = 0;
            while (lane + 1 < ends.size() && ends[lane] > x)
                ++lane;
            const int room = width() - kGrid - wide;
            mark.rect = {std::max(0, std::min(x, room)), kAxis + int(lane) * (kRow + 2), wide, kRow - 2};
            ends[lane] = x + wide + kGrid / 2;
        }
        m_marks.push_back(std::move(mark));
    }
}

bool FaultAxis::isUnread() const {
    return !m_document->isLegible() && m_document->object().isEmpty();
}

QString FaultAxis::unreadNotice() const {
    return tr("The faults stand here as soon as the text is JSON.");
}

QRect FaultAxis::markOf(int index) const {
    const_cast<FaultAxis*>(this)->layOut();
    const auto found = std::ranges::find(m_marks, index, &Mark::index);
    return found == m_marks.end() ? QRect() : found->rect;
}

int FaultAxis::hit(const QPoint& at) const {
    for (auto mark = m_marks.rbegin(); mark != m_marks.rend(); ++mark)
        if (mark->rect.contains(at)) return mark->index;
    return -1;
}

void FaultAxis::paintEvent(QPaintEvent*) {
    layOut();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), color(Role::SurfaceSunken));
    painter.setFont(uiFont(-1));
    const int bottom = height() - 22;
    if (isUnread()) {
        painter.setPen(color(Role::TextDim));
        painter.drawText(rect().adjusted(kGrid, 0, -kGrid, 0), Qt::AlignCenter | Qt::TextWordWrap, unreadNotice());
    } else {
        scale().paint(painter, kRow + 6, bottom);
    }
    const bool conditional = std::ranges::any_of(m_marks, [](const Mark& mark) { return !mark.at; });
    if (!isUnread() && (m_marks.empty() || !conditional)) {
        painter.setPen(color(Role::TextDim));
        painter.drawText(QRect(m_left, kCondition, width() - m_left - kMargin, kRow - 4),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         m_marks.empty() ? tr("No faults: a double click or Insert adds one.")
                                         : tr("Faults by a condition stand here; there are none."));
    }
    for (const Mark& mark : m_marks) {
        const bool chosen = mark.index == m_current;
        QRect rect = mark.rect;
        if (mark.at) {
            const Nanos at = chosen && m_dragged ? *m_dragged : *mark.at;
            const int x = xOf(at);
            rect.moveLeft(std::max(0, std::min(x, width() - kGrid - rect.width())));
            painter.setPen(QPen(color(Role::Fault), chosen ? 2 : 1));
            painter.drawLine(x, kRow + 6, x, bottom);
            if (mark.lasts > Nanos{})
                painter.fillRect(QRect(x, rect.bottom() - 1, std::max(2, xOf(at + mark.lasts) - x), 3),
                                 color(Role::Fault, 0.5));
        }
        painter.setPen(QPen(color(Role::Fault), chosen ? 2 : 1, mark.at ? Qt::SolidLine : Qt::DashLine));
        painter.setBrush(color(chosen ? Role::Fault : Role::FaultSoft));
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter.setPen(color(chosen ? Role::TextOnColor : Role::FaultText));
        const QRect room = rect.adjusted(kGrid, 0, -kGrid, 0);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(mark.words, Qt::ElideRight, room.width()));
    }
    if (!hasFocus()) return;
    painter.setPen(QPen(color(Role::FocusRing), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(this->rect().adjusted(1, 1, -1, -1));
}

void FaultAxis::setCurrent(int index) {
    if (index == m_current) return;
    m_current = index;
    update();
    tell();
    Q_EMIT currentChanged(index);
}

void FaultAxis::tell() {
    const QJsonObject fault = m_document->at(QStringLiteral("/faults/%1").arg(m_current)).toObject();
    const QString sentence = isUnread() ? unreadNotice()
                             : m_current < 0
                                 ? tr("%n fault(s), none chosen", "", count())
                                 : tr("Fault %1 of %2: %3")
                                       .arg(QString::number(m_current + 1), QString::number(count()),
                                            elementWords(fault, QCoreApplication::translate("Language", "en")));
    setAccessibleDescription(sentence);
    Q_EMIT told(sentence);
}

void FaultAxis::add(Nanos at) {
    m_document->flush();
    if (!m_document->isLegible()) return;
    const QString list = QStringLiteral("/faults");
    QJsonObject fault = blankElement(*m_document, list);
    fault[u"at"] = formatDuration(snappedToAxis(at));
    const int index = int(m_document->at(list).toArray().size());
    m_document->append(list, fault);
    setCurrent(index);
}

void FaultAxis::remove(int index) {
    m_document->flush();
    if (index < 0 || index >= count()) return;
    m_document->removeElement(QStringLiteral("/faults"), index);
    m_current = -1;
    setCurrent(std::min(index, count() - 1));
}

void FaultAxis::move(int index, Nanos at) {
    m_document->flush();
    const QString place = QStringLiteral("/faults/%1/at").arg(index);
    if (m_document->at(place).isUndefined()) return;
    m_document->set(place, formatDuration(std::clamp(snappedToAxis(at), Nanos::zero(), m_until)));
}

void FaultAxis::mousePressEvent(QMouseEvent* event) {
    layOut();
    if (event->button() != Qt::LeftButton) return;
    const int index = hit(event->position().toPoint());
    if (index < 0) return;
    setCurrent(index);
    const Mark& mark = *std::ranges::find(m_marks, index, &Mark::index);
    m_grip = mark.at ? event->position().toPoint().x() - xOf(*mark.at) : 0;
}

void FaultAxis::mouseMoveEvent(QMouseEvent* event) {
    layOut();
    const int x = event->position().toPoint().x();
    const auto mark = std::ranges::find(m_marks, m_current, &Mark::index);
    const bool held = event->buttons() & Qt::LeftButton;
    if (!held) {
        setCursor(hit(event->position().toPoint()) >= 0 ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return;
    }
    if (mark == m_marks.end() || !mark->at || !m_document->isLegible()) return;
    const Nanos to = std::min(snappedToAxis(timeAt(x - m_grip)), m_until);
    if (!m_dragged && to == *mark->at) return;
    m_dragged = to;
    Q_EMIT told(tr("to %1").arg(spanText(to)));
    update();
}

void FaultAxis::mouseReleaseEvent(QMouseEvent*) {
    if (!m_dragged) return;
    const Nanos to = *m_dragged;
    m_dragged.reset();
    move(m_current, to);
    update();
}

void FaultAxis::mouseDoubleClickEvent(QMouseEvent* event) {
    layOut();
    const QPoint at = event->position().toPoint();
    if (hit(at) < 0) add(timeAt(at.x()));
}

void FaultAxis::keyPressEvent(QKeyEvent* event) {
    layOut();
    const int count = int(m_marks.size());
    const auto mark = std::ranges::find(m_marks, m_current, &Mark::index);
    const bool timed = mark != m_marks.end() && mark->at;
    switch (event->key()) {
    case Qt::Key_Insert:
        return add(timed ? *mark->at + 1s : m_until / 2);
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        return remove(m_current);
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (count > 0) setCurrent(chosenByKey(*event, m_current, count));
        return;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (timed) move(m_current, *mark->at + movedByKey(*event));
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace lockscope::views
