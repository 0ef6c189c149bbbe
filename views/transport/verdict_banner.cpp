// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/verdict_banner.h"

#include "models/told_violation.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/plain_tips.h"
#include "theme/widgets.h"
#include "verdict/why.h"
#include "verdict/words.h"

#include <QHelpEvent>
#include <QPainter>

namespace lockscope::views {
namespace {

/// In pixels at the usual size of text: of the sign, of the coloured bar's room left of it, between sign and words.
constexpr double kSign = 16, kBar = 14, kGap = 6;

int bannerHeight() {
    return std::max(32, QFontMetrics(uiFont(0, QFont::DemiBold)).height() + 6);
}

/// Without what the run may have been computed ahead.
verdict::Starved untilPlayhead(verdict::Starved starved, Nanos playhead) {
    starved.to = std::max(starved.from, std::min(starved.to, playhead));
    return starved;
}

} // namespace

VerdictBanner::VerdictBanner(ViewContext* context, QWidget* parent)
    : QAbstractButton(parent), m_context(context), m_alerts(new ToldAlerts(context, this)) {
    setFocusPolicy(Qt::TabFocus);
    Explained::follow(context);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(context, &ViewContext::sessionChanged, this, &VerdictBanner::refresh);
    connect(context, &ViewContext::verdictChanged, this, &VerdictBanner::refresh);
    connect(context, &ViewContext::playheadChanged, this, &VerdictBanner::refresh);
    connect(context, &ViewContext::explanationRequested, this, &VerdictBanner::refresh);
    connect(m_alerts, &ToldAlerts::changed, this, &VerdictBanner::refresh);
    connect(this, &QAbstractButton::clicked, this, [this] {
        if (m_shown)
            m_context->explain(m_index);
        else if (m_alert)
            m_context->reveal(std::max(m_alert->from, Nanos(0)), m_alert->lock);
        else if (m_starved)
            m_context->reveal(m_starved->asked, m_starved->thread);
    });
    refresh();
}

void VerdictBanner::setPlain(bool plain) {
    m_plain = plain;
    refresh();
}

void VerdictBanner::refresh() {
    const auto judged = m_context->verdict();
    const Nanos playhead = m_context->playhead();
    // Violations later than the playhead are not told here: the sentence is about the instant that is shown. Its
    // interval is the same as on its card and its band: whole once the run has passed it, "so far" before.
    const std::optional<std::size_t> told = toldViolation(*m_context);
    const auto trace = m_context->trace();
    QString text;
    m_shorter.clear();
    m_empty = !m_context->session();
    const auto unknown = std::ranges::count_if(verdict::kInvariants, [&](verdict::Invariant invariant) {
        return judged->outcomeAt(invariant, playhead) == verdict::Outcome::Unknown;
    });
    const bool tooLittle = unknown > 0, nothing = std::size_t(unknown) == verdict::kInvariants.size();
    m_outcome = tooLittle || !isJudged(*m_context) ? verdict::Outcome::Unknown : verdict::Outcome::Holds;
    m_shown.reset();
    m_alert = told ? std::nullopt : m_alerts->now();
    const verdict::Starved* const starves = told || m_alert ? nullptr : judged->starvesAt(playhead);
    m_starved = starves ? std::optional(*starves) : std::nullopt;
    if (m_alert) {
        text = m_alert->sentence;
        //: %1 a sentence on one alert; %n how many more there are besides.
        if (m_alert->more > 0) text = tr("%1  (+%n more)", "alerts", m_alert->more).arg(text);
    } else if (told) {
        m_index = *told;
        m_shown = judged->violations[*told];
        m_outcome = verdict::Outcome::Violated;
        const AsSeen seen = asSeen(*m_shown, *m_context);
        text = verdict::headline(seen.violation, *trace, seen.at);
        m_shorter = {verdict::shortHeadline(seen.violation, *trace, seen.at)};
        const auto begun = std::ranges::partition_point(
            judged->violations, [&](const verdict::Violation& violation) { return violation.from <= playhead; });
        if (const int more = int(begun - judged->violations.begin()) - 1; more > 0) {
            //: %1 a sentence on one violation; %n how many more there are besides.
            const QString besides = tr("%1  (+%n more)", "", more);
            text = besides.arg(text);
            m_shorter.prepend(besides.arg(m_shorter.front()));
        }
        if (m_plain) {
            m_shorter.prepend(text);
            text = verdict::whatHappened(seen.violation, *trace, seen.at);
        }
    } else if (m_starved) {
        text = verdict::headline(*m_starved, *trace, playhead);
    } else if (m_empty) {
        text.clear();
    } else if (m_context->heldBack().verdictFrom) {
        m_outcome = verdict::Outcome::Unknown;
        //: In the place of the verdict, while a lesson's question is open.
        text = tr("Verdict held back until you have bet");
    } else if (!isJudged(*m_context)) {
        text = tr("Nothing to judge yet");
    } else if (m_outcome == verdict::Outcome::Unknown && !nothing) {
        text = trace->ofRealServers() ? tr("What was seen holds, but not all was seen")
                                      //: Of a simulation, in which all is seen: servers lost what would tell.
                                      : tr("What can be judged holds, but not all can");
    } else if (m_outcome == verdict::Outcome::Unknown) {
        text = tr("Nothing to judge yet");
    } else {
        text = tr("All invariants hold so far");
    }
    if (text == this->text() && isEnabled() == leadsSomewhere()) return;
    const QSize least = minimumSizeHint();
    setText(text);
    if (minimumSizeHint() != least) updateGeometry(); // not with every frame of a violation that goes on
    setAccessibleName(m_alert ? tr("Alert: %1").arg(text) : tr("Verdict: %1").arg(text));
    setCursor(leadsSomewhere() ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setEnabled(leadsSomewhere());
    update();
}

QSize VerdictBanner::sizeHint() const {
    return {QFontMetrics(uiFont(0, QFont::DemiBold)).horizontalAdvance(text()) +
                int((kBar + kSign + kGap + 20) * textScale()),
            bannerHeight()};
}

QSize VerdictBanner::minimumSizeHint() const {
    // A verdict is read as a whole; only a very long one is cut, as the name of a lock may be as long as it likes.
    constexpr int kLongest = 560;
    return {std::clamp(sizeHint().width(), 120, int(kLongest * textScale())), bannerHeight()};
}

bool VerdictBanner::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        // Built only when asked for: it changes with every frame of an open violation.
        QString tip = text();
        if (m_shown) {
            const AsSeen seen = asSeen(*m_shown, *m_context);
            tip = verdict::explain(seen.violation, *m_context->trace(), seen.at) + QStringLiteral("\n\n") +
                  tr("A click goes there and explains it.");
        } else if (m_alert)
            tip = m_alert->sentence + QStringLiteral("\n→ ") + m_alert->advice;
        else if (m_starved)
            tip = verdict::explain(untilPlayhead(*m_starved, m_context->playhead()), *m_context->trace());
        showPlainTip(static_cast<QHelpEvent*>(event)->globalPos(), tip, this);
        return true;
    }
    return QAbstractButton::event(event);
}

