// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/field_words.h"

#include "faults/fault_offers.h"
#include "models/event_words.h"
#include "models/fault_words.h"
#include "scenario/scenario_reader.h"
#include "trace/time_text.h"
#include "verdict/verdict.h"
#include "verdict/words.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>
#include <algorithm>
#include <array>

namespace lockscope::views {

namespace {

struct Word {
    const char* key;
    const char* label;
    const char* hint;
};

constexpr int kRowKinds = 256; ///< trace::EventKind is one byte

constexpr std::array kWords{
    Word{"id", QT_TRANSLATE_NOOP("EditorFields", "Id"),
         QT_TRANSLATE_NOOP("EditorFields", "Lower-case words joined by hyphens, such as my-lock")},
    Word{"title", QT_TRANSLATE_NOOP("EditorFields", "Title"), QT_TRANSLATE_NOOP("EditorFields", "A few words")},
    Word{"summary", QT_TRANSLATE_NOOP("EditorFields", "Summary"),
         QT_TRANSLATE_NOOP("EditorFields", "What happens, and what to look at")},
    Word{"source", QT_TRANSLATE_NOOP("EditorFields", "Source"),
         QT_TRANSLATE_NOOP("EditorFields", "The report or the article that tells of it")},
    Word{"recipe", QT_TRANSLATE_NOOP("EditorFields", "Recipe"),
         QT_TRANSLATE_NOOP("EditorFields", "The lock algorithm, such as redis-set")},
    Word{"recipes", QT_TRANSLATE_NOOP("EditorFields", "Only for recipes"),
         QT_TRANSLATE_NOOP("EditorFields", "Several with commas; empty: all that its servers can run")},
    Word{"until", QT_TRANSLATE_NOOP("EditorFields", "Until"),
         QT_TRANSLATE_NOOP("EditorFields",
                           "How long it runs, or where the step stops: 60s, 6.4s, a moment, wake+300ms")},
    Word{"seed", QT_TRANSLATE_NOOP("EditorFields", "Seed"),
         QT_TRANSLATE_NOOP("EditorFields", "The same seed makes the same run; empty: the program chooses")},
    Word{"chapter", QT_TRANSLATE_NOOP("EditorFields", "Chapter"),
         QT_TRANSLATE_NOOP("EditorFields", "The group that it stands in, in lists")},
    Word{"order", QT_TRANSLATE_NOOP("EditorFields", "Place in lists"),
         QT_TRANSLATE_NOOP("EditorFields", "Smaller numbers come first")},
    Word{"services", QT_TRANSLATE_NOOP("EditorFields", "Services"),
         QT_TRANSLATE_NOOP("EditorFields", "Servers of one kind that are one thing to their clients")},
    Word{"manager", QT_TRANSLATE_NOOP("EditorFields", "Lock manager"),
         QT_TRANSLATE_NOOP("EditorFields", "Servers as engines that clients change between")},
    Word{"kind", QT_TRANSLATE_NOOP("EditorFields", "Kind"), QT_TRANSLATE_NOOP("EditorFields", "The kind of servers")},
    Word{"shape", QT_TRANSLATE_NOOP("EditorFields", "Shape"),
         QT_TRANSLATE_NOOP("EditorFields", "How the servers stand together; empty: the usual shape of their kind")},
    Word{"nodes", QT_TRANSLATE_NOOP("EditorFields", "Servers"),
         QT_TRANSLATE_NOOP("EditorFields", "How many, without Sentinels")},
    Word{"sentinels", QT_TRANSLATE_NOOP("EditorFields", "Sentinels"),
         QT_TRANSLATE_NOOP("EditorFields", "How many watch the master and replace it")},
    Word{"persistence", QT_TRANSLATE_NOOP("EditorFields", "Persistence"),
         QT_TRANSLATE_NOOP("EditorFields", "What a server finds after a restart")},
    Word{"lag", QT_TRANSLATE_NOOP("EditorFields", "Replication lag"),
         QT_TRANSLATE_NOOP("EditorFields", "How long a write stays on the master before it leaves, such as 200ms")},
    Word{"full_sync", QT_TRANSLATE_NOOP("EditorFields", "Full copy takes"),
         QT_TRANSLATE_NOOP("EditorFields", "Until a new replica has its copy, such as 5s")},
    Word{"down_after", QT_TRANSLATE_NOOP("EditorFields", "Down after"),
         QT_TRANSLATE_NOOP("EditorFields", "Silence after which a Sentinel calls a server down, such as 2s")},
    Word{"failover_timeout", QT_TRANSLATE_NOOP("EditorFields", "Failover time-out"),
         QT_TRANSLATE_NOOP("EditorFields", "A time, such as 6s")},
    Word{"tick", QT_TRANSLATE_NOOP("EditorFields", "Tick"),
         QT_TRANSLATE_NOOP("EditorFields", "ZooKeeper's unit of time-outs, such as 2s")},
    Word{"session", QT_TRANSLATE_NOOP("EditorFields", "Session"),
         QT_TRANSLATE_NOOP("EditorFields", "The session time-out that clients ask for, such as 10s")},
    Word{"dialect", QT_TRANSLATE_NOOP("EditorFields", "Database"), ""},
    Word{"unique_index", QT_TRANSLATE_NOOP("EditorFields", "Unique index"),
         QT_TRANSLATE_NOOP("EditorFields", "Whether a row is found by an index")},
    Word{"connections", QT_TRANSLATE_NOOP("EditorFields", "Connections"),
         QT_TRANSLATE_NOOP("EditorFields", "The most that the database takes")},
    Word{"lock_wait", QT_TRANSLATE_NOOP("EditorFields", "Lock wait"),
         QT_TRANSLATE_NOOP("EditorFields", "How long a statement waits for a row's lock; 0s: without end")},
    Word{"keep_alive", QT_TRANSLATE_NOOP("EditorFields", "Keep-alive"),
         QT_TRANSLATE_NOOP("EditorFields", "Until a silent client's connection is given up")},
    Word{"locks", QT_TRANSLATE_NOOP("EditorFields", "Locks"),
         QT_TRANSLATE_NOOP("EditorFields", "The first one is meant where none is named")},
    Word{"name", QT_TRANSLATE_NOOP("EditorFields", "Name"), ""},
    Word{"service", QT_TRANSLATE_NOOP("EditorFields", "Service"),
         QT_TRANSLATE_NOOP("EditorFields", "The id of the service that keeps it; empty: the first one")},
    Word{"lease", QT_TRANSLATE_NOOP("EditorFields", "Lease"),
         QT_TRANSLATE_NOOP("EditorFields", "After this time without a renewal the server frees the lock, such as 5s")},
    Word{"watchdog", QT_TRANSLATE_NOOP("EditorFields", "Watchdog"),
         QT_TRANSLATE_NOOP("EditorFields", "How often a holder renews, such as 2s, or off")},
    Word{"wait", QT_TRANSLATE_NOOP("EditorFields", "Longest wait"),
         QT_TRANSLATE_NOOP("EditorFields", "A time such as 10s, or forever")},
    Word{"max_hold", QT_TRANSLATE_NOOP("EditorFields", "Longest hold"),
         QT_TRANSLATE_NOOP("EditorFields", "Then the lock is given back, renewed or not: a time such as 10s, or off")},
    Word{"deadline", QT_TRANSLATE_NOOP("EditorFields", "At its deadline"),
         QT_TRANSLATE_NOOP("EditorFields", "Whether a client stops when its lease has ended by its own clock")},
    Word{"tokens", QT_TRANSLATE_NOOP("EditorFields", "Tokens are checked"),
         QT_TRANSLATE_NOOP("EditorFields", "The resource checks fencing tokens: only recipes that give some play")},
    Word{"token", QT_TRANSLATE_NOOP("EditorFields", "Fencing token"),
         QT_TRANSLATE_NOOP("EditorFields", "Take tokens where the recipe gives them")},
    Word{"permits", QT_TRANSLATE_NOOP("EditorFields", "Permits"),
         QT_TRANSLATE_NOOP("EditorFields", "Of a semaphore: how many at once")},
    Word{"resource", QT_TRANSLATE_NOOP("EditorFields", "Resource"),
         QT_TRANSLATE_NOOP("EditorFields", "What the lock guards")},
    Word{"token_check", QT_TRANSLATE_NOOP("EditorFields", "Token check"),
         QT_TRANSLATE_NOOP("EditorFields", "Refuse a write whose token is below the highest seen")},
    Word{"workload", QT_TRANSLATE_NOOP("EditorFields", "All clients"),
         QT_TRANSLATE_NOOP("EditorFields", "What holds where a step of a program does not say otherwise")},
    Word{"count", QT_TRANSLATE_NOOP("EditorFields", "How many"),
         QT_TRANSLATE_NOOP("EditorFields", "How many clients, from 1 to 200")},
    Word{"hold", QT_TRANSLATE_NOOP("EditorFields", "Work"),
         QT_TRANSLATE_NOOP("EditorFields", "How long the work takes: shortest – longest, such as 2s – 4s")},
    Word{"think", QT_TRANSLATE_NOOP("EditorFields", "Rest"),
         QT_TRANSLATE_NOOP("EditorFields", "Time without the lock: 1s, 500ms – 2s, or true for the usual time")},
    Word{"write_every", QT_TRANSLATE_NOOP("EditorFields", "Write every"),
         QT_TRANSLATE_NOOP("EditorFields", "Between two writes to the resource: shortest – longest")},
    Word{"on_loss", QT_TRANSLATE_NOOP("EditorFields", "When lost"),
         QT_TRANSLATE_NOOP("EditorFields", "What a client does that learns it has lost the lock")},
    Word{"programs", QT_TRANSLATE_NOOP("EditorFields", "Programs"),
         QT_TRANSLATE_NOOP("EditorFields",
                           "What clients do, for ever; empty: rest, take the first lock, work, release")},
    Word{"clients", QT_TRANSLATE_NOOP("EditorFields", "Clients"),
         QT_TRANSLATE_NOOP("EditorFields", "Who runs which program: named A, B, C … in this order")},
    Word{"program", QT_TRANSLATE_NOOP("EditorFields", "Program"),
         QT_TRANSLATE_NOOP("EditorFields", "The name of one of the programs")},
    Word{"steps", QT_TRANSLATE_NOOP("EditorFields", "Steps"), ""},
    Word{"take", QT_TRANSLATE_NOOP("EditorFields", "Take"),
         QT_TRANSLATE_NOOP("EditorFields", "A lock, several as one with commas, or true for the first lock")},
    Word{"mode", QT_TRANSLATE_NOOP("EditorFields", "Mode"), QT_TRANSLATE_NOOP("EditorFields", "Of take")},
    Word{"work", QT_TRANSLATE_NOOP("EditorFields", "Work"),
         QT_TRANSLATE_NOOP("EditorFields", "Hold on for so long, and write now and then; true for the usual time")},
    Word{"write", QT_TRANSLATE_NOOP("EditorFields", "Write once"),
         QT_TRANSLATE_NOOP("EditorFields", "true writes to the resource, held or not")},
    Word{"release", QT_TRANSLATE_NOOP("EditorFields", "Release"),
         QT_TRANSLATE_NOOP("EditorFields", "A lock, several with commas, or true for the first lock")},
    Word{"await", QT_TRANSLATE_NOOP("EditorFields", "Wait for the condition of"),
         QT_TRANSLATE_NOOP("EditorFields", "A lock, or true for the first lock")},
    Word{"signal", QT_TRANSLATE_NOOP("EditorFields", "Signal the condition of"),
         QT_TRANSLATE_NOOP("EditorFields", "A lock, or true for the first lock")},
    Word{"network", QT_TRANSLATE_NOOP("EditorFields", "Network"), ""},
    Word{"client_latency", QT_TRANSLATE_NOOP("EditorFields", "Latency"),
         QT_TRANSLATE_NOOP("EditorFields", "One way, between a client and a server: 50us – 150us")},
    Word{"loss_per_mille", QT_TRANSLATE_NOOP("EditorFields", "Messages lost"),
         QT_TRANSLATE_NOOP("EditorFields", "Of 1000")},
    Word{
        "faults", QT_TRANSLATE_NOOP("EditorFields", "Faults"),
        QT_TRANSLATE_NOOP("EditorFields", "What goes wrong, or is put right, at an instant or when something happens")},
    Word{"at", QT_TRANSLATE_NOOP("EditorFields", "At"), QT_TRANSLATE_NOOP("EditorFields", "An instant, such as 3s")},
    Word{"when", QT_TRANSLATE_NOOP("EditorFields", "By a condition"),
         QT_TRANSLATE_NOOP("EditorFields", "Instead of an instant: when this happens")},
    Word{"do", QT_TRANSLATE_NOOP("EditorFields", "Does"),
         QT_TRANSLATE_NOOP("EditorFields", "What happens to the target")},
    Word{"target", QT_TRANSLATE_NOOP("EditorFields", "Target"),
         QT_TRANSLATE_NOOP("EditorFields",
                           "A client (A, holder, waiter, same), a server (redis-1, leader) or a link (A-redis-1)")},
    Word{"for", QT_TRANSLATE_NOOP("EditorFields", "Undone after"),
         QT_TRANSLATE_NOOP("EditorFields", "A time, such as 8s; empty: it stays")},
    Word{"value", QT_TRANSLATE_NOOP("EditorFields", "Value"),
         QT_TRANSLATE_NOOP("EditorFields", "Of delay-link: extra latency; of jump-clock: offset, such as -2s")},
    Word{"set", QT_TRANSLATE_NOOP("EditorFields", "Setting"),
         QT_TRANSLATE_NOOP("EditorFields", "Which setting changes")},
    Word{"to", QT_TRANSLATE_NOOP("EditorFields", "To"),
         QT_TRANSLATE_NOOP("EditorFields", "The new value of the setting, or an instant")},
    Word{"by", QT_TRANSLATE_NOOP("EditorFields", "Done by"),
         QT_TRANSLATE_NOOP("EditorFields", "hand: a person did it live")},
    Word{"on", QT_TRANSLATE_NOOP("EditorFields", "When"),
         QT_TRANSLATE_NOOP("EditorFields", "What happens then, such as granted")},
    Word{"step", QT_TRANSLATE_NOOP("EditorFields", "At step"),
         QT_TRANSLATE_NOOP("EditorFields", "A client comes to this step of its recipe, from 1")},
    Word{"lease_left", QT_TRANSLATE_NOOP("EditorFields", "Lease left"),
         QT_TRANSLATE_NOOP("EditorFields", "So much is left of the lock's lease, such as 1s")},
    Word{"leader", QT_TRANSLATE_NOOP("EditorFields", "Leader"),
         QT_TRANSLATE_NOOP("EditorFields", "This server leads, already or later; any: the next that does")},
    Word{"client", QT_TRANSLATE_NOOP("EditorFields", "Only of client"),
         QT_TRANSLATE_NOOP("EditorFields", "A, holder, waiter")},
    Word{"nth", QT_TRANSLATE_NOOP("EditorFields", "Which time"),
         QT_TRANSLATE_NOOP("EditorFields", "Counted over all that fit, from 1")},
    Word{"after", QT_TRANSLATE_NOOP("EditorFields", "Later by"),
         QT_TRANSLATE_NOOP("EditorFields", "So much after it, such as 300ms")},
    Word{"expect", QT_TRANSLATE_NOOP("EditorFields", "Promises"),
         QT_TRANSLATE_NOOP("EditorFields", "What must come of it for every seed, by recipe")},
    Word{"every", QT_TRANSLATE_NOOP("EditorFields", "Again every"),
         QT_TRANSLATE_NOOP("EditorFields", "It strikes again after this long, such as 2s")},
    Word{"times", QT_TRANSLATE_NOOP("EditorFields", "How often"),
         QT_TRANSLATE_NOOP("EditorFields", "In all; empty: again and again until the end of the run")},
    Word{"liveness", QT_TRANSLATE_NOOP("EditorFields", "All heals at"),
         QT_TRANSLATE_NOOP("EditorFields", "From then on the lock must be granted within the bound of its recipe")},
    Word{"semi_sync", QT_TRANSLATE_NOOP("EditorFields", "Semi-synchronous"),
         QT_TRANSLATE_NOOP("EditorFields", "How long a commit waits for a replica, such as 1s; 0s: not at all")},
    Word{"pool", QT_TRANSLATE_NOOP("EditorFields", "Shared connections"),
         QT_TRANSLATE_NOOP("EditorFields", "A pool that all clients borrow from; 0: each client has its own")},
    Word{"holds", QT_TRANSLATE_NOOP("EditorFields", "Holds"),
         QT_TRANSLATE_NOOP("EditorFields", "The invariants that hold, with commas")},
    Word{"violates", QT_TRANSLATE_NOOP("EditorFields", "Violated"),
         QT_TRANSLATE_NOOP("EditorFields", "The invariants that are violated, with commas")},
    Word{"recovers_within", QT_TRANSLATE_NOOP("EditorFields", "Granted again within"),
         QT_TRANSLATE_NOOP("EditorFields", "After the first fault, such as 5s")},
    Word{"stalls", QT_TRANSLATE_NOOP("EditorFields", "Stalls"),
         QT_TRANSLATE_NOOP("EditorFields", "The lock is never granted again")},
    Word{"longest_wait", QT_TRANSLATE_NOOP("EditorFields", "Longest wait"),
         QT_TRANSLATE_NOOP("EditorFields", "Of all waits, from and to")},
    Word{"reaches", QT_TRANSLATE_NOOP("EditorFields", "Comes to"),
         QT_TRANSLATE_NOOP("EditorFields", "Rare paths of the simulator or kinds of events that every run takes")},
    Word{"requests_per_second", QT_TRANSLATE_NOOP("EditorFields", "Requests a second"),
         QT_TRANSLATE_NOOP("EditorFields", "The least and the most of all clients together")},
    Word{"engines", QT_TRANSLATE_NOOP("EditorFields", "Engines"),
         QT_TRANSLATE_NOOP("EditorFields", "Servers with commas, the primary first")},
    Word{"witnesses", QT_TRANSLATE_NOOP("EditorFields", "Witnesses"),
         QT_TRANSLATE_NOOP("EditorFields", "Servers that only keep the record of which engine is in use")},
    Word{"drain_for", QT_TRANSLATE_NOOP("EditorFields", "Drain for"),
         QT_TRANSLATE_NOOP("EditorFields", "How long holders may go on after their engine is left")},
    Word{"confirm_for", QT_TRANSLATE_NOOP("EditorFields", "Trust a reading for"), ""},
    Word{"on_failure", QT_TRANSLATE_NOOP("EditorFields", "Leave a failing engine"), ""},
    Word{"plain", QT_TRANSLATE_NOOP("EditorFields", "Plain"),
         QT_TRANSLATE_NOOP("EditorFields", "No panels beside the picture")},
    Word{"minutes", QT_TRANSLATE_NOOP("EditorFields", "Minutes"),
         QT_TRANSLATE_NOOP("EditorFields", "How long it takes a reader")},
    Word{"idea", QT_TRANSLATE_NOOP("EditorFields", "The one idea"), QT_TRANSLATE_NOOP("EditorFields", "A sentence")},
    Word{"remember", QT_TRANSLATE_NOOP("EditorFields", "To remember"),
         QT_TRANSLATE_NOOP("EditorFields", "The sentence to keep")},
    Word{"sources", QT_TRANSLATE_NOOP("EditorFields", "Sources"), ""},
    Word{"text", QT_TRANSLATE_NOOP("EditorFields", "Text"), ""},
    Word{"url", QT_TRANSLATE_NOOP("EditorFields", "Address"),
         QT_TRANSLATE_NOOP("EditorFields", "Of the page; empty: it is not on the web")},
    Word{"scenes", QT_TRANSLATE_NOOP("EditorFields", "Scenes"),
         QT_TRANSLATE_NOOP("EditorFields", "Scenarios with a seed, and names for what happens in them")},
    Word{"scene", QT_TRANSLATE_NOOP("EditorFields", "Scene"),
         QT_TRANSLATE_NOOP("EditorFields", "Empty: that of the step before")},
    Word{"scenario", QT_TRANSLATE_NOOP("EditorFields", "Scenario"),
         QT_TRANSLATE_NOOP("EditorFields", "A built-in scenario, or one of your own, by its id")},
    Word{"change", QT_TRANSLATE_NOOP("EditorFields", "Changes"),
         QT_TRANSLATE_NOOP("EditorFields", "Fields of the scenario that are other here")},
    Word{"moments", QT_TRANSLATE_NOOP("EditorFields", "Moments"),
         QT_TRANSLATE_NOOP("EditorFields", "Rows of the run that get a name; each is sought after the one before")},
    Word{"values", QT_TRANSLATE_NOOP("EditorFields", "Values"),
         QT_TRANSLATE_NOOP("EditorFields", "More names for texts")},
    Word{"invariant", QT_TRANSLATE_NOOP("EditorFields", "Invariant"), ""},
    Word{"since", QT_TRANSLATE_NOOP("EditorFields", "After the moment"),
         QT_TRANSLATE_NOOP("EditorFields", "Empty: after the one before; start: from the start")},
    Word{"later", QT_TRANSLATE_NOOP("EditorFields", "Not before"),
         QT_TRANSLATE_NOOP("EditorFields", "So much later, such as 1s")},
    Word{"who", QT_TRANSLATE_NOOP("EditorFields", "Client"),
         QT_TRANSLATE_NOOP("EditorFields", "A name for it, such as H; texts say {H}")},
    Word{"not_to", QT_TRANSLATE_NOOP("EditorFields", "Not to"),
         QT_TRANSLATE_NOOP("EditorFields", "With push: messages to other clients than this one")},
    Word{"owner", QT_TRANSLATE_NOOP("EditorFields", "Owner"),
         QT_TRANSLATE_NOOP("EditorFields", "With record-freed: whose entry went")},
    Word{"server", QT_TRANSLATE_NOOP("EditorFields", "Server"), QT_TRANSLATE_NOOP("EditorFields", "Empty: any")},
    Word{"lock", QT_TRANSLATE_NOOP("EditorFields", "Lock"), QT_TRANSLATE_NOOP("EditorFields", "Empty: the first one")},
    Word{"from", QT_TRANSLATE_NOOP("EditorFields", "From"),
         QT_TRANSLATE_NOOP("EditorFields", "An instant: 6.4s, here, end, a moment, wake+300ms")},
    Word{"window", QT_TRANSLATE_NOOP("EditorFields", "In sight"),
         QT_TRANSLATE_NOOP("EditorFields", "The part of the time axis: two instants with a comma, such as 0s, 10s")},
    Word{"speed", QT_TRANSLATE_NOOP("EditorFields", "Speed"),
         QT_TRANSLATE_NOOP("EditorFields", "1 is as fast as the clock")},
    Word{"say", QT_TRANSLATE_NOOP("EditorFields", "Narration"),
         QT_TRANSLATE_NOOP("EditorFields", "Two or three short sentences; {H} is a client of the scene")},
    Word{"look", QT_TRANSLATE_NOOP("EditorFields", "Where to look"),
         QT_TRANSLATE_NOOP("EditorFields", "The rest of the timeline is dimmed")},
    Word{"lanes", QT_TRANSLATE_NOOP("EditorFields", "Lanes"),
         QT_TRANSLATE_NOOP("EditorFields", "With commas: belief, belief:H, record, copies, effect, server:redis-1")},
    Word{"panel", QT_TRANSLATE_NOOP("EditorFields", "Panel"),
         QT_TRANSLATE_NOOP("EditorFields", "Beside the timeline while the step is shown")},
    Word{"protocol", QT_TRANSLATE_NOOP("EditorFields", "Steps of the recipe"),
         QT_TRANSLATE_NOOP("EditorFields", "Their numbers, with commas")},
    Word{"table", QT_TRANSLATE_NOOP("EditorFields", "Table"),
         QT_TRANSLATE_NOOP("EditorFields", "Recipes and failures below the words; every cell is played")},
    Word{"rows", QT_TRANSLATE_NOOP("EditorFields", "Rows"), QT_TRANSLATE_NOOP("EditorFields", "Recipes, with commas")},
    Word{"columns", QT_TRANSLATE_NOOP("EditorFields", "Columns"), ""},
    Word{"scenarios", QT_TRANSLATE_NOOP("EditorFields", "Scenarios"),
         QT_TRANSLATE_NOOP("EditorFields", "With commas; a recipe plays the first that it can begin with")},
    Word{"claims", QT_TRANSLATE_NOOP("EditorFields", "Claims"),
         QT_TRANSLATE_NOOP("EditorFields", "What the words say, checked against the run")},
    Word{"ask", QT_TRANSLATE_NOOP("EditorFields", "Question"),
         QT_TRANSLATE_NOOP("EditorFields", "A bet; the run itself answers it")},
    Word{"question", QT_TRANSLATE_NOOP("EditorFields", "Question"), ""},
    Word{"choices", QT_TRANSLATE_NOOP("EditorFields", "Choices"),
         QT_TRANSLATE_NOOP("EditorFields", "Exactly one must be true of the run")},
    Word{"fact", QT_TRANSLATE_NOOP("EditorFields", "Fact"), QT_TRANSLATE_NOOP("EditorFields", "Computed from the run")},
    Word{"is", QT_TRANSLATE_NOOP("EditorFields", "is"),
         QT_TRANSLATE_NOOP("EditorFields", "A number, a time, true, false, never, a client, nobody")},
    Word{"is_not", QT_TRANSLATE_NOOP("EditorFields", "is not"), ""},
    Word{"at_least", QT_TRANSLATE_NOOP("EditorFields", "is at least"), ""},
    Word{"at_most", QT_TRANSLATE_NOOP("EditorFields", "is at most"), ""},
    Word{"includes", QT_TRANSLATE_NOOP("EditorFields", "includes"), QT_TRANSLATE_NOOP("EditorFields", "A client")},
    Word{"turn", QT_TRANSLATE_NOOP("EditorFields", "Your turn"),
         QT_TRANSLATE_NOOP("EditorFields", "A task whose goal the judge checks")},
    Word{"task", QT_TRANSLATE_NOOP("EditorFields", "Task"), ""},
    Word{"hint", QT_TRANSLATE_NOOP("EditorFields", "Hint"),
         QT_TRANSLATE_NOOP("EditorFields", "Told only when asked for: where to look, not what to do")},
    Word{"goal", QT_TRANSLATE_NOOP("EditorFields", "Goal"),
         QT_TRANSLATE_NOOP("EditorFields", "All of it true: the task is done")},
    Word{"solution", QT_TRANSLATE_NOOP("EditorFields", "Solution"),
         QT_TRANSLATE_NOOP("EditorFields", "A change of the scene that reaches the goal")},
    Word{"set_other", QT_TRANSLATE_NOOP("EditorFields", "Other settings than"),
         QT_TRANSLATE_NOOP("EditorFields", "With by-hand: changes of all settings but this one")},
    Word{"aside", QT_TRANSLATE_NOOP("EditorFields", "See also"),
         QT_TRANSLATE_NOOP("EditorFields", "Built-in scenarios to look at afterwards, by their ids, with commas")},
};

/// Values of fields whose words in the file are not words of a person.
struct Choice {
    const char* key;
    const char* id;
    const char* words;
};

constexpr std::array kChoices{
    Choice{"on", "granted", QT_TRANSLATE_NOOP("EditorFields", "A client gets the lock")},
    Choice{"on", "requested", QT_TRANSLATE_NOOP("EditorFields", "A client asks for the lock")},
    Choice{"on", "released", QT_TRANSLATE_NOOP("EditorFields", "A client gives the lock back")},
    Choice{"on", "recorded", QT_TRANSLATE_NOOP("EditorFields", "The server records a new holder")},
    Choice{"on", "client-paused", QT_TRANSLATE_NOOP("EditorFields", "A client pauses")},
    Choice{"on", "client-resumed", QT_TRANSLATE_NOOP("EditorFields", "A client goes on")},
    Choice{"on", "client-killed", QT_TRANSLATE_NOOP("EditorFields", "A client is killed")},
    Choice{"on", "client-started", QT_TRANSLATE_NOOP("EditorFields", "A client starts")},
    Choice{"on", "node-paused", QT_TRANSLATE_NOOP("EditorFields", "A server pauses")},
    Choice{"on", "node-resumed", QT_TRANSLATE_NOOP("EditorFields", "A server goes on")},
    Choice{"on", "node-killed", QT_TRANSLATE_NOOP("EditorFields", "A server is killed")},
    Choice{"on", "node-started", QT_TRANSLATE_NOOP("EditorFields", "A server starts")},
    Choice{"on", "violated", QT_TRANSLATE_NOOP("EditorFields", "An invariant is violated")},
    Choice{"deadline", "honoured", QT_TRANSLATE_NOOP("EditorFields", "stops")},
    Choice{"deadline", "ignored", QT_TRANSLATE_NOOP("EditorFields", "goes on")},
    Choice{"on_loss", "stop", QT_TRANSLATE_NOOP("EditorFields", "stops")},
    Choice{"on_loss", "carry-on", QT_TRANSLATE_NOOP("EditorFields", "goes on")},
    Choice{"persistence", "none", QT_TRANSLATE_NOOP("EditorFields", "nothing is kept")},
    Choice{"persistence", "everysec", QT_TRANSLATE_NOOP("EditorFields", "written every second")},
    Choice{"persistence", "always", QT_TRANSLATE_NOOP("EditorFields", "written at once")},
    Choice{"shape", "single", QT_TRANSLATE_NOOP("EditorFields", "one server")},
    Choice{"shape", "sentinel", QT_TRANSLATE_NOOP("EditorFields", "master, replicas and Sentinels")},
    Choice{"shape", "masters", QT_TRANSLATE_NOOP("EditorFields", "independent masters")},
    Choice{"shape", "cluster", QT_TRANSLATE_NOOP("EditorFields", "Redis Cluster")},
    Choice{"shape", "ensemble", QT_TRANSLATE_NOOP("EditorFields", "ensemble with a leader")},
    Choice{"shape", "replicas", QT_TRANSLATE_NOOP("EditorFields", "primary and replicas")},
    Choice{"mode", "drain", QT_TRANSLATE_NOOP("EditorFields", "waits for the old holders")},
    Choice{"mode", "immediate", QT_TRANSLATE_NOOP("EditorFields", "takes the lock from the old holders")},
    Choice{"mode", "naive", QT_TRANSLATE_NOOP("EditorFields", "tells nobody")},
    Choice{"mode", "exclusive", QT_TRANSLATE_NOOP("EditorFields", "alone")},
    Choice{"mode", "shared", QT_TRANSLATE_NOOP("EditorFields", "with other readers")},
    Choice{"mode", "permits", QT_TRANSLATE_NOOP("EditorFields", "one of several permits")},
    Choice{"fact", "owner", QT_TRANSLATE_NOOP("EditorFields", "the holder in the record")},
    Choice{"fact", "copy-owner", QT_TRANSLATE_NOOP("EditorFields", "the holder in a server's copy")},
    Choice{"fact", "copies-of", QT_TRANSLATE_NOOP("EditorFields", "copies that name a client")},
    Choice{"fact", "believers", QT_TRANSLATE_NOOP("EditorFields", "clients that believe they hold")},
    Choice{"fact", "most-believers", QT_TRANSLATE_NOOP("EditorFields", "most believers at once")},
    Choice{"fact", "waiters", QT_TRANSLATE_NOOP("EditorFields", "waiting clients")},
    Choice{"fact", "time-left", QT_TRANSLATE_NOOP("EditorFields", "time left of the lease")},
    Choice{"fact", "accepted", QT_TRANSLATE_NOOP("EditorFields", "accepted writes")},
    Choice{"fact", "refused", QT_TRANSLATE_NOOP("EditorFields", "refused writes")},
    Choice{"fact", "count", QT_TRANSLATE_NOOP("EditorFields", "rows of a kind")},
    Choice{"fact", "gap", QT_TRANSLATE_NOOP("EditorFields", "time until the next grant")},
    Choice{"fact", "span", QT_TRANSLATE_NOOP("EditorFields", "time between two instants")},
    Choice{"fact", "at", QT_TRANSLATE_NOOP("EditorFields", "an instant")},
    Choice{"fact", "violated", QT_TRANSLATE_NOOP("EditorFields", "an invariant is violated")},
    Choice{"fact", "token", QT_TRANSLATE_NOOP("EditorFields", "fencing token")},
    Choice{"fact", "lease", QT_TRANSLATE_NOOP("EditorFields", "lease in force")},
    Choice{"fact", "longest-disagreement", QT_TRANSLATE_NOOP("EditorFields", "longest gap between belief and record")},
    Choice{"fact", "longest-suspension", QT_TRANSLATE_NOOP("EditorFields", "longest suspension of a holder")},
    Choice{"fact", "requests-per-grant", QT_TRANSLATE_NOOP("EditorFields", "requests for each grant")},
    Choice{"fact", "by-hand", QT_TRANSLATE_NOOP("EditorFields", "done by hand")},
    Choice{"panel", "waits", QT_TRANSLATE_NOOP("EditorFields", "who waits for whom")},
    Choice{"panel", "verdict", QT_TRANSLATE_NOOP("EditorFields", "the verdict")},
    Choice{"panel", "statistics", QT_TRANSLATE_NOOP("EditorFields", "the statistics")},
    Choice{"panel", "cluster", QT_TRANSLATE_NOOP("EditorFields", "the servers and their links")},
    Choice{"panel", "queue", QT_TRANSLATE_NOOP("EditorFields", "the nodes in the queue")},
    Choice{"target", "client", QT_TRANSLATE_NOOP("EditorFields", "a client")},
    Choice{"target", "server", QT_TRANSLATE_NOOP("EditorFields", "a server")},
    Choice{"target", "setting", QT_TRANSLATE_NOOP("EditorFields", "a setting")},
};

QString invariantIdOf(verdict::Invariant invariant) {
    return QString::fromLatin1(verdict::invariantId(invariant));
}

/// A kind of fault without its target.
QString actionWords(scenario::Action action) {
    return action == scenario::Action::Set ? QCoreApplication::translate("EditorFields", "Change a setting")
                                           : verbText(session::Breakable::Kind::Client, action);
}

/// The kind of row of that name, in a word or two; empty: there is none.
QString rowWords(const QString& name) {
    for (int i = 1; i < kRowKinds; ++i)
        if (name == QLatin1String(trace::kindName(trace::EventKind(i)))) return eventWord(trace::EventKind(i));
    return {};
}

/// A value without its word in the file; empty: it has no words.
QString valueWords(const QString& key, const QString& value) {
    if (key == QLatin1String("do")) {
        const auto action = scenario::actionFromId(value.toUtf8());
        return action ? actionWords(*action) : QString();
    }
    if (const auto invariant = std::ranges::find(verdict::kInvariants, value, invariantIdOf);
        invariant != verdict::kInvariants.end())
        return verdict::invariantName(*invariant);
    const auto found = std::ranges::find_if(
        kChoices, [&](const Choice& one) { return key == QLatin1String(one.key) && value == QLatin1String(one.id); });
    if (found != kChoices.end()) return QCoreApplication::translate("EditorFields", found->words);
    return key == QLatin1String("on") ? rowWords(value) : QString();
}

const Word* wordOf(const QString& key) {
    const auto found = std::ranges::find_if(kWords, [&](const Word& word) { return key == QLatin1String(word.key); });
    return found == kWords.end() ? nullptr : &*found;
}

QString plain(const QJsonValue& value, const QString& language) {
    if (value.isString()) return value.toString();
    if (value.isBool() || value.isDouble()) return value.toVariant().toString();
    if (value.isArray()) {
        QStringList parts;
        for (const QJsonValue& one : value.toArray())
            parts += plain(one, language);
        parts.removeAll(QString());
        return parts.join(QStringLiteral(", "));
    }
    const QJsonObject object = value.toObject();
    return object.contains(language) ? object[language].toString() : object[QLatin1String("en")].toString();
}

} // namespace

QString fieldLabel(const QString& key) {
    const Word* const word = wordOf(key);
    return word ? QCoreApplication::translate("EditorFields", word->label) : key;
}

QString fieldHint(const QString& key) {
    const Word* const word = wordOf(key);
    return word && *word->hint ? QCoreApplication::translate("EditorFields", word->hint) : QString();
}

QString choiceWords(const QString& key, const QString& choice) {
    const QString words = valueWords(key, choice);
    return words.isEmpty() || words == choice ? choice : words + QStringLiteral(" · ") + choice;
}

QStringList wordedFields() {
    QStringList keys;
    for (const Word& word : kWords)
        keys += QLatin1String(word.key);
    return keys;
}

std::vector<std::pair<QString, QString>> wordedChoices() {
    std::vector<std::pair<QString, QString>> all;
    for (const Choice& one : kChoices)
        all.emplace_back(QLatin1String(one.key), QLatin1String(one.id));
    return all;
}

QStringList rowKinds() {
    QStringList kinds;
    for (int i = 1; i < kRowKinds; ++i) {
        const QString name = QString::fromLatin1(trace::kindName(trace::EventKind(i)));
        if (name != QLatin1String("unknown")) kinds += name;
    }
    return kinds;
}

QString elementWords(const QJsonObject& element, const QString& language) {
    if (const auto fault = scenario::readFault(element))
        return fault->at ? spanText(*fault->at) + QStringLiteral(" · ") + deedText(*fault) : deedText(*fault);
    QStringList words;
    const auto add = [&](const char* key) {
        const QString text = plain(element[QLatin1String(key)], language);
        const QString told = valueWords(QLatin1String(key), text);
        if (!text.isEmpty()) words += told.isEmpty() ? text : told;
    };
    // A fault, or a step of a lesson, is known by its time; then by what it does or says.
    for (const char* key : {"at", "until"})
        add(key);
    const QJsonObject when = element[QLatin1String("when")].toObject();
    for (const QString& key : {QStringLiteral("on"), QStringLiteral("step"), QStringLiteral("lease_left"),
                               QStringLiteral("leader"), QStringLiteral("lock")})
        if (when.contains(key)) words += fieldLabel(key).toLower() + u' ' + plain(when[key], language);
    for (const char* key : {"id", "name", "do", "target", "set", "to", "kind", "program", "scenario", "on", "fact",
                            "who", "invariant", "say", "text", "count"})
        add(key);
    for (const char* key : {"is", "is_not", "at_least", "at_most", "includes", "think", "take", "work", "write",
                            "release", "await", "signal"})
        if (element.contains(QLatin1String(key)))
            words += fieldLabel(QLatin1String(key)).toLower() + u' ' + plain(element[QLatin1String(key)], language);
    words.removeAll(QString());
    return words.join(QStringLiteral(" · "));
}

} // namespace lockscope::views
