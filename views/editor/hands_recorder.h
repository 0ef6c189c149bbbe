// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "transport/player.h"

namespace lockscope::views {

/// Writes down what a teacher does with a simulation, as a lesson: each fault and each change of a setting, each stop
/// of the playhead, each change of speed and each note becomes a step at its instant. Faults and changes are part of
/// the lesson's scene, so that it runs as it ran. The narration is left empty, but for the notes.
class HandsRecorder : public QObject {
    Q_OBJECT
public:
    HandsRecorder(ViewContext* context, Player* player, QObject* parent = nullptr);

    bool isOn() const { return m_on; }
    /// How many steps it would make now.
    int steps() const { return int(marks().size()); }
    /// Begins with the session in sight. The error is a sentence.
    std::expected<void, QString> start();
    /// Something to be said at the playhead.
    void note(const QString& text);
    /// Ends it without a lesson.
    void abandon();

    /// The run that something was noted in: another seed, or another recipe from the start on, makes another one.
    struct Run {
        std::uint64_t seed = 0;
        QString recipe;
        friend bool operator==(const Run&, const Run&) = default;
    };
    struct Mark {
        Nanos at{};
        double speed = 1; ///< that the run came here with
        QStringList notes{};
        Run run{};
    };
    /// The speed of playing from an instant on.
    struct Pace {
        Nanos from{};
        double speed = 1;
        Run run{};
    };
    /// A recording that is over: all that its lesson is made of (editor/hands_lesson.h).
    struct Taken {
        scenario::Scenario scenario;
        std::uint64_t seed = 0;
        std::vector<Mark> steps; ///< one at least
    };
    /// Ends it. Nullopt: it is not on.
    std::optional<Taken> take();
    /// Marks of one instant become one, with the notes of all. Precondition: they are in order.
    static void joinEqual(std::vector<Mark>& marks);

    /// A recording as it stands, to go on in another window with the same session.
    struct Kept {
        std::vector<scenario::Fault> before;
        std::vector<Mark> marks;
        std::vector<Pace> paces;
    };
    /// Nullopt: it is not on.
    std::optional<Kept> kept() const;
    /// Precondition: the session that was recorded is in sight.
    void resume(Kept kept);

Q_SIGNALS:
    void changed();
    /// Another session is in sight: take() gives the recording now, or never.
    void lost();

private:
    /// The steps that it becomes: one for each instant of the run in sight, in order.
    std::vector<Mark> marks() const;
    void mark(const QString& note = {});
    double speedAt(Nanos at) const;
    Run run() const;
    /// The player's speed from here on.
    void notePace(Nanos from);

    ViewContext* m_context;
    Player* m_player;
    QPointer<session::Session> m_session;
    bool m_on = false;
    std::vector<scenario::Fault> m_before; ///< done by hand before it began
    std::vector<Mark> m_marks;             ///< stops, changes of speed and notes, as they came
    std::vector<Pace> m_paces;
};

} // namespace lockscope::views
