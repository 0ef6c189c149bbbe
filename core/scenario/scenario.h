// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/manager_spec.h"
#include "scenario/program.h"
#include "scenario/service_spec.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace lockscope::scenario {

/// The action of a fault, of its undoing, or of a change of settings. Identifiers as in actionId().
enum class Action : std::uint8_t {
    PauseClient,
    ResumeClient,
    KillClient,
    RestartClient,
    PauseNode,
    ResumeNode,
    KillNode,
    RestartNode,
    CrashNode, ///< as KillNode, and its machine loses its power: what had not left it, or not reached its disk, is gone
    RestartNodeEmpty, ///< as RestartNode, with a new disk
    Failover,         ///< target a master: the Sentinels are asked to replace it
    EvictKey,         ///< target a server: it throws a lock's keys out (text; empty: the first's), as if full
    FlushNode,        ///< target a server: an operator deletes all of its data
    ExhaustPool,      ///< target a database: strangers take all connections of the pool that its clients share
    FreePool,         ///< target a database: they give them back
    StallDisk,        ///< target a server that writes to a disk: what has to reach it waits
    FreeDisk,         ///< target such a server: its disk answers again
    CutLink,
    MendLink,
    DelayLink,     ///< DelayLink: value = extra one-way latency, 0 undoes it
    JitterLink,    ///< value = up to so much more one-way latency, drawn for each message; 0 undoes it
    ResetLink,     ///< all connections over the link break; new ones can be made at once
    JumpClock,     ///< target a client or node; value = offset of its wall clock from true time
    DriftClock,    ///< target a client or node; value = what its clocks gain each second; 0 undoes it
    StopWatchdog,  ///< target a client: renewals stop, the work goes on
    LoseReply,     ///< the next reply to the target client is lost
    LosePush,      ///< the next published message to the target client is lost
    RepeatRequest, ///< the target client's next request is done twice, as one that a driver or proxy sends again
    HangWork,      ///< target a client: its work stands still until all is healed, the renewals go on
    HealAll,
    SwitchEngine, ///< target a server: the lock manager changes to that engine
    Set, ///< setting = text: "recipe", "lease", "watchdog", "clients", "hold", "think", "token_check", "deadline",
         ///< "on_loss"
};
QByteArray actionId(Action action); ///< "pause-client", …
std::optional<Action> actionFromId(const QByteArray& id);

/// When a fault strikes by something that happens instead of by the clock.
struct Trigger {
    enum class On : std::uint8_t {
        Granted,
        Requested,
        Released,
        Recorded,  ///< the record of the lock names another holder
        Step,      ///< a client comes to a step of its recipe
        LeaseLeft, ///< so much is left of the lock's lease, by the record
        Leader,    ///< a server is the master or the leader, already or from some instant on
    };
    On on = On::Granted;
    int nth = 1;         ///< counted over all that fit, from 1
    Nanos after{};       ///< this much later
    QString client = {}; ///< only of this one: "A", "holder", "waiter"; empty: of any
    int step = 0;        ///< Step: its number in the recipe, from 1
    Nanos left{};        ///< LeaseLeft
    QString server = {}; ///< Leader: its id; empty: the next one that becomes it
    /// Only of this lock; "holder" and "waiter" are its own then. Empty: of any, but with Recorded and LeaseLeft of the
    /// first one. Not of Leader.
    QString lock = {};
    friend bool operator==(const Trigger&, const Trigger&) = default;
};

QByteArray triggerId(Trigger::On on); ///< "granted", "requested", …

struct Fault {
    std::optional<Nanos> at; ///< at least one of at, when; with both the condition counts from `at` on
    std::optional<Trigger> when;
    Action action = Action::PauseClient;
    /// "A", "redis-1", "A-redis-1"; "holder": the one that holds when it strikes; "waiter": the one that has waited
    /// longest; "same": the client or the server that `when` has found. Several: "A,B". Links between two sets:
    /// "A,B|redis-1"; in one direction "A>redis-1" (see actions.h).
    QString target;
    Nanos value{};                 ///< of actions that take one: takesValue()
    std::optional<Nanos> duration; ///< undone after this long
    std::optional<Nanos> every;    ///< strikes again after this long
    int times = 0;                 ///< with `every`: how often in all; 0: to the end of the run
    QString setting, text;         ///< Set; EvictKey has the lock's name in text
    bool byHand = false;
    friend bool operator==(const Fault&, const Fault&) = default;
};

struct LockSettings {
    QString name = QStringLiteral("orders");
    Nanos lease = 30s;
    Nanos watchdog{};           ///< renewal period, 0 = off
    Nanos wait = kNever;        ///< longest wait of an attempt
    bool honourDeadline = true; ///< the client gives the lock up by its own clock at its lease's end
    bool token = false;         ///< take fencing tokens where the recipe can give them
    int permits = 1;            ///< how many a semaphore has
    QString service = {};       ///< the id of the service that keeps it; empty: the first one
    Nanos maxHold{};            ///< the longest time that a hold may last, 0 = no bound
    friend bool operator==(const LockSettings&, const LockSettings&) = default;
};

