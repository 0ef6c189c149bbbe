// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lesson/goal.h"
#include "lessons/scene_runs.h"
#include "models/view_context.h"
#include "transport/player.h"

namespace lockscope::views {

/// How far a person has come in one lesson.
struct LessonProgress {
    int step = 0;            ///< the furthest one seen, from 0
    bool done = false;       ///< seen to its end
    bool solved = false;     ///< its task was done without seeing how
    std::map<int, int> bets; ///< the choice, from 0, of each step with a locked bet
    std::optional<bool> old; ///< whether the bet of an earlier lesson that it began with was right; missing: none made
    friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};

/// Leads a person through one lesson: plays the run up to where a step stops, takes bets, and looks whether a task is
/// done. It drives the player and the spotlight; it asks for the worlds that it needs, and others show what it says.
class LessonGuide : public QObject {
    Q_OBJECT
public:
    enum class Phase : std::uint8_t {
        Off,
        Step, ///< narration and the run up to its stop
        Turn, ///< the person's own task
        End,  ///< what to remember, and the score
        Away, ///< the person has left into free play; comeBack() goes on
    };
    enum class Arrival : std::uint8_t { Play, AtOnce };

    LessonGuide(ViewContext* context, Player* player, QObject* parent = nullptr);

    /// Begins a lesson at a step, from 0, the task being the step after the last. The error is a sentence.
    std::expected<void, QString> open(const QString& id, int step = 0, Arrival arrival = Arrival::Play);
    /// As above, a lesson that stands in no file, such as one that is being written.
    std::expected<void, QString> open(lesson::Lesson lesson, int step, Arrival arrival = Arrival::Play);
    /// Begins with the bet of another lesson, lesson::oldBet(), and asks for the lesson `next` when that is answered.
    std::expected<void, QString> openWithOldBet(lesson::Lesson bet, const QString& of, const QString& next);
    /// As it stands, to be taken up again by restore() in another window that shows the same session.
    struct Place {
        QString id;
        int step = 0;
        Phase phase = Phase::Off;
        LessonProgress progress;
        std::optional<int> chosen;
        QString scene; ///< whose world the window shows
        std::optional<lesson::Lesson> lesson;
        QString oldBetOf, next; ///< as openWithOldBet() has them; empty: it is no old bet
    };
    Place place() const;
    void restore(const Place& place);
    /// The language of the texts, such as "zh_CN".
    void setLanguage(const QString& language);
    const QString& language() const { return m_language; }
    void setProgress(const QString& id, LessonProgress progress) { m_progress[id] = std::move(progress); }

    Phase phase() const { return m_phase; }
    bool isOn() const { return m_phase != Phase::Off; }
    /// Null when off.
    const lesson::Lesson* lesson() const { return m_lesson ? &*m_lesson : nullptr; }
    /// Whether this is the bet of an earlier lesson, before another one begins.
    bool asksOldBet() const { return !m_oldBetOf.isEmpty(); }
    /// Whether it is about to show another world in place of this one, which is its own.
    bool replaces(const session::Session* world) const { return m_entering && m_world == world; }
    int step() const { return m_step; }
    int steps() const { return m_lesson ? int(m_lesson->steps.size()) + (m_lesson->turn ? 1 : 0) : 0; }
    /// Whether the run has come to where the step stops.
    bool arrived() const;

