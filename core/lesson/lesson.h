// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "trace/event.h"
#include "verdict/verdict.h"

#include <QJsonObject>

namespace lockscope::lesson {

/// One text in every language: "en" and "zh_CN" are always there.
struct Texts {
    std::map<QString, QString> byLanguage;
    /// The text of that language, else the English one.
    QString in(const QString& language) const;
    bool isEmpty() const { return byLanguage.empty(); }
    friend bool operator==(const Texts&, const Texts&) = default;
};

/// An instant of a run, as lessons write it: "6.4s", "here" (where the step stops), "end", a moment's id, or one of
/// these with a time added or taken away: "wake+300ms".
struct Instant {
    enum class Base : std::uint8_t { Start, Here, End, Moment };
    Base base = Base::Start;
    QString moment{}; ///< the id, with Base::Moment
    Nanos offset{};
    friend bool operator==(const Instant&, const Instant&) = default;
};

/// An event of a run that gets a name, so that texts, stops and claims need not know when it happens.
struct Moment {
    QString id;
    /// The kind of row; None: the beginning of a violation of `invariant`.
    trace::EventKind on = trace::EventKind::None;
    verdict::Invariant invariant = verdict::Invariant::MutualExclusion;
    int nth = 1;   ///< counted over the rows that fit, from 1
    QString since; ///< sought after this moment; empty: after the moment before it in the list
    Nanos later{}; ///< sought not before this much after that moment
    /// Names of clients. A name that is bound already must be the row's; one that is new is bound to it.
    QString who;    ///< the row's actor: the client, or the client of the thread
    QString owner;  ///< with record-freed: whose entry went
    int step = 0;   ///< with step: the recipe's step, from 1; 0 = any
    QString server; ///< the row's server, by its id; empty: any
    friend bool operator==(const Moment&, const Moment&) = default;
};

/// A question to a run, answered from its trace, its verdict, and what was done by hand.
struct Fact {
    enum class Kind : std::uint8_t {
        Owner,               ///< the client in the record `at`
        CopyOwner,           ///< the client in the copy on `server`, `at`
        CopiesOf,            ///< on how many servers the copy names `who`, `at`
        Believers,           ///< the clients that believe that they hold the lock, `at`
        MostBelievers,       ///< the largest number of them between `from` and `to`
        Waiters,             ///< the clients that wait for the lock, `at`
        TimeLeft,            ///< of the lease in the record, `at`; "never" without an end; 0s when it is free
        Accepted,            ///< writes of `who` accepted between `from` and `to`
        Refused,             ///< writes of `who` refused between `from` and `to`
        Count,               ///< rows of kind `on`, of `who` if named, between `from` and `to`
        Gap,                 ///< from `from` to the first grant after it; "never": there is none
        Span,                ///< from `from` to `to`
        At,                  ///< the instant `at`
        Violated,            ///< whether `invariant` was violated between `from` and `to`
        Token,               ///< the fencing token of `who`, `at`; 0: none
        Lease,               ///< the lease of the settings in force, `at`
        LongestDisagreement, ///< the longest time in which somebody believed without record or the reverse
        LongestSuspension,   ///< the longest time for which a holder was suspended before it was renewed
        RequestsPerGrant,    ///< requests of all clients for each grant, between `from` and `to`; rounded down
        ByHand,              ///< how many things were done by hand: of kind `action`, and to `target`, where named
    };
    /// The victim of something done by hand.
    enum class Target : std::uint8_t { Any, Client, Server, Setting };

