// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/player.h"

#include "theme/format.h"

#include <QTimerEvent>
#include <cmath>

namespace lockscope::views {
namespace {

using session::Milestone;
constexpr int kFrameMs = 16;
/// How much of the near future the world is asked for, in real time: more than a frame, so that a picture never waits
/// for it. It is not shown before its time (ViewContext::unseenFrom()).
constexpr double kAheadNs = 25e6;
/// After a stall (a dialogue, a suspended laptop) play goes on from where it was instead of leaping.
constexpr qint64 kLongestFrameNs = 250'000'000;
/// Rows that a search back looks at before the window has its turn: a few milliseconds.
constexpr std::size_t kSliceRows = 262'144;

} // namespace

QString nothingAheadText(const trace::Trace& trace, Milestone milestone, Nanos upTo) {
    const QString end = instant(trace, upTo);
    switch (milestone) {
    case Milestone::Event:
        return Player::tr("No event from here up to %1.").arg(end);
    case Milestone::Acquisition:
        return Player::tr("The lock is not granted again up to %1.").arg(end);
    case Milestone::Fault:
        return Player::tr("No fault from here up to %1.").arg(end);
    case Milestone::Violation:
        return Player::tr("No violation from here up to %1.").arg(end);
    }
    return {};
}

QString nothingBeforeText(Milestone milestone) {
    switch (milestone) {
    case Milestone::Event:
        return Player::tr("No earlier event.");
    case Milestone::Acquisition:
        return Player::tr("The lock was not granted before this.");
    case Milestone::Fault:
        return Player::tr("No earlier fault.");
    case Milestone::Violation:
        return Player::tr("No earlier violation.");
    }
    return {};
}

Player::Player(ViewContext* context, QObject* parent) : QObject(parent), m_context(context) {
    connect(context, &ViewContext::sessionChanged, this, &Player::attach);
    connect(context, &ViewContext::seekRequested, this, &Player::seek);
    connect(context, &ViewContext::restartRequested, this, [this](session::ByHand byHand) {
        if (const session::Session* open = m_session.data()) restart(open->seed(), byHand);
    });
    attach();
}

void Player::attach() {
    if (m_session == m_context->session()) {
        // Only the trace changed, not the session: a seek or a search in the old trace is void.
        m_seek.reset();
        endSearches();
        return;
    }
    if (m_session) m_session->disconnect(this);
    session::Session* const session = m_context->session();
    m_session = session;
    m_limit.reset();
    m_seek.reset();
    endSearches();
    setPlaying(false);
    if (!session) return;
    setSpeed(kNormal);
    connect(session, &session::Session::milestoneReached, this, [this](bool found, Nanos at) {
        if (!m_searching) return;
        const Milestone milestone = *m_searching;
        m_searching.reset();
        // The time searched through is seen when the playhead comes there.
        m_context->setLookAhead(m_context->trace()->reached());
        if (found) {
            seek(at);
            Q_EMIT m_context->revealRequested(at, trace::kNoEntity);
        } else {
            Q_EMIT nothingFound(nothingAheadText(*m_context->trace(), milestone, at));
        }
    });
    connect(session, &session::Session::advanced, this, [this] {
        if (m_seek) seek(*m_seek);
    });
    if (isLive()) play();
}

bool Player::isLive() const {
    return m_session && m_session->abilities().live;
}

Nanos Player::end() const {
    const session::Session* open = m_session.data();
    if (!open) return Nanos(0);
    const Nanos reached = m_context->trace()->reached();
    if (open->abilities().live) return reached;
    const Nanos all = std::max(open->planned(), reached);
    return m_limit ? std::min(*m_limit, all) : all;
}

void Player::setPlaying(bool playing) {
    if (playing == m_playing) return;
    m_playing = playing;
    if (playing) {
        m_clock.start();
        m_carry = 0;
        m_timer.start(kFrameMs, Qt::PreciseTimer, this);
    } else {
        m_timer.stop();
    }
    Q_EMIT playingChanged(playing);
}

void Player::play() {
    if (!m_session) return;
    endSearches();
    if (m_limit && m_context->playhead() >= end()) return; // it is the limit's owner who says how it goes on
    // Play at the very end starts over, as every player does.
    if (!isLive() && end() > Nanos(0) && m_context->playhead() >= end()) m_context->setPlayhead(Nanos(0));
    m_seek.reset();
    setPlaying(true);
}

void Player::pause() {
    setPlaying(false);
}

void Player::toggle() {
    m_playing ? pause() : play();
}

void Player::setSpeed(double speed) {
    speed = std::clamp(speed, kSlowest, kFastest);
    if (qFuzzyCompare(speed, m_speed)) return;
    m_speed = speed;
    Q_EMIT speedChanged(speed);
}

void Player::seek(Nanos t) {
    session::Session* const session = m_session;
    if (!session) return;
    endSearches(); // who goes somewhere waits for it no more
    t = std::clamp(t, Nanos(0), std::max(Nanos(0), end()));
    if (isLive() && t < end()) pause();
    const Nanos reached = m_context->trace()->reached();
    if (t > reached && !isLive()) {
        m_seek = t;
        session->advanceTo(t);
        // Read once, as the trace may grow meanwhile: else it could have come to t after the playhead was set below it.
        const Nanos now = m_context->trace()->reached();
        if (now >= t) m_seek.reset();
        m_context->setPlayhead(std::min(t, now));
        return;
    }
    m_seek.reset();
    m_context->setPlayhead(t);
}

void Player::toStart() {
    if (isLive()) pause();
    seek(Nanos(0));
    Q_EMIT m_context->revealRequested(Nanos(0), trace::kNoEntity);
}

void Player::toEnd() {
    if (!m_session) return;
    if (isLive()) {
        play();
    } else {
        // A plan may be long: End is where the story has got to; only a second press runs the rest of the plan.
        const Nanos reached = m_context->trace()->reached();
        seek(m_context->playhead() < reached ? reached : end());
    }
    Q_EMIT m_context->revealRequested(m_context->playhead(), trace::kNoEntity);
}

void Player::next(Milestone milestone) {
    session::Session* const session = m_session;
    if (!session) return;
    pause();
    m_seek.reset();
    endSearches();
    m_searching = milestone;
    m_context->setLookAhead(Nanos::max());
    session->advanceToNext(milestone, m_context->playhead());
}

void Player::previous(Milestone milestone) {
    if (!m_session) return;
    pause();
    endSearches();
    const Nanos t = m_context->playhead();
    if (milestone == Milestone::Violation) {
        std::optional<Nanos> found;
        for (const verdict::Violation& violation : m_context->verdict()->violations)
            if (violation.from < t) found = violation.from;
        foundBefore(milestone, found);
        return;
    }
    m_back = Back{milestone, m_context->trace()->lowerBound(t)};
    searchBack();
}

void Player::searchBack() {
    const std::shared_ptr<const trace::Trace> trace = m_context->trace();
    const std::size_t last = m_back->row > kSliceRows ? m_back->row - kSliceRows : 0;
    while (m_back->row > last) {
        const trace::Event event = trace->at(--m_back->row);
        if (session::isMilestone(m_back->milestone, event)) return foundBefore(m_back->milestone, event.time());
    }
    if (last == 0)
        foundBefore(m_back->milestone, std::nullopt);
    else if (!m_slices.isActive())
        m_slices.start(0, this);
}

void Player::foundBefore(Milestone milestone, std::optional<Nanos> at) {
    endSearches();
    if (at) {
        seek(*at);
        Q_EMIT m_context->revealRequested(*at, trace::kNoEntity);
    } else {
        Q_EMIT nothingFound(nothingBeforeText(milestone));
    }
}

void Player::endSearches() {
    m_searching.reset();
    m_back.reset();
    m_slices.stop();
}

void Player::restart(std::uint64_t seed, session::ByHand byHand) {
    session::Session* const session = m_session;
    if (!session || !session->abilities().restart) return;
    const bool atEnd = m_context->playhead() >= end();
    const bool resume = m_playing || atEnd;
    pause();
    m_seek.reset();
    endSearches();
    session->restart(seed, byHand);
    m_context->setPlayhead(Nanos(0));
    Q_EMIT restarted(byHand);
    if (resume) play();
}

void Player::timerEvent(QTimerEvent* event) {
    if (event->timerId() == m_timer.timerId())
        tick();
    else if (event->timerId() == m_slices.timerId())
        searchBack();
    else
        QObject::timerEvent(event);
}

void Player::tick() {
    session::Session* const session = m_session;
    if (!session) return setPlaying(false);
    const qint64 elapsed = m_clock.nsecsElapsed();
    m_clock.start();
    Q_EMIT frame(double(elapsed) / 1e6);
    const Nanos reached = m_context->trace()->reached();
    if (isLive()) {
        m_context->setPlayhead(reached);
        return;
    }
    if (m_context->playhead() > end()) {
        // Its trace was replaced beyond the plan's end: the new one comes here first, and its time goes on from here.
        session->advanceTo(m_context->playhead());
        return;
    }
    const double step = double(std::min(elapsed, kLongestFrameNs)) * m_speed + m_carry;
    const auto whole = std::int64_t(std::floor(step));
    m_carry = step - double(whole);
    const Nanos wanted = std::min(m_context->playhead() + Nanos(whole), end());
    const Nanos ahead = wanted + Nanos(std::int64_t(kAheadNs * m_speed));
    if (ahead > reached && reached < end()) {
        m_context->setLookAhead(std::min(ahead, end()));
        session->advanceTo(std::min(ahead, end()));
    }
    // A world that is slower than the speed asked for sets the pace.
    m_context->setPlayhead(std::min(wanted, std::max(m_context->trace()->reached(), m_context->playhead())));
    if (m_context->playhead() >= end()) setPlaying(false);
}

} // namespace lockscope::views
