// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QBasicTimer>
#include <QElapsedTimer>

namespace lockscope::views {

/// Drives the playhead: real time × speed, once a frame. The world is asked to compute a little past the shown instant,
/// so that a picture never waits for it. Each session begins at the normal speed, whatever the one before was watched
/// at. In a live session time goes by itself: playing means following "now". Carries out the views'
/// ViewContext::seek().
class Player : public QObject {
    Q_OBJECT
public:
    static constexpr double kSlowest = 0.01, kNormal = 1, kFastest = 1000;

    explicit Player(ViewContext* context, QObject* parent = nullptr);

    bool isPlaying() const { return m_playing; }
    double speed() const { return m_speed; }
    /// The last instant that the playhead can be taken to: the limit, the plan's end, or how far time has come.
    Nanos end() const;
    /// Time stops at this instant, and a session that can be computed is computed no further; nothing: no limit.
    /// Another session begins without one.
    void setLimit(std::optional<Nanos> limit) { m_limit = limit; }
    std::optional<Nanos> limit() const { return m_limit; }

public Q_SLOTS:
    void play();
    void pause();
    void toggle();
    /// Clamped to [kSlowest, kFastest]. Without effect in a live session.
    void setSpeed(double speed);
    /// Goes there and, in a live session, stops following. Clamped to [0, end()]. The picture follows as the world
    /// comes. Ends a search.
    void seek(lockscope::Nanos t);
    void toStart();
    /// To the end of the run so far; a live session is followed again.
    void toEnd();
    /// Runs to the next milestone and pauses there.
    void next(lockscope::session::Milestone milestone);
    /// Goes back to the last milestone before the playhead; over a long trace, a slice at a time.
    void previous(lockscope::session::Milestone milestone);
    /// From the start with this seed, playing if it was playing or at its end.
    void restart(std::uint64_t seed, lockscope::session::ByHand byHand);

Q_SIGNALS:
    void playingChanged(bool playing);
    void speedChanged(double speed);
    /// After restart().
    void restarted(lockscope::session::ByHand byHand);
    /// A search found nothing: a sentence.
    void nothingFound(QString message);
    /// ms between the last two frames while playing.
    void frame(double ms);

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    void attach();
    void setPlaying(bool playing);
    void tick();
    bool isLive() const;
    void searchBack();
    void endSearches();
    void foundBefore(session::Milestone milestone, std::optional<Nanos> at);

    ViewContext* m_context;
    QPointer<session::Session> m_session;
    QBasicTimer m_timer;
    QElapsedTimer m_clock;
    double m_speed = kNormal;
    double m_carry = 0; ///< the part of a nanosecond lost by rounding: at 0.01× it would add up
    std::optional<Nanos> m_limit;
    std::optional<Nanos> m_seek; ///< wanted, but the world is not there yet
    std::optional<session::Milestone> m_searching;
    /// A search back: rows before this one were not looked at.
    struct Back {
        session::Milestone milestone;
        std::size_t row;
    };
    std::optional<Back> m_back;
    QBasicTimer m_slices; ///< runs while a search back goes on
    bool m_playing = false;
};

/// The sentence for "there is none" from here up to `upTo`, which has been looked through.
QString nothingAheadText(const trace::Trace& trace, session::Milestone milestone, Nanos upTo);
/// The sentence for "there is none" before this.
QString nothingBeforeText(session::Milestone milestone);

} // namespace lockscope::views
