// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/status_line.h"

#include "session/recording_session.h"
#include "session/session.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/widgets.h"
#include "trace/connection.h"

#include <QProgressBar>
#include <QToolButton>

namespace lockscope::app {
namespace {

using namespace views;
constexpr int kPaceMs = 500;

} // namespace

StatusLine::StatusLine(ViewContext* context, Player* player, QWidget* parent)
    : QStatusBar(parent),
      m_context(context),
      m_left(new DimLabel),
      m_right(new DimLabel),
      m_progress(new QProgressBar),
      m_cancel(new QToolButton) {
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
    m_progress->setFixedWidth(160);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Reading the recording"));
    m_cancel->setIcon(icon("close", Role::TextDim));
    m_cancel->setAutoRaise(true);
    m_cancel->setFixedSize(24, 24);
    m_cancel->setAccessibleName(tr("Stop reading the recording"));
    m_cancel->setToolTip(tr("Stop reading; what was read stays"));
    addWidget(m_progress);
    addWidget(m_cancel);
    m_progress->hide();
    m_cancel->hide();
    addPermanentWidget(m_right);
    m_pace.setInterval(kPaceMs);
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &StatusLine::refresh);
    const auto soon = [this] {
        if (!m_pace.isActive()) m_pace.start();
    };
    connect(context, &ViewContext::sessionChanged, this, &StatusLine::attach);
    connect(context, &ViewContext::traceGrew, this, soon);
    connect(context, &ViewContext::playheadChanged, this, soon);
    connect(player, &Player::frame, this,
            [this](double ms) { m_frameMs = m_frameMs > 0 ? m_frameMs * 0.9 + ms * 0.1 : ms; });
    connect(player, &Player::playingChanged, this, [this, soon](bool) {
        m_frameMs = 0;
        soon();
    });
    attach();
}

void StatusLine::attach() {
    if (m_session != m_context->session()) {
        if (session::Session* const old = m_session) old->disconnect(this);
        m_cancel->disconnect();
        m_session = m_context->session();
        auto* const recording = qobject_cast<session::RecordingSession*>(m_context->session());
        const bool loading = recording && recording->isLoading();
        m_progress->setVisible(loading);
        m_cancel->setVisible(loading);
        if (recording) {
            m_progress->setRange(0, 0);
            connect(m_cancel, &QToolButton::clicked, recording, [recording] { recording->cancelLoading(); });
            connect(recording, &session::RecordingSession::progress, this, [this](quint64 rows, quint64 total) {
                m_progress->setRange(0, 1000);
                m_progress->setValue(total > 0 ? int(rows * 1000 / total) : 0);
            });
            connect(recording, &session::RecordingSession::loaded, this, [this] {
                m_progress->hide();
                m_cancel->hide();
            });
        }
        if (m_context->session())
            connect(m_context->session(), &session::Session::ownLoadChanged, this, &StatusLine::refresh);
    }
    refresh();
}

void StatusLine::refresh() {
    m_left->setText(left());
    m_right->setText(right());
}

QString StatusLine::left() const {
    const session::Session* const session = m_context->session();
    if (!session) return {};
    std::vector<trace::EntityId> nodes;
    for (const auto& [id, node] : m_context->state().nodes)
        if (node.life != trace::ClientState::Life::Dead) nodes.push_back(id);
    const auto servers = int(trace::serversAmong(*m_context->trace(), nodes).size());
    int clients = 0;
    for (const auto& [id, client] : m_context->state().clients)
        clients += client.life != trace::ClientState::Life::Dead;
    const QString sep = QStringLiteral(" · ");
    QString text =
        QChar(0x25cf) + QStringLiteral(" ") + tr("%n server(s)", "", servers) + sep + tr("%n client(s)", "", clients);
    const session::Abilities can = session->abilities();
    if (can.live) text += sep + (can.workload || can.faults ? tr("changes allowed") : tr("read-only"));
    return text;
}

QString StatusLine::right() const {
    const session::Session* const session = m_context->session();
    if (!session) return {};
    const auto trace = m_context->trace();
    const bool isLive = session->abilities().live;
    const Nanos now = isLive ? trace->reached() : m_context->playhead();
    const std::size_t events = trace->upperBound(now) - trace->lowerBound(now - 1s);
    const QString sep = QStringLiteral(" · ");
    QString text;
    if (const std::optional<double> load = session->ownLoad())
        text += tr("our own load %1 commands/s").arg(countShort(*load)) + sep;
    //: %1 a number such as "38" or "1.02 k", %2 such as "1 284"
    text += tr("%1 events/s · %2 events").arg(countShort(double(events)), count(std::int64_t(m_context->seenRows())));
    if (m_frameMs > 0) text += sep + tr("%1 ms a frame").arg(m_frameMs, 0, 'f', 0);
    return text;
}

} // namespace lockscope::app