/// The fullest wording that has room, or else the shortest.
QString VerdictBanner::wordingFor(int width, const QFontMetrics& metrics) const {
    // By the measure by which it would be cut: an advance may be a pixel less.
    const auto fits = [&](const QString& words) { return metrics.elidedText(words, Qt::ElideRight, width) == words; };
    if (m_shorter.isEmpty() || fits(text())) return text();
    const auto shorter = std::ranges::find_if(m_shorter, fits);
    return shorter != m_shorter.end() ? *shorter : m_shorter.back();
}

void VerdictBanner::paintEvent(QPaintEvent*) {
    if (m_empty) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool bad = isBad(), marked = leadsSomewhere();
    if (marked) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(underMouse() ? Role::SurfaceHover : bad ? Role::ViolationSoft : Role::WaitingSoft));
        painter.drawRoundedRect(rect(), 5, 5);
        painter.fillRect(QRectF(0, 0, 4 * textScale(), height()), color(bad ? Role::Violation : Role::Waiting));
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color(Role::FocusRing), 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
    }
    const bool unknownOutcome = !marked && m_outcome == verdict::Outcome::Unknown;
    const Role ink = bad              ? Role::ViolationText
                     : marked         ? Role::WaitingText
                     : unknownOutcome ? Role::TextDim
                                      : Role::AcceptedText;
    painter.setFont(uiFont(0, marked ? QFont::DemiBold : QFont::Medium));
    painter.setPen(color(ink));
    const double left = marked ? kBar * textScale() : 0, sign = kSign * textScale();
    const QRect room = rect().adjusted(int(left + sign + kGap * textScale()), 0, -8, 0);
    const QString shown =
        painter.fontMetrics().elidedText(wordingFor(room.width(), painter.fontMetrics()), Qt::ElideRight, room.width());
    paintIcon(painter, QRectF(left, (height() - sign) / 2, sign, sign),
              bad              ? "cross"
              : marked         ? "clock"
              : unknownOutcome ? "unknown"
                               : "check",
              ink);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, shown);
}

} // namespace lockscope::views
