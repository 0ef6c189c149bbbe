// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/why_line.h"

#include "models/story.h"
#include "models/told_violation.h"
#include "theme/fonts.h"
#include "theme/palette.h"
#include "theme/plain_tips.h"
#include "verdict/why.h"
#include "verdict/why_safe.h"

#include <QHelpEvent>
#include <QPainter>
#include <utility>

namespace lockscope::views {

namespace {
constexpr int kMargin = 16, kGap = 10, kPad = 12;
constexpr int kPadOfTwo = 6; // a narrow window is mostly a low one, too
constexpr int kStoryMs = 100;
} // namespace

WhyLine::WhyLine(ViewContext* context, QWidget* parent) : QAbstractButton(parent), m_context(context) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    Explained::follow(context);
    connect(context, &ViewContext::sessionChanged, this, &WhyLine::refresh);
    connect(context, &ViewContext::verdictChanged, this, &WhyLine::refresh);
    connect(context, &ViewContext::playheadChanged, this, &WhyLine::refresh);
    connect(context, &ViewContext::explanationRequested, this, &WhyLine::refresh);
    connect(this, &QAbstractButton::clicked, this, [this] {
        if (m_index) m_context->explain(*m_index);
    });
    m_pace.setSingleShot(true);
    m_pace.setInterval(kStoryMs);
    connect(&m_pace, &QTimer::timeout, this, &WhyLine::refreshAtPace);
    const auto soon = [this] {
        if (!m_pace.isActive()) m_pace.start();
    };
    connect(context, &ViewContext::sessionChanged, this, &WhyLine::refreshAtPace); // no name outlives its session
    connect(context, &ViewContext::traceGrew, this, soon);
    connect(context, &ViewContext::playheadChanged, this, soon);
    connect(context, &ViewContext::selectionChanged, this, soon);
    connect(context, &ViewContext::scenarioChanged, this, &WhyLine::refresh);
    setEnabled(false);
    setAccessibleName(tr("No invariant is violated at this instant"));
    refresh();
}

void WhyLine::refresh() {
    const auto judged = m_context->verdict();
    // Hardly anything of servers that others run can be judged, and their locks may be thousands: the line takes its
    // room when it is needed. With clients of our own the room is kept, so that the lanes stand still.
    const session::Session* const session = m_context->session();
    const bool ours = session && !session->abilities().live && m_context->scenario().workload.clients > 0;
    const bool keeps = !judged->violations.empty() || !session || ours;
    if (std::exchange(m_keepsRoom, keeps) != keeps) updateGeometry();
    std::optional<std::size_t> told = toldViolation(*m_context);
    if (told && !goesOnAt(judged->violations[*told], m_context->playhead())) told.reset();
    // Composed again only for another violation or another judgement: it looks back along the trace.
    if (told && told == m_index && judged == m_verdict) return;
    const bool other = told != m_index;
    m_index = told;
    m_verdict = judged;
    const auto trace = m_context->trace();
    QString sentence;
    if (told)
        sentence = whyNow();
    else if (!m_context->heldBack().verdictFrom)
        sentence = verdict::whySafe(*trace, m_context->playhead());
    if (!m_pace.isActive()) m_pace.start();
    if (other || sentence != m_sentence) setSentence(std::move(sentence));
}

QString WhyLine::whyNow() const {
    const AsSeen seen = asSeen(m_verdict->violations[*m_index], *m_context);
    return verdict::why(seen.violation, *m_context->trace(), seen.at);
}

void WhyLine::setSentence(QString sentence) {
    m_sentence = std::move(sentence);
    if (!m_sentence.isEmpty()) m_story.clear();
    setEnabled(m_index.has_value());
    setFocusPolicy(m_index ? Qt::TabFocus : Qt::NoFocus);
    setCursor(m_index ? Qt::PointingHandCursor : Qt::ArrowCursor);
    name();
    update();
}

/// A screen reader says what stands there.
void WhyLine::name() {
    setAccessibleName(m_index                 ? tr("Why: %1").arg(m_sentence)
                      : !m_sentence.isEmpty() ? tr("Safe: %1").arg(m_sentence)
                      : !m_story.isEmpty()    ? tr("Now: %1").arg(m_story)
                                              : tr("No invariant is violated at this instant"));
}

