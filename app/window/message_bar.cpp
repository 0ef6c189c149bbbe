// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/message_bar.h"

#include "theme/icons.h"
#include "theme/palette.h"
#include "theme/widgets.h"

#include <QAccessible>
#include <QAction>
#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace lockscope::app {
namespace {

constexpr int kNoteMs = 6000;

struct Look {
    views::Role fill, ink;
    const char* iconName;
};

Look lookOf(MessageBar::Kind kind) {
    using views::Role;
    switch (kind) {
    case MessageBar::Kind::Good:
        return {Role::AcceptedSoft, Role::AcceptedText, "check"};
    case MessageBar::Kind::Problem:
        return {Role::WaitingSoft, Role::WaitingText, "warning"};
    case MessageBar::Kind::Note:
        break;
    }
    return {Role::SurfaceRaised, Role::TextDim, "info"};
}

} // namespace

MessageBar::MessageBar(QWidget* window)
    : QWidget(window), m_text(new QLabel), m_close(new QToolButton), m_offer(new QToolButton) {
    m_text->setWordWrap(true);
    // Text from a server or a file is shown as it is, never as markup.
    m_text->setTextFormat(Qt::PlainText);
    m_close->setIcon(views::icon("close", views::Role::TextDim));
    m_close->setAutoRaise(true);
    m_close->setAccessibleName(tr("Close message"));
    m_close->setToolTip(tr("Close message (Esc)"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(44, 7, 10, 8);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_offer);
    layout->addWidget(m_close);
    m_offer->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_offer->setFocusPolicy(Qt::TabFocus);
    m_offer->hide();
    m_leave.setSingleShot(true);
    connect(&m_leave, &QTimer::timeout, this, &MessageBar::dismiss);
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    window->installEventFilter(this);
    // Something else happened meanwhile, and the offer cannot be taken up any more: the message is out of date. An
    // action may be off and on again within one change, so the event loop's next turn tells.
    m_outdated.setSingleShot(true);
    connect(&m_outdated, &QTimer::timeout, this, [this] {
        const QAction* const offered = m_offer->defaultAction();
        if (!isHidden() && !m_offer->isHidden() && offered && !offered->isEnabled()) dismiss();
    });
    hide();
}

void MessageBar::say(const QString& message, Kind kind, About about) {
    m_kind = kind;
    m_about = about;
    // Only now: text that can be selected brings a whole document along, which the start of the program need not build.
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setText(message);
    m_offer->hide();
    setAccessibleName(message);
    place();
    show();
    raise();
    update();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
    if (kind == Kind::Problem)
        m_leave.stop();
    else
        m_leave.start(kNoteMs);
}

void MessageBar::sayUntilNext(const QString& message) {
    say(message);
    m_leave.stop();
}

void MessageBar::offer(const QString& message, QAction* action, Kind kind) {
    say(message, kind);
    if (QAction* const before = m_offer->defaultAction()) {
        m_offer->removeAction(before);
        disconnect(before, &QAction::enabledChanged, &m_outdated, nullptr);
    }
    connect(action, &QAction::enabledChanged, &m_outdated, qOverload<>(&QTimer::start));
    m_offer->setDefaultAction(action);
    m_offer->setText(action->toolTip()); // with its key
    m_offer->show();
    setAccessibleName(tr("%1 %2", "a message, and what to do about it").arg(message, action->toolTip()));
    // The offer stands in a menu, too, and lanes lie below. Trouble is told until it is over.
    if (kind != Kind::Problem) m_leave.start(kNoteMs);
    place(); // once more: the button needs room
}

void MessageBar::instantLeft() {
    if (m_about == About::Instant && !isHidden()) dismiss();
}

void MessageBar::standOver(QWidget* part) {
    if (m_part) m_part->removeEventFilter(this);
    m_part = part;
    part->installEventFilter(this);
    if (!isHidden()) place();
}

void MessageBar::place() {
    constexpr int kLeast = 320, kMost = 860, kEdge = 16, kStatusLine = 28;
    const QWidget* const window = parentWidget();
    QRect room = window->rect().adjusted(0, 0, 0, -kStatusLine);
    if (m_part && m_part->isVisible() && m_part->width() >= kLeast + 2 * kEdge)
        room = QRect(m_part->mapTo(window, QPoint()), m_part->size());
    const int around = layout()->contentsMargins().left() + layout()->contentsMargins().right() +
                       m_close->sizeHint().width() + layout()->spacing() +
                       (m_offer->isHidden() ? 0 : m_offer->sizeHint().width() + layout()->spacing());
    const QRect words =
        m_text->fontMetrics().boundingRect(QRect(0, 0, kMost, 10'000), Qt::TextWordWrap, m_text->text());
    const int wide = std::min(std::clamp(words.width() + around + 8, kLeast, kMost), room.width() - 2 * kEdge);
    const int high = heightForWidth(wide);
    setGeometry(room.left() + (room.width() - wide) / 2, room.bottom() - kEdge - high, wide, high);
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
    const bool moved = event->type() == QEvent::Resize || event->type() == QEvent::Move ||
                       event->type() == QEvent::Show || event->type() == QEvent::Hide;
    if ((watched == parentWidget() || watched == m_part) && moved && !isHidden()) place();
    return QWidget::eventFilter(watched, event);
}

void MessageBar::dismiss() {
    m_leave.stop();
    hide();
}

QString MessageBar::message() const {
    return isHidden() ? QString() : m_text->text();
}

void MessageBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) return dismiss();
    QWidget::keyPressEvent(event);
}

void MessageBar::paintEvent(QPaintEvent*) {
    const Look look = lookOf(m_kind);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), views::color(views::Role::Surface)); // nothing shines through
    painter.setPen(views::color(look.ink));
    painter.setBrush(views::color(look.fill));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    views::paintIcon(painter, QRectF(14, height() / 2.0 - 9, 18, 18), look.iconName, look.ink);
}

} // namespace lockscope::app