/// One of several locks.
struct NamedLock {
    LockSettings settings;
    QString recipe; ///< empty: the scenario's
    friend bool operator==(const NamedLock&, const NamedLock&) = default;
};

struct ResourceSettings {
    QString name = QStringLiteral("stock");
    bool tokenCheck = false; ///< refuse a write with a token below the highest seen
    friend bool operator==(const ResourceSettings&, const ResourceSettings&) = default;
};

struct Workload {
    int clients = 3; ///< 1…200, named A, B, … Z, AA, …
    Range hold{2s, 4s};
    Range think{500ms, 1500ms};
    Range writeEvery{400ms, 700ms}; ///< writes to the resource while holding
    bool stopOnLoss = true;         ///< a client told of the loss stops its work; otherwise it carries on
    friend bool operator==(const Workload&, const Workload&) = default;
};

struct Network {
    Range clientLatency{50us, 150us}; ///< one way
    int lossPerMille = 0;
    friend bool operator==(const Network&, const Network&) = default;
};

/// From `low` to `high`, both included.
struct Span {
    int low = 0, high = 0;
    friend bool operator==(const Span&, const Span&) = default;
};

/// The expected outcome per recipe ("zk-*" = any other of that kind, "*" = any other): the violated invariants (empty =
/// safe), and the time within which the lock is granted again after the fault.
struct Expectation {
    QStringList violates;
    QStringList holds; ///< invariants that must hold
    std::optional<Nanos> recoversWithin;
    bool stalls = false;
    std::optional<Range> longestWait;      ///< the longest of all waits, those included that the run's end cut short
    std::optional<Span> requestsPerSecond; ///< of all clients together, over the whole run
    QStringList reaches; ///< each run takes these paths: rare ones of the simulator, "etcd/lease/ended", or kinds of
                         ///< events, "renew-refused"
    friend bool operator==(const Expectation&, const Expectation&) = default;
};

/// The seed of a run for which nobody has named one: it shows well what the built-in scenarios are about.
inline constexpr std::uint64_t kUsualSeed = 42;

/// A scenario: topology, clients, workload, and faults on a time axis.
struct Scenario {
    QString id, title, summary;
    QString chapter;                              ///< the group in lists; empty: none
    int order = 0;                                ///< its place in lists: smaller numbers first, 0 = last
    std::map<QString, QString> titles, summaries; ///< by language, "zh_CN"
    QString recipe = QStringLiteral("redis-set");
    QStringList recipes; ///< those that it is for; empty: all that its servers can run
    Nanos until = 60s;
    /// The liveness phase: at this instant everything is healed, and no fault of the scenario strikes any more. From
    /// then on the recipe owes progress. Missing: there is no such phase.
    std::optional<Nanos> liveness;
    std::optional<std::uint64_t>
        seed; ///< of the run that was saved: the same seed makes the same run; at most 2^63 - 1
    std::vector<NodeSpec> nodes{NodeSpec{}}; ///< with `services`: their servers
    std::vector<ServiceSpec> services;       ///< empty: `nodes` is one Redis server
    std::optional<ManagerSpec> manager;      ///< missing: no servers are engines of a lock manager
    LockSettings lock;
    std::vector<NamedLock> moreLocks; ///< beside `lock`
    ResourceSettings resource;
    Workload workload;
    std::vector<Program> programs;   ///< empty: every client runs defaultProgram()
    std::vector<ClientGroup> groups; ///< with programs; clients beyond their sum run the last group's program
    Network network;
    std::vector<Fault> faults;
    std::map<QString, Expectation> expect;
    friend bool operator==(const Scenario&, const Scenario&) = default;

    /// Takes these services in place of those that it has, and their servers as its nodes.
    void setServices(std::vector<ServiceSpec> all);
    /// The number of the service that keeps the lock; 0 for a lock that names none.
    std::size_t serviceOf(const QString& lockName) const;
    /// The names of all locks, the first one first.
    QStringList lockNames() const;

    /// The number of the service whose id this is, or that has the server whose id it is; nullopt: there is none.
    std::optional<std::size_t> serviceNamed(const QString& named) const;
    /// The number of the lock manager's engine of that name, or that has the server of that name; -1: there is none.
    int engineNumber(const QString& name) const;

    /// The expectation for a recipe: its own, that of its kind ("zk-*"), or that of every other one ("*"); nullptr:
    /// there is none.
    const Expectation* expectationFor(const QString& recipeId) const;

    QString titleIn(const QString& language) const;
    QString summaryIn(const QString& language) const;
};

/// The name of client number i (from 0): A … Z, AA, AB, …
QString clientName(int i);

// Times in scenario files are written as everywhere.
using lockscope::formatDuration;
using lockscope::parseDuration;

/// One complaint about a scenario file.
struct Problem {
    QString file;
    int line = 0;             ///< 1-based, 0 = not known
    QString path;             ///< JSON pointer, "/faults/0/at"
    QString message;          ///< what is wrong and what would be right
    QString toString() const; ///< "file:line: /path: message"
};

} // namespace lockscope::scenario
