// SPDX-License-Identifier: Apache-2.0
// The duties of every recipe, on every kind of server that it runs on. The rows come from the table of recipes, and
// what is expected of each from its RecipeInfo: nothing here is said for one recipe alone, but for what no table tells
// (Oddity). The cells are the functions below; each is one sentence that is true of all rows.
#pragma once
#include "ground.h"
#include "inspect/lock_row.h"
#include "lock/distributed_condition.h"
#include "lock/recipe_choice.h"
#include "relay.h"

namespace lockscope::test {

using recipes::HeldBy;
using recipes::Mode;
using recipes::RecipeInfo;

/// Longer than anything takes, on a busy machine.
constexpr std::chrono::milliseconds kLong = 10s;
/// Long enough to see that something does not happen.
constexpr std::chrono::milliseconds kShortWhile = 300ms;

/// A client that has sent nothing for so long waits for another one.
constexpr Nanos kQuiet = 30ms;
/// The session time of clients that are to lose their session.
constexpr std::chrono::milliseconds kShortSession = 1s;
/// The session time of clients that are to keep their session although they ask for nothing: a client or server that a
/// busy machine does not let run for two thirds of it is suspended, rightly.
constexpr std::chrono::milliseconds kKeptSession = 4s;
inline QString withSession(const QString& url, std::chrono::milliseconds session) {
    return url.startsWith(QStringLiteral("zookeeper:")) ? url + QStringLiteral("?session=%1ms").arg(session.count())
                                                        : url;
}

/// The way in which a recipe differs from all others; its class says so.
enum class Oddity : std::uint8_t {
    None,
    FreesAnybodys, ///< naive: its release does not look whose lock it is
    KeepsNobodyOut ///< optimistic: everybody is granted, one release succeeds
};
Oddity oddityOf(const RecipeInfo& recipe);

/// One row: a recipe, and how it is held.
struct Subject {
    const RecipeInfo* info = nullptr;
    Mode mode = Mode::Exclusive;
    /// How one must ask for it to be kept out by who holds it in `mode`.
    Mode against() const { return mode == Mode::Permit ? Mode::Permit : Mode::Exclusive; }
    bool optimistic() const { return oddityOf(*info) == Oddity::KeepsNobodyOut; }
    bool byLease() const { return info->heldBy == HeldBy::Lease; }
};

/// One client's lock object, and what its holder was told.
struct Party {
    Party(Connection& connection, const QByteArray& name, const Subject& subject, LockOptions options, int permits = 1);
    Party(const Party&) = delete; // its lock tells it
    Party& operator=(const Party&) = delete;
    using Event = DistributedLock::Event;

    std::expected<bool, LockError> take(Mode mode, Nanos wait = Nanos(0), const QByteArray& thread = "1");
    /// As take(), running on its own.
    std::shared_ptr<Ending<std::expected<bool, LockError>>> waiting(Mode mode, std::stop_token stop = {},
                                                                    const QByteArray& thread = "1");
    std::expected<int, LockError> unlock(Mode mode, const QByteArray& thread = "1");
    int heard(Event event) const { return int(std::ranges::count(events, event)); }

    std::unique_ptr<DistributedLock> lock;
    std::vector<Event> events;
};

/// Tells of each piece of bytes that passes any of the relays, for as long as it lives.
class Pieces {
public:
    Pieces(const std::vector<std::unique_ptr<Relay>>& relays, std::function<void()> passing) : m_relays(relays) {
        for (const auto& relay : m_relays)
            relay->passing = passing;
    }
    ~Pieces() {
        for (const auto& relay : m_relays)
            relay->passing = {};
    }
    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

private:
    const std::vector<std::unique_ptr<Relay>>& m_relays;
};

class EveryRecipe : public QObject {
    Q_OBJECT
public:
    explicit EveryRecipe(const GroundKind& kind) : m_kind(kind) {}

private Q_SLOTS:
    void initTestCase_data();
    void initTestCase();
    void init();
    void cleanupTestCase();

    // taking.cpp
    void isTakenByOneAtATime();
    void whoWaitsGetsItAfterTheRelease();
    void reentersWhereItSaysSo();
    void tokensGrowWhereThereAreSome();
    void turnsAreKeptWhereItSaysSo();
    void whatIsNotOfferedIsRefused();
    void readersReadTogetherAndWritersAlone();
    void writersAreNotOvertakenWhereItIsFair();
    void asManyHoldAsThereArePermits();

    // stopping.cpp
    void stoppedAnywhereLeavesNothing();
    void stoppedAnywhereInLineLeavesNothing();
    void stoppedAnywhereAsItsTurnComesLeavesNothing();
    void stoppedReentryKeepsTheHold();

