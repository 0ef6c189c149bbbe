// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/status_line.h"

#include "session/connection_desk.h"
#include "session/recording_session.h"
#include "session/session.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/widgets.h"
#include "trace/connection.h"

#include <QCoreApplication>
#include <QLayout>
#include <QProgressBar>
#include <QToolButton>
#include <algorithm>
#include <set>

namespace lockscope::app {
namespace {

using namespace views;
constexpr int kPaceMs = 500;

/// Between parts of a line.
QString between() {
    return QStringLiteral(" · ");
}

struct Status {
    Q_DECLARE_TR_FUNCTIONS(StatusLine)
};

enum class Dead : std::uint8_t { Servers, Clients };

/// "3 servers, redis-1 dead": how many there are, and which of them are dead; of many only their number.
QString withDead(Dead kind, const QString& all, const trace::Trace& trace, const std::vector<trace::EntityId>& dead) {
    constexpr std::size_t kMostNames = 3;
    if (dead.empty()) return all;
    const bool servers = kind == Dead::Servers;
    const auto many = int(dead.size());
    if (dead.size() > kMostNames)
        return (servers ? Status::tr("%1, %n dead", "6 servers, 4 dead", many)
                        : Status::tr("%1, %n dead", "6 clients, 4 dead", many))
            .arg(all);
    QStringList names;
    for (const trace::EntityId one : dead)
        names << trace.displayName(one);
    //: 3 servers, redis-1 dead
    const QString words = servers ? Status::tr("%1, %2 dead", "servers") : Status::tr("%1, %2 dead", "clients");
    return words.arg(all, names.join(QStringLiteral(", ")));
}

/// The servers of all connections that are open: a cluster's and an ensemble's are one in the trace.
int serversBehind(const session::ConnectionDesk& desk) {
    std::set<QString> servers;
    for (const session::ConnectionFacts& one : desk.all()) {
        if (!one.open) continue;
        for (const QString& line : one.servers)
            servers.insert(line.section(QStringLiteral(" · "), 0, 0)); // its address
        if (one.servers.isEmpty()) servers.insert(one.url);
    }
    return int(servers.size());
}

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
    connect(player, &Player::playingChanged, this, [this](bool) {
        m_frameMs = 0;
        refresh(); // its own time goes on in step with that of the panels' titles, which tell some of its numbers
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
    m_left->setAccessibleName(tr("Servers: %1").arg(m_left->text()));
    QStringList words = right();
    const QString all = words.join(between());
    constexpr int kApart = 48, kBesideEach = 6; // margins, and gaps that tell the parts apart
    int room = width() - kApart;
    for (const QWidget* part : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (part != m_right && !part->isHidden()) room -= part->sizeHint().width() + kBesideEach;
    // The last ones are for the curious: half a word would tell nobody anything.
    while (words.size() > 1 && m_right->fontMetrics().horizontalAdvance(words.join(between())) > room)
        words.removeLast();
    m_right->setText(words.join(between()));
    layout()->activate(); // else one picture has the new words in the old width
    m_right->setToolTip(m_right->text() == all ? QString() : all);
    m_right->setAccessibleName(tr("Load: %1").arg(all));
}

void StatusLine::resizeEvent(QResizeEvent* event) {
    QStatusBar::resizeEvent(event);
    refresh();
}

QString StatusLine::left() const {
    const session::Session* const session = m_context->session();
    if (!session) return {};
    std::vector<trace::EntityId> nodes, dead;
    for (const auto& [id, node] : m_context->state().nodes) {
        nodes.push_back(id);
        if (node.life == trace::ClientState::Life::Dead) dead.push_back(id);
    }
    auto servers = int(trace::serversAmong(*m_context->trace(), nodes).size());
    if (const session::ConnectionDesk* const desk = session::connectionDeskOf(m_context->session()))
        servers = std::max(servers, serversBehind(*desk));
    dead = trace::serversAmong(*m_context->trace(), dead);
    const session::Abilities can = session->abilities();
    // A watched server names the clients that hold or wait; there is no count of the others, in a recording of it
    // either.
    const bool watched = can.live || m_context->trace()->originWallMs() != 0;
    int clients = 0;
    std::vector<trace::EntityId> deadClients;
    for (const auto& [id, client] : m_context->state().clients) {
        const bool gone = client.life == trace::ClientState::Life::Dead;
        clients += !(gone && watched); // a watched one that is gone was not killed here
        if (gone && !watched) deadClients.push_back(id);
    }
    const QString sep = QStringLiteral(" · ");
    QString text = QChar(0x25cf) + QStringLiteral(" ") +
                   withDead(Dead::Servers, tr("%n server(s)", "", servers), *m_context->trace(), dead);
    if (clients > 0 || !watched)
        text += sep + withDead(Dead::Clients, tr("%n client(s)", "", clients), *m_context->trace(), deadClients);
    if (can.live)
        text += sep + (can.workload || can.faults || can.forceRelease ? tr("changes allowed") : tr("read-only"));
    return text;
}

QStringList StatusLine::watchWords() {
    QStringList words;
    const auto trace = m_context->trace();
    const session::Session* const session = m_context->session();
    const bool live = session->abilities().live;
    const Nanos now = live ? trace->reached() : m_context->playhead();
    if (const session::ConnectionDesk* const desk = session::connectionDeskOf(m_context->session())) {
        const session::ConnectionFacts* dearest = nullptr; // measured by what each may cost
        Nanos oldest = kNever;
        for (const session::ConnectionFacts& one : desk->all()) {
            if (!one.open) continue;
            if (one.budget > 0 && (!dearest || one.share / one.budget > dearest->share / dearest->budget))
                dearest = &one;
            if (one.lookedAt >= Nanos(0)) oldest = std::min(oldest, one.lookedAt);
        }
        const auto percent = [](double share) { return QString::number(share * 100, 'f', share < 0.1 ? 1 : 0); };
        if (dearest)
            //: What watching costs: %1 percent of a server's time by now, %2 percent at most.
            words += dearest->share <= dearest->budget
                         ? tr("watching takes %1 % of ≤ %2 %").arg(percent(dearest->share), percent(dearest->budget))
                         //: As above, while it is more than that for a moment.
                         : tr("watching takes %1 %, more than its %2 %: looks are made rarer")
                               .arg(percent(dearest->share), percent(dearest->budget));
        if (oldest != kNever && live)
            //: The age of what the window shows of watched servers.
            words += tr("picture ≤ %1 old").arg(duration(std::max(now - oldest, Nanos(0))));
    }
    m_gaps.moveTo(trace, now);
    if (m_gaps.count() > 0)
        //: Times in which a watched server could not be seen: %1 how long all of them were.
        words += tr("%n gap(s) (%1)", "", m_gaps.count()).arg(duration(m_gaps.length()));
    return words;
}

QStringList StatusLine::right() {
    const session::Session* const session = m_context->session();
    if (!session) return {};
    const auto trace = m_context->trace();
    const bool isLive = session->abilities().live;
    const Nanos now = isLive ? trace->reached() : m_context->playhead();
    const std::size_t events = trace->upperBound(now) - trace->lowerBound(now - 1s);
    QStringList words = watchWords();
    if (const std::optional<double> load = session->ownLoad())
        words += tr("our own load %1 commands/s").arg(countShort(*load));
    //: %1 a number such as "38" or "1.02 k", %2 such as "1 284"
    words += tr("%1 events/s · %2 events").arg(countShort(double(events)), count(std::int64_t(m_context->seenRows())));
    if (m_frameMs > 0) words += tr("%1 ms a frame").arg(m_frameMs, 0, 'f', 0);
    return words;
}

} // namespace lockscope::app