void WhyLine::refreshAtPace() {
    // Time goes on without a row, and so without another judgement.
    if (m_index && m_verdict && asSeen(m_verdict->violations[*m_index], *m_context).violation.to == kNever) {
        QString sentence = whyNow();
        if (sentence != m_sentence) setSentence(std::move(sentence));
    }
    const bool tells = m_keepsRoom && m_sentence.isEmpty() && isVisible();
    QString story = tells ? locksAtPlayhead(*m_context) : QString();
    if (story == m_story) return;
    m_story = std::move(story);
    name();
    update();
}

// By the width and the language alone: the lanes below stand still from one sentence to the next.
int WhyLine::lines() const {
    return QFontMetrics(uiFont()).horizontalAdvance(verdict::longestUsualWhy()) > room().width() ? 2 : 1;
}

// The few that are longer still are a little smaller.
QFont WhyLine::fontOfSentence() const {
    const QFont usual = uiFont();
    return fits(usual) ? usual : uiFont(-1);
}

bool WhyLine::fits(const QFont& font) const {
    const QFontMetrics metrics(font);
    if (lines() == 1) return metrics.horizontalAdvance(m_sentence) <= room().width();
    const QRect needed = metrics.boundingRect(QRect(0, 0, room().width(), 0), Qt::TextWordWrap, m_sentence);
    return needed.height() <= height() && needed.width() <= room().width();
}

bool WhyLine::isWhole() const {
    return fits(fontOfSentence());
}

QSize WhyLine::sizeHint() const {
    const int pad = lines() > 1 ? kPadOfTwo : kPad;
    return {400, m_keepsRoom ? lines() * QFontMetrics(uiFont()).lineSpacing() + pad : 0};
}

void WhyLine::resizeEvent(QResizeEvent* event) {
    QAbstractButton::resizeEvent(event);
    if (sizeHint().height() != height()) updateGeometry();
}

// While it is hidden, as in the presenter's view, it tells nothing.
void WhyLine::showEvent(QShowEvent* event) {
    QAbstractButton::showEvent(event);
    refreshAtPace();
}

QString WhyLine::heading() const {
    //: The first word of the line that says why an invariant is violated.
    const QString violated = tr("Why");
    //: The first word of the line that says why nobody got in twice although a server died.
    const QString survived = tr("Safe");
    //: The first word of the line that says how it stands with the locks: "orders: A holds it; …".
    const QString now = tr("Now");
    return m_index ? violated : m_sentence.isEmpty() ? now : survived;
}

QRect WhyLine::room() const {
    const int wide = QFontMetrics(uiFont(0, QFont::Bold)).horizontalAdvance(heading());
    return rect().adjusted(kMargin + wide + kGap, 0, -kMargin, 0);
}

bool WhyLine::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractButton::event(event);
    const QString more = m_index ? QStringLiteral("\n\n") + tr("A click goes there and explains it.") : QString();
    const QString words = m_sentence.isEmpty() ? m_story : m_sentence;
    if (!words.isEmpty()) showPlainTip(static_cast<QHelpEvent*>(event)->globalPos(), words + more, this);
    return true;
}

void WhyLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(m_index ? underMouse() ? Role::SurfaceHover : Role::ViolationSoft : Role::Surface));
    const bool story = m_sentence.isEmpty();
    const QString& words = story ? m_story : m_sentence;
    if (words.isEmpty()) return;
    painter.setFont(uiFont(0, QFont::Bold));
    painter.setPen(color(m_index ? Role::ViolationText : story ? Role::TextDim : Role::AcceptedText));
    const QFont font = story ? uiFont() : fontOfSentence();
    const QFontMetrics metrics(font);
    const QRect room = this->room();
    const bool oneLine = metrics.horizontalAdvance(words) <= room.width();
    const int line = metrics.lineSpacing(), top = (height() - (oneLine ? 1 : lines()) * line) / 2;
    // The heading stands on the first line of the sentence.
    painter.drawText(QRect(kMargin, top, room.left() - kMargin, line), Qt::AlignLeft | Qt::AlignVCenter, heading());
    painter.setFont(font);
    painter.setPen(color(story ? Role::TextDim : Role::Text));
    if (oneLine || lines() == 1)
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(words, Qt::ElideRight, room.width()));
    else
        painter.drawText(room, int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextWordWrap, words);
    if (!hasFocus()) return;
    painter.setPen(QPen(color(Role::FocusRing), 1.5));
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

} // namespace lockscope::views
