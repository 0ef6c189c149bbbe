// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/screenshot.h"

#include "lessons/failure_table.h"
#include "session/recording_session.h"
#include "statistics/statistics_panel.h"
#include "transport/player.h"
#include "window/main_window.h"

#include <QCoreApplication>
#include <QPixmap>
#include <QTimer>
#include <algorithm>

namespace lockscope::app {
namespace {

constexpr auto kAfterViolation = 800ms;
/// Models and pyramids gather changes for up to a frame or two before they show them.
constexpr int kSettleMs = 600;
constexpr int kGiveUpMs = 20'000;
/// Servers are watched for so long before the picture is taken, if nobody says for how long.
constexpr Nanos kWatch = 3s;

/// The window as it is once all that it was told has found its place.
QImage pictureOf(QWidget* window) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    return window->grab().toImage();
}

} // namespace

Screenshot::Screenshot(MainWindow* window, std::optional<Nanos> at) : QObject(window), m_window(window), m_at(at) {
}

void Screenshot::start() {
    session::Session* const session = m_window->context()->session();
    if (!session) { // the welcome page
        QTimer::singleShot(kSettleMs, this, [this] { Q_EMIT taken(pictureOf(m_window)); });
        return;
    }
    if (session->abilities().live) { // of now, as the window follows it
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(m_at.value_or(kWatch));
        QTimer::singleShot(wait, this, [this] { Q_EMIT taken(pictureOf(m_window)); });
        return;
    }
    m_window->player()->pause();
    QTimer::singleShot(kGiveUpMs, this, [this] {
        if (!m_settling) Q_EMIT taken(QImage());
    });
    connect(session, &session::Session::advanced, this, &Screenshot::check);
    if (const auto limit = m_window->player()->limit()) return stopAt(*limit);
    const auto* const recording = qobject_cast<session::RecordingSession*>(m_window->session());
    if (recording) connect(recording, &session::RecordingSession::alertsFound, this, &Screenshot::check);
    if (m_at) return arrive(*m_at);
    connect(session, &session::Session::milestoneReached, this, [this, session, recording](bool found, Nanos at) {
        if (m_at) return;
        if (!recording) return arrive(found ? at + kAfterViolation : session->planned() / 2);
        // At the beginning of a recording there may be nothing to see yet, and it goes no further than it goes.
        const Nanos last = m_window->context()->trace()->reached();
        arrive(found ? std::min(at + kAfterViolation, last) : last);
    });
    const auto search = [session] { session->advanceToNext(session::Milestone::Violation, Nanos(0)); };
    if (recording && recording->isLoading())
        connect(recording, &session::RecordingSession::loaded, session, search);
    else
        search();
}

void Screenshot::stopAt(Nanos limit) {
    const auto look = [this, limit] {
        if (m_settling || m_window->context()->playhead() < limit) return;
        m_settling = true;
        // An instant on the way there: the step's words stand beside it, and what lies right of it stays hidden.
        if (m_at) m_window->context()->setPlayhead(std::min(*m_at, limit));
        settle();
    };
    connect(m_window->context(), &views::ViewContext::playheadChanged, this, look);
    look();
}

void Screenshot::arrive(Nanos t) {
    m_at = t;
    // A little more than what is shown, so that bars do not end at the playhead.
    if (session::Session* const session = m_window->context()->session())
        session->advanceTo(std::min(t + 6s, std::max(t, session->planned())));
    check();
}

void Screenshot::check() {
    const session::Session* const session = m_window->context()->session();
    if (!m_at || m_settling || !session) return;
    const Nanos wanted = std::min(*m_at + 6s, std::max(*m_at, session->planned()));
    if (m_window->context()->trace()->reached() < wanted) return;
    const auto* const recording = qobject_cast<session::RecordingSession*>(m_window->session());
    // It is shown as it ended once it is read; its alerts come soon after, and the picture shows them.
    if (recording && (recording->isLoading() || recording->isFindingAlerts())) return;
    m_settling = true;
    m_window->player()->pause();
    m_window->context()->setPlayhead(*m_at);
    Q_EMIT m_window->context()->revealRequested(*m_at, trace::kNoEntity);
    settle();
}

void Screenshot::settle() {
    QTimer::singleShot(kSettleMs, this, [this] {
        const auto tables = m_window->findChildren<views::FailureTable*>();
        if (std::ranges::any_of(tables, &views::FailureTable::isComputing)) return settle(); // its cells are played
        const auto isCounting = [](const views::StatisticsPanel* panel) {
            return panel->isVisible() && !panel->model()->isComplete();
        };
        if (std::ranges::any_of(m_window->findChildren<views::StatisticsPanel*>(), isCounting)) return settle();
        Q_EMIT taken(pictureOf(m_window));
    });
}

} // namespace lockscope::app
