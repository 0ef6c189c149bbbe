// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_rule.h"
#include "inspect/lock_report.h"
#include "inspect/renewal_pace.h"

#include <functional>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

namespace lockscope::inspect {

/// A rule that has begun to be true of a lock, or is over.
struct Alert {
    enum class State : std::uint8_t { Raised, Over };
    State state = State::Raised;
    AlertRule rule;
    QByteArray lock;      ///< empty: of the server
    QString sentence;     ///< Raised: the state of things and why it matters; ends with a full stop
    QString advice;       ///< Raised: what to do, a sentence
    Nanos since{};        ///< when it began to be so, on the clock of LockReport::at: of a deadlock, when it closed
    bool atLeast = false; ///< … or before: nobody looked then
};

/// A renewal of a hold that did not come, by the pace of those before it.
struct LateRenewal {
    enum class What : std::uint8_t {
        Missed,  ///< one was due
        Stopped, ///< two were, or the hold has ended meanwhile; the first one was told before, if it could be
    };
    What what = What::Missed;
    QByteArray lock;
    Party holder;
    Nanos last{}, due{};                                   ///< the last one; when the next one was due at the latest
    Nanos pace{}, shortest{};                              ///< the longest and the shortest time between two of them
    trace::RenewalsEnd why = trace::RenewalsEnd::NotKnown; ///< of Stopped
};

/// Alerts that a person does not want to hear of for a while.
struct AlertMute {
    std::optional<AlertRule::Kind> rule; ///< missing: any rule
    std::optional<QByteArray> lock;      ///< missing: any lock, and the server
    std::int64_t untilWallMs = 0;        ///< in ms since 1970; 0: until it is taken back
    bool covers(AlertRule::Kind kind, const QByteArray& of, std::int64_t wallMs) const;
    friend bool operator==(const AlertMute&, const AlertMute&) = default;
};

/// The alerts that stand at an instant.
struct AlertBoard {
    std::vector<Alert> alerts; ///< the most severe first, of these the oldest; at most as many as were asked for
    std::size_t more = 0;      ///< alerts besides those
    std::size_t muted = 0;
};

/// How long a hold of a lock usually lasts, by the lock's name.
using UsualTimes = std::map<QByteArray, Nanos>;

/// Applies rules to the reports of one watcher. A time since something happened is counted from when the server says
/// that it happened, or else from when it was first seen: then the sentence says "at least". Guesses raise nothing.
class AlertWatch {
public:
    explicit AlertWatch(std::vector<AlertRule> rules) : m_rules(std::move(rules)) {}

    /// Deadlocks are looked for over several servers: `who` gives one text to all parties that are one client, on
    /// whichever of them (inspect::clientKey), and `where` is this server's name. For reports that come from now on.
    void joinClients(std::function<QByteArray(const Party&)> who, QString where);

    /// Other rules from now on. All knowledge of the locks stays; alerts of rules that are gone are over without a
    /// word.
    void setRules(std::vector<AlertRule> rules);
    const std::vector<AlertRule>& rules() const { return m_rules; }

    /// How long locks are usually held, by what was learned before; it goes before what the reports teach. A lock that
    /// is missing there has the median of the holds that were seen.
    void setUsual(UsualTimes byLock) { m_usual = std::move(byLock); }
    const UsualTimes& usual() const { return m_usual; }