    QString title() const;
    /// Its place in the course, in words: "Lesson 3 of 17", or "First a bet from lesson 2".
    QString number() const;
    /// The narration, or the task.
    QString narration() const;
    QString remember() const;
    /// Any of the lesson's texts that names nothing of a run.
    QString textOf(const lesson::Texts& texts) const { return texts.in(m_language); }
    /// Empty: the step asks nothing.
    QString question() const;
    QStringList choices() const;
    /// The choice marked, or locked, in this step, from 0.
    std::optional<int> chosen() const;
    bool locked() const;
    /// The bet of the step before, once this step has played its answer.
    struct Result {
        QString bet;    ///< empty: no bet was made
        QString answer; ///< by the run
        bool right = false;
    };
    std::optional<Result> result() const;
    /// The bet in words for where its answer will come: from when it is made to the end of the step that answers it.
    struct Bet {
        QString words{};             ///< empty: none
        QString brief{};             ///< the same without the choice, for where it does not fit
        std::optional<bool> right{}; ///< missing: the run has not answered yet
    };
    Bet bet() const;
    /// Bets that were right, of those made so far.
    std::pair<int, int> score() const;
    /// The hands that were counted for each choice of this step; empty: none were counted.
    std::vector<int> hands() const;
    bool goalReached() const { return m_goalReached; }
    /// The parts of the task that are asked for, and each of its rules that was broken. Empty outside of a task.
    std::vector<lesson::GoalPart> goal() const;
    /// Whether something was done that the task does not allow: only startAgain() helps.
    bool isLost() const;
    /// Whether there is a run of one's own to throw away.
    bool canStartAgain() const;
    bool hasHint() const;
    /// Empty until askForHint().
    QString hint() const;
    /// Whether the task's run is a way to do it, and not the learner's own.
    bool showsSolution() const { return m_solution; }
    /// Whether the lesson's task was done, now or another time; a lesson without one has nothing open.
    bool solved() const;
    /// Two runs of the lesson that differ in one thing, the step's own being the second.
    struct Pair {
        scenario::Scenario first;
        quint64 seed = 1;
        QString difference; ///< "deadline=honoured"
    };
    /// The run of an earlier step beside that of this one, where the run has answered the step's bets; nullopt: there
    /// is no such pair.
    std::optional<Pair> pair() const;
    /// A number that the step's words speak of, such as "961" and "requests for each grant".
    struct Number {
        QString value, words;
        friend bool operator==(const Number&, const Number&) = default;
    };
    /// The counted ones, once the run has come to where the step stops.
    std::vector<Number> numbers() const;
    /// The step's places to look at, in words, for a reader who does not see the picture.
    QString where() const;
    /// The step's table; null: it has none, or the run has not come to where it stops.
    const lesson::Table* table() const;
    /// The panel that the step's words speak of.
    lesson::Look::Panel panel() const;
    /// The recipe's steps that they speak of, from 1.
    std::vector<int> protocol() const;

public Q_SLOTS:
    /// Goes on: plays to the stop, asks for the bet, then the next step.
    void goOn();
    /// The next step, whatever is left of this one.
    void skip();
    void back();
    void choose(int choice);
    void lock();
    /// Counts one hand of a class for a choice, from 0; without effect where nothing is asked.
    void countHand(int choice);
    /// Takes the last counted hand of this step back.
    void takeHandBack();
    /// Tells the task's hint.
    void askForHint();
    /// The task from its start, without anything that was done.
    void startAgain();
    /// Plays one way to do the task. It does not count as the learner's.
    void showSolution();
    /// Into free play with the lesson's world as it is; the place is kept.
    void leave();
    void comeBack();
    void close();

Q_SIGNALS:
    void changed();
    /// The window shall show this world, standing still at its start.
    void worldWanted(const lockscope::scenario::Scenario& scenario, quint64 seed);
    void progressed(QString id, lockscope::views::LessonProgress progress);
    /// The old bet is answered: the lesson that it stood before shall begin.
    void lessonWanted(QString id);
    /// goOn() needs a bet first.
    void betMissing();

private:
    /// Whether all of a lesson's scenes must play, or the one that is wanted first: a built-in lesson's others do.
    enum class Proof : std::uint8_t { All, First };
    std::expected<void, QString> open(lesson::Lesson lesson, int step, Arrival arrival, Proof proof);
    std::expected<void, QString> load(lesson::Lesson lesson, int step, Proof proof);
    void begin(int step, Arrival arrival);
    void beginNext();
    const lesson::Step* current() const;
    const lesson::Facts* facts() const;
    QString filled(const lesson::Texts& texts) const;
    Nanos stopOf(int step) const;
    Nanos startOf(int step) const;
    void go(int step, Arrival arrival);
    void enter(const QString& scene);
    void beginTurn();
    void finish();
    void light();
    void holdBack();
    void playheadMoved();
    void lookAtGoal();
    void beginAttempt();
    void keep();
    std::optional<int> answerOf(int step) const;
    std::vector<Number> nodesInQueue() const;

    ViewContext* m_context;
    Player* m_player;
    QString m_language;
    std::optional<lesson::Lesson> m_lesson;
    QString m_oldBetOf, m_next; ///< as in Place
    SceneRuns m_runs;
    std::map<QString, LessonProgress> m_progress;
    Phase m_phase = Phase::Off;
    int m_step = 0;
    QString m_scene;                         ///< the one whose world is shown
    QPointer<session::Session> m_world;      ///< the session that shows it
    std::map<int, std::vector<int>> m_hands; ///< by step: the choices of the hands, in the order of counting
    bool m_entering = false;
    std::optional<int> m_chosen;
    std::optional<Nanos> m_playFrom;      ///< the playhead is on its way there
    std::vector<lesson::GoalPart> m_goal; ///< all parts, as they stood when the run was last asked
    bool m_goalReached = false;
    bool m_hint = false, m_solution = false;
    bool m_arrivedBefore = false;
    QTimer m_goalPace;
};

} // namespace lockscope::views
