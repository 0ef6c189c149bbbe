// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/status_line.h"

#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "theme/widgets.h"

namespace lockscope::app {
namespace {

using namespace views;
constexpr int kPaceMs = 500;

/// Events of the last second before t, and how many of them are commands that our clients sent.
std::pair<std::size_t, std::size_t> lastSecond(const trace::Trace& trace, Nanos t) {
    const std::size_t from = trace.lowerBound(t - 1s), to = trace.upperBound(t);
    std::size_t commands = 0;
    // A second may hold millions of rows of a recording; beyond this the figure is an estimate from the rows looked at.
    constexpr std::size_t kMost = 20'000;
    const std::size_t looked = std::min(to - from, kMost);
    for (std::size_t row = to - looked; row < to; ++row)
        commands += trace.kindAt(row) == trace::EventKind::Request;
    if (looked > 0 && looked < to - from) commands = commands * (to - from) / looked;
    return {to - from, commands};
}

} // namespace

StatusLine::StatusLine(ViewContext* context, Player* player, QWidget* parent)
    : QStatusBar(parent), m_context(context), m_left(new DimLabel), m_right(new DimLabel) {
    setSizeGripEnabled(false);
    setFixedHeight(28);
    setContentsMargins(10, 0, 14, 0);
    for (QLabel* label : {m_left, m_right}) {
        label->setFont(uiFont(-1));
        label->setTextFormat(Qt::PlainText);
    }
    m_left->setAccessibleName(tr("Servers"));
    m_right->setAccessibleName(tr("Load"));
    addWidget(m_left);
    addPermanentWidget(m_right);
    m_pace.setInterval(kPaceMs);
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &StatusLine::refresh);
    const auto soon = [this] {
        if (!m_pace.isActive()) m_pace.start();
    };
    connect(context, &ViewContext::sessionChanged, this, &StatusLine::refresh);
    connect(context, &ViewContext::traceGrew, this, soon);
    connect(context, &ViewContext::playheadChanged, this, soon);
    connect(player, &Player::frame, this,
            [this](double ms) { m_frameMs = m_frameMs > 0 ? m_frameMs * 0.9 + ms * 0.1 : ms; });
    connect(player, &Player::playingChanged, this, [this, soon](bool) {
        m_frameMs = 0;
        soon();
    });
    refresh();
}

void StatusLine::refresh() {
    m_left->setText(left());
    m_right->setText(right());
}

QString StatusLine::left() const {
    const session::Session* const session = m_context->session();
    if (!session) return tr("No server yet: connect, or play a scenario.");
    int nodes = 0, clients = 0;
    for (const auto& [id, node] : m_context->state().nodes)
        nodes += node.life != trace::ClientState::Life::Dead;
    for (const auto& [id, client] : m_context->state().clients)
        clients += client.life != trace::ClientState::Life::Dead;
    const QString sep = QStringLiteral(" · ");
    QString text =
        QChar(0x25cf) + QStringLiteral(" ") + tr("%n server(s)", "", nodes) + sep + tr("%n client(s)", "", clients);
    const session::Abilities can = session->abilities();
    if (can.live && !can.workload && !can.faults) text += sep + tr("read-only");
    return text;
}

QString StatusLine::right() const {
    const session::Session* const session = m_context->session();
    if (!session) return {};
    const auto trace = m_context->trace();
    const Nanos now = session->abilities().live ? trace->reached() : m_context->playhead();
    const auto [events, commands] = lastSecond(*trace, now);
    const QString sep = QStringLiteral(" · ");
    QString text;
    if (session->abilities().live) text += tr("our own load %1 commands/s").arg(countShort(double(commands))) + sep;
    //: %1 a number such as "38" or "1.02 k", %2 such as "1 284"
    text += tr("%1 events/s · %2 events").arg(countShort(double(events)), count(std::int64_t(trace->size())));
    if (m_frameMs > 0) text += sep + tr("%1 ms a frame").arg(m_frameMs, 0, 'f', 0);
    return text;
}

} // namespace lockscope::app