    /// Takes note of a report; call it for each one. Returns the renewals that turn out to be late by it. A holder that
    /// renewed as it pleased is late by its own longest time and by how much its times differ.
    std::vector<LateRenewal> observe(const LockReport& report);
    /// Since when the server has not answered what it was asked (Watcher::unansweredSince()): a look that does not end
    /// makes no report. Call it before check().
    void setUnanswered(std::optional<Nanos> since) { m_unansweredSince = since; }
    /// How long nothing has been known of the server; 0: it answers.
    Nanos silentFor(Nanos now) const;
    enum class Rings : std::uint8_t {
        Own,   ///< deadlocks among the locks of this server
        Given, ///< those that the last findRings() has found
    };
    /// The alerts that begin or end now. `now`: the clock of LockReport::at. Call it after observe(), and now and then
    /// while nothing is reported, since time alone makes some of them true; a hold or a wait is counted to the last
    /// look only, because it may have ended since.
    std::vector<Alert> check(Nanos now, Rings rings = Rings::Own);
    /// Finds the deadlocks among the locks of several servers, whose clients were joined by joinClients().
    static void findRings(std::span<AlertWatch* const> watches);
    /// Deadlocks are asked for, and there was a report since they were looked for.
    bool ringsAreDue() const;
    /// How many are raised at present.
    std::size_t raised() const { return m_raised.size(); }
    /// The number of locks of which something is known, those that are gone included.
    std::size_t known() const { return m_locks.size(); }
    /// The alerts that check() has found to stand, with their sentences as of `now`.
    AlertBoard board(Nanos now, std::int64_t wallMs, const std::vector<AlertMute>& mutes, std::size_t most) const;

private:
    /// Since when something is so, by the clock of LockReport::at.
    struct Since {
        QByteArray who;
        Nanos at{};
        bool seenToBegin = false; ///< else it is so for at least that long
    };
    struct Renewals {
        RenewalPace pace;
        Nanos seenLate{};                     ///< the last one was seen so late at most
        bool missed = false, stopped = false; ///< that was told
        Nanos awaited = kNever;               ///< its entry among m_awaited
    };
    /// The latest holds that were seen from their beginning to their end.
    struct Usual {
        static constexpr std::size_t kFewest = 4; ///< of which a usual time can be told
        std::vector<Nanos> lengths;               ///< 16 at most; a new one takes the place of the oldest
        std::size_t next = 0;
        void note(Nanos length);
        /// The median; 0: too few are known.
        Nanos middle() const;
    };
    struct Waiting {
        QByteArray who;     ///< one text for each client
        QByteArray perhaps; ///< one text for all that may be one client: perhapsOf()
        QString name;
        Since since;
    };
    struct Ring {
        QString words;         ///< who waits for what; empty: the lock is part of no deadlock
        QString wayOut;        ///< what to do, sentences
        Nanos since{};         ///< when the last of its waiters came
        bool atLeast = false;  ///< … or before
        bool possible = false; ///< only if all that have one name are one client
    };
    struct RingSearch;
    /// A hand-over for which many clients were woken.
    struct Herd {
        Nanos at{};
        std::int64_t woken = 0; ///< 0: none so far
    };
    struct Lock {
        LockRow row; ///< without its content; of the waiters it has the one that waits for the longest time
        std::vector<Since> holders; ///< as in the row
        std::vector<Since> waiters; ///< the living ones, by their places in the queue; not all of many
        Renewals renewals;
        std::vector<Nanos> handOvers; ///< of the last minute; an empty one takes no room
        Usual usual;
        Herd herd;
        std::vector<Waiting> waiting; ///< those of the queue that wait for its holders; not all of many
        Ring ring;
        QByteArray deadHead; ///< the first entry of the queue, if nobody waits behind it; else empty
        std::optional<std::int64_t> highestToken;
        std::int64_t failedOverMs = 0; ///< when another server took over during this hold, in ms since 1970; 0: never
        bool tokenWentBack = false;
        std::uint64_t seenIn = 0; ///< the number of the last report that looked at it
        Nanos seenAt{};           ///< … and its instant
        bool gone = false;        ///< that was not the last one
        bool found = false;       ///< it was there before anybody looked, and no rule was applied to it yet
        bool permits = false;     ///< it has several
        bool canBeFreed = false;  ///< the format tells its holder from others, so that it can be freed by force
    };
    struct Words {
        QString sentence, advice;
    };
    using Key = std::pair<std::size_t, QByteArray>; ///< rule, lock
    /// `wasGuess`: until now it was not sure that it is a lock, and its holders were not watched.
    void observe(Lock& lock, const LockRow& row, const LockReport& report, bool wasGuess);
    /// The look did not show whether it is held.
    void notKnown(Lock& lock, const LockRow& row) const;
    /// Learns from a hold that has ended by `at`, and from the hand-over that this is.
    static void noteEnd(Lock& lock, const std::vector<Since>& holdersNow, Nanos at);
    void noteGone(const QByteArray& name, Lock& lock, Nanos at);
    void noteRenewal(Lock& lock, const LockRow& now, const LockReport& report);
    /// Notes that the hold is over, and with it the wait for its next renewal.
    void endRenewals(Lock& lock, Nanos at);
    void await(const QByteArray& name, Lock& lock, Nanos due);
    void findLateRenewals(Nanos knownUntil);
    /// The server was out of sight between these instants.
    void excuseRenewals(Nanos lostSight, Nanos backAt);
    LateRenewal lateRenewal(LateRenewal::What what, const Lock& lock) const;
    /// The one that waits for the longest time; nullptr: none is named.
    static const Since* longestWaiter(const std::vector<Since>& waiters);
    /// How long this lock is usually held; 0: too little is known.
    Nanos usualOf(const Lock& lock) const;
    /// How many hand-overs of the server's locks there were a second, within the minute before the last check().
    std::int64_t handOversASecond() const;
    /// How many locks there were at the last look.
    std::int64_t locksSeen() const;
    /// Whether a rule is true of the server at `now`.
    bool isSoOfServer(const AlertRule& rule, Nanos now) const;
    /// Whether a rule is true of a lock at `now`.
    /// How far into the past of `now` what was seen to last is known to have lasted.
    Nanos seenUntil(Nanos now) const;
    bool isSo(const AlertRule& rule, const Lock& lock, Nanos now) const;
    /// Whether a rule that turns out to be true of a lock may have been so for longer.
    static bool wasSoPerhaps(const AlertRule& rule, const Lock& lock);
    /// The words for a rule that is true of a lock.
    Words wordsOf(const AlertRule& rule, const Lock& lock, Nanos now) const;
    /// One text for all parties that may be one client: m_who without the thread, where that tells of a process of its
    /// own.
    QByteArray perhapsOf(const Party& party) const;
    void notePart(const LockReport& report);
    void forget();
    struct Begun {
        Nanos since{};
        bool atLeast = false;
    };
    Alert alertOf(const Key& key, Begun begun, Nanos now) const;