    Kind kind = Kind::Owner;
    Instant at{.base = Instant::Base::Here}, from, to{.base = Instant::Base::Here};
    QString who, server;
    QString notTo; ///< with push: only messages to other clients than this one
    QString lock;  ///< its name; empty: the first lock
    verdict::Invariant invariant = verdict::Invariant::MutualExclusion;
    trace::EventKind on = trace::EventKind::None;
    std::optional<scenario::Action> action;
    Target target = Target::Any;
    QString setting;      ///< by hand: only changes of this setting, such as "lease"; empty: of any
    QString otherSetting; ///< by hand: only changes of other settings than this one; empty: of any
    friend bool operator==(const Fact&, const Fact&) = default;
};

/// The id of a kind of fact in lessons: "owner", "most-believers", ….
QByteArray factId(Fact::Kind kind);
/// Whether the value is a length of time, and not a number, a truth or a set of clients.
bool isTime(Fact::Kind kind);
/// Whether the value is a set of clients.
bool isClients(Fact::Kind kind);

/// A statement about a run that is true or not.
struct Condition {
    enum class Test : std::uint8_t { Is, IsNot, AtLeast, AtMost, Includes };
    Fact fact;
    Test test = Test::Is;
    std::int64_t number = 0; ///< a count, a truth (0 or 1), or ns; INT64_MAX: never
    QStringList clients;     ///< names bound by moments, or of clients; "nobody" is the empty set
    friend bool operator==(const Condition&, const Condition&) = default;
};

/// A world of a lesson: a scenario with a fixed seed, and the names of what happens in it.
struct Scene {
    QString id;
    QString scenario;   ///< a built-in one
    QJsonObject change; ///< fields of its file that are other here; a field of null goes away
    QString recipe;     ///< empty: the scenario's
    std::uint64_t seed = 1;
    std::vector<Moment> moments;
    std::map<QString, Fact> values; ///< more names for texts
    friend bool operator==(const Scene&, const Scene&) = default;
};

/// Where to look: the rest of the timeline is dimmed.
struct Look {
    /// A panel beside the timeline that the words speak of.
    enum class Panel : std::uint8_t { None, Waits, Verdict, Statistics, Cluster, Queue };
    QStringList lanes; ///< "belief" or "belief:H", as "session" and "clock"; "record", "effect", "server:redis-1",
                       ///< "copies"; empty: no spotlight
    Instant from, to{.base = Instant::Base::Here};
    Panel panel = Panel::None; ///< it is in sight while the step is shown
    std::vector<int> protocol; ///< the recipe's steps to look at, from 1
    friend bool operator==(const Look&, const Look&) = default;
};

/// The id of a panel in lessons: "waits", "verdict", …; of None: nothing.
QByteArray panelId(Look::Panel panel);

struct Choice {
    Texts text;
    std::vector<Condition> when; ///< all of them true of the run: this choice is right
    friend bool operator==(const Choice&, const Choice&) = default;
};

/// A bet: the learner chooses before the run goes on.
struct Question {
    Texts text;
    std::vector<Choice> choices;
    friend bool operator==(const Question&, const Question&) = default;
};

/// A table of recipes and failures: every cell is computed, see lesson_table.h.
struct Table {
    struct Column {
        Texts title;
        QStringList scenarios; ///< built-in ones: a recipe plays the first that it can begin with
        bool tokens = false;   ///< the resource checks fencing tokens; only recipes that give some play
        friend bool operator==(const Column&, const Column&) = default;
    };
    QStringList recipes; ///< one row each
    std::vector<Column> columns;
    friend bool operator==(const Table&, const Table&) = default;
};

struct Step {
    QString scene;
    std::optional<Instant> from; ///< where its scene is entered; nothing: where the step before stopped, or at 0
    Instant until;               ///< the run stops here
    std::optional<std::pair<Instant, Instant>> window; ///< the part of the time axis in sight; nothing: chosen
    double speed = 1;
    Texts say;
    Look look;
    std::optional<Question> ask;
    std::optional<Table> table;    ///< stands below the words
    std::vector<Condition> claims; ///< what the words say, checked against the run
    friend bool operator==(const Step&, const Step&) = default;
};

/// The last part of a lesson: the learner breaks or mends something, and the judge looks whether it was done.
struct Turn {
    QString scene;
    Texts task;
    Texts hint; ///< told to a learner who asks for help; empty: there is none
    std::vector<Condition> goal;
    QJsonObject solution; ///< a change of the scene that reaches the goal, for the test
    friend bool operator==(const Turn&, const Turn&) = default;
};

struct Source {
    Texts text;
    QString url; ///< empty: it is not on the web
    friend bool operator==(const Source&, const Source&) = default;
};

/// A scenario, or several, with narration.
struct Lesson {
    QString id;
    int order = 0; ///< its number in the course
    int minutes = 0;
    bool plain = false; ///< for people who know no word yet: no panels stand beside the picture
    Texts title, idea, remember;
    std::vector<Source> sources;
    std::vector<Scene> scenes;
    std::vector<Step> steps;
    std::optional<Turn> turn;
    QStringList aside; ///< built-in scenarios to look at after the lesson, in this order
    friend bool operator==(const Lesson&, const Lesson&) = default;

    /// The scene of that id; null: there is none.
    const Scene* scene(const QString& wanted) const;
};

} // namespace lockscope::lesson