    // ending.cpp
    void isReleasedOnceAndByItsHolder();
    void whoHasLostItFreesNobodyElses();
    void isFreedByForceAndTheHolderIsTold();
    void endsWithItsLeaseAndTheHolderIsTold();
    void aLeaseOfItsOwnIsNotRenewedAndThenItIsNotLocked();
    void theWatchdogKeepsItAndStopsWithTheHold();
    void aSessionKeepsItAndGoesOnAfterIt();

    // forcing.cpp
    void isTakenAwayOnlyFromTheHolderThatWasSeen();

    // faults.cpp
    void aBrokenConnectionKeepsOrLosesItAsItSays();
    void whoWaitsOverABrokenConnectionGetsIt();
    void whoIsCutOffIsToldInTimeAndComesBack();
    void aWakeUpThatComesTwiceDoesNoHarm();
    void aWrongClockOfAClientBreaksOnlyWhatTheTableSays();

    // conditions.cpp
    void aSignalWakesTheFirstAndOneToAllTheRest();
    void whoAwaitsInVainHoldsItAgain();
    void stoppedAnywhereInAnAwaitHoldsItAgain();

private:
    struct Awaiting;
    /// The outcomes of takings that were stopped, one after the other.
    struct Struck {
        int stopped = 0;
        bool beyond = false; ///< the last one was through before
    };
    QString stopOnce(Party& a, int piece, Struck& struck, Party* holder = nullptr);
    QString stopEverywhere(const std::function<QString(Party& a, int piece, Struck& struck)>& once);
    std::expected<int, LockError> signal(bool all);
    bool nowWaits(const std::set<QByteArray>& before);
    void cutAll() {
        for (const auto& relay : m_relays)
            relay->cut();
    }
    int connectionsByRelay() const {
        int sum = 0;
        for (const auto& relay : m_relays)
            sum += relay->connections;
        return sum;
    }
    void setAway(bool away) {
        for (const auto& relay : m_relays)
            relay->setAway(away);
    }

    void setDoubling(bool doubling) { m_doubled = doubling ? std::optional(0) : std::nullopt; }

    LockOptions options(Nanos lease = 30s, Nanos watchdog = Nanos(0)) const;
    Party party(Connection& connection, const LockOptions& how) const;
    Party near() const { return party(*m_near, options()); }
    Party far() const { return party(*m_far, options()); }
    std::set<QByteArray> left() const { return m_ground->left(*m_subject.info, m_name); }
    /// The data on the server that were not there when the row began; empty: all gone within some time.
    QString leftOver() const;
    /// The row's lock as a watcher sees it held; nullopt: it sees no holder.
    std::optional<inspect::LockRow> seenHeld();
    /// Somebody else gets it at once, and leaves the server as it was: what is wrong, empty when nothing is.
    QString notFree();

    GroundKind m_kind;
    EventLoopRuntime m_runtime;
    std::unique_ptr<Ground> m_ground;
    std::vector<std::unique_ptr<Relay>> m_relays;
    QString m_urlByRelay;
    std::optional<int> m_doubled;        ///< wake-ups that came twice; nullopt: they come once
    std::unique_ptr<Connection> m_near;  ///< by way of the relays, where there are ports
    std::unique_ptr<Connection> m_far;   ///< straight to the server, as are
    std::unique_ptr<Connection> m_third; ///< these
    Subject m_subject;
    QByteArray m_name;             ///< of the row's lock, which nobody else uses
    std::set<QByteArray> m_before; ///< what is on the server when nobody holds it
};

} // namespace lockscope::test

Q_DECLARE_METATYPE(lockscope::test::Subject)

/// The row's subject is free, and nothing is left of anybody.
#define VERIFY_FREE() VERIFY_EMPTY(notFree())
/// An expected that is there and has that value.
#define VERIFY_IS(expected, value)                                                                                     \
    do {                                                                                                               \
        const auto outcome_ = (expected);                                                                              \
        QVERIFY2(outcome_.has_value(), outcome_ ? "" : qPrintable(outcome_.error().message));                          \
        QCOMPARE(*outcome_, value);                                                                                    \
    } while (false)
/// An expected that is an error of that kind.
#define VERIFY_ERROR(expected, its)                                                                                    \
    do {                                                                                                               \
        const auto outcome_ = (expected);                                                                              \
        QVERIFY2(!outcome_.has_value(), "no error");                                                                   \
        QVERIFY2(outcome_.error().kind == LockError::Kind::its, qPrintable(outcome_.error().message));                 \
    } while (false)