    std::vector<AlertRule> m_rules;
    UsualTimes m_usual;
    std::function<QByteArray(const Party&)> m_who = identityOf;
    QString m_where; ///< empty: the only server
    std::map<QByteArray, Lock> m_locks;
    std::map<Key, Begun> m_raised;
    std::uint64_t m_looks = 0;   ///< reports so far that could be read
    std::uint64_t m_ringsOf = 0; ///< how many of them the rings were looked for in
    std::optional<Nanos> m_troubleSince, m_unansweredSince;
    QString m_trouble;
    std::optional<Nanos> m_partSince; ///< since when some of its servers cannot be read, while others can
    QString m_partTrouble;            ///< … why one of them cannot
    std::int64_t m_partAway = 0, m_partOf = 0;
    bool m_sawLocks = false; ///< there was one at some time
    struct Awaited {
        Nanos due;
        QByteArray lock;
    };
    std::vector<Awaited> m_awaited;  ///< renewals to come, a heap with the next one first
    std::vector<LateRenewal> m_late; ///< of this report
    bool m_hears = false;            ///< the server tells of changes besides the looks
    Nanos m_knownUntil{};            ///< what happened to locks until then was seen
    bool m_blind = false;            ///< since then there was trouble
    QByteArray m_backend;            ///< of the locks: "zookeeper"
    QByteArray m_evictsBy; ///< the policy by which the server drops keys for lack of memory; empty: it does not
    std::unordered_set<QByteArray> m_guesses; ///< keys that may be locks: as long as that, they were there unseen
    bool m_first = true;                      ///< nothing was seen before: what is there may be old
};

} // namespace lockscope::inspect
