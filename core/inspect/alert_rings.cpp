// SPDX-License-Identifier: Apache-2.0
// Deadlocks among the locks of one server, or of several whose clients are known to be the same.
#include "inspect/alert_watch.h"

#include "inspect/text.h"
#include "ports/milliseconds.h"
#include "trace/possible_cycles.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <deque>

namespace lockscope::inspect {

struct AlertWatch::RingSearch {
    Q_DECLARE_TR_FUNCTIONS(Alerts)

public:
    struct Want {
        Lock* lock;
        const QString* where; ///< which server; empty: there is only one
        std::vector<QByteArray> holders;
    };
    struct Wish {
        const Want* want;
        Nanos since;
        bool atLeast; ///< … or before
    };
    struct Waiter {
        QString name;
        std::vector<Wish> wants;
    };
    struct Stop {
        const QByteArray* who;
        std::size_t want = 0, holder = 0;
    };

    /// Which parties are taken for one client.
    enum class By : std::uint8_t { Who, Perhaps };
    explicit RingSearch(By by) : m_by(by) {}

    std::deque<Want> all; ///< one for each lock that somebody waits for; none moves
    std::map<QByteArray, Waiter> waiters;

    void add(AlertWatch& watch) {
        for (auto& [name, lock] : watch.m_locks) {
            if (lock.waiting.empty()) continue;
            Want& want = all.emplace_back(&lock, &watch.m_where, std::vector<QByteArray>());
            for (const Party& holder : lock.row.holders)
                if (!holder.client.isEmpty())
                    want.holders.push_back(m_by == By::Who ? watch.m_who(holder) : watch.perhapsOf(holder));
            for (const Waiting& waiting : lock.waiting) {
                Waiter& waiter = waiters[m_by == By::Who ? waiting.who : waiting.perhaps];
                waiter.name = waiting.name;
                waiter.wants.push_back({&want, waiting.since.at, !waiting.since.seenToBegin});
            }
        }
    }

    const Wish& wishAt(const Stop& stop) const { return waiters.at(*stop.who).wants[stop.want]; }
    const Want& wantAt(const Stop& stop) const { return *wishAt(stop).want; }

    QString linkOf(const Stop& stop) const {
        const Want& want = wantAt(stop);
        const QString name = readable(want.lock->row.name), waiter = waiters.at(*stop.who).name;
        return want.where->isEmpty() ? tr("%1 waits for “%2”").arg(waiter, name)
                                     : tr("%1 waits for “%2” on %3").arg(waiter, name, *want.where);
    }

    /// The lock of the ring with the most waiters, of several such the first by name, as trace::WaitCycle has it: when
    /// its holder gives it up, they go on.
    QString wayOut(const std::vector<Stop>& path, std::size_t from) const {
        const auto waitingFor = [this](const Stop& stop) {
            const Lock& lock = *wantAt(stop).lock;
            return std::max(lock.row.waiterCount.value_or(0), std::int64_t(lock.waiting.size()));
        };
        const auto isLess = [&](const Stop& a, const Stop& b) {
            const std::int64_t ofA = waitingFor(a), ofB = waitingFor(b);
            return ofA != ofB ? ofA < ofB : wantAt(a).lock->row.name > wantAt(b).lock->row.name;
        };
        const auto weakest = std::ranges::max_element(path.begin() + std::ptrdiff_t(from), path.end(), isLess);
        const auto holder = weakest + 1 == path.end() ? path.begin() + std::ptrdiff_t(from) : weakest + 1;
        const Want& want = wantAt(*weakest);
        const QString lock = want.where->isEmpty() ? QStringLiteral("“%1”").arg(readable(want.lock->row.name))
                                                   : tr("“%1” on %2").arg(readable(want.lock->row.name), *want.where);
        const int waiting = int(waitingFor(*weakest));
        const QString force =
            want.lock->canBeFreed
                ? tr("Stop %1, or free %2 by force: %n client(s) wait for that. Then let all take their locks in one "
                     "order.",
                     nullptr, waiting)
                      .arg(waiters.at(*holder->who).name, lock)
                : tr("Stop %1: %n client(s) wait for %2. Then let all take their locks in one order.", nullptr, waiting)
                      .arg(waiters.at(*holder->who).name, lock);
        return ending(path, from) + QLatin1Char(' ') + force;
    }

    /// How the deadlock ends by itself: with the first of its leases that nobody was seen to renew.
    QString ending(const std::vector<Stop>& path, std::size_t from) const {
        const Stop* first = nullptr;
        const auto left = [this](const Stop& stop) { return *wantAt(stop).lock->row.ttlMs; };
        for (std::size_t i = from; i < path.size(); ++i) {
            const Lock& lock = *wantAt(path[i]).lock;
            if (!lock.row.ttlMs || lock.renewals.pace.isKnown()) continue;
            if (!first || left(path[i]) < left(*first)) first = &path[i];
        }
        if (!first) return tr("None of them goes on by itself.");
        const Want& want = wantAt(*first);
        const auto at = std::size_t(first - path.data());
        const QString holder = waiters.at(*path[at + 1 == path.size() ? from : at + 1].who).name;
        return tr("Unless %1 renews it, the lease of “%2” ends in %3, and then they go on.")
            .arg(holder, readable(want.lock->row.name), durationText(timeOfMs(left(*first))));
    }

    void tell(const std::vector<Stop>& path, std::size_t from) const {
        QStringList links;
        Ring ring{{}, wayOut(path, from), Nanos::min(), false, m_by == By::Perhaps};
        for (std::size_t i = from; i < path.size(); ++i) {
            links << linkOf(path[i]);
            const Wish& wish = wishAt(path[i]);
            if (wish.since > ring.since) ring.atLeast = wish.atLeast;
            ring.since = std::max(ring.since, wish.since);
        }
        ring.words = links.join(QStringLiteral(", "));
        for (std::size_t i = from; i < path.size(); ++i)
            if (wantAt(path[i]).lock->ring.words.isEmpty()) wantAt(path[i]).lock->ring = ring; // a certain one stays
    }

    /// Looks for a client along the holders of the locks that it waits for, depth first; for each client once, so that
    /// it takes no longer than there are waiters.
    void run() {
        std::map<QByteArray, bool> done; // false: on the path
        for (const auto& [start, unused] : waiters) {
            if (done.contains(start)) continue;
            std::vector<Stop> path{{&start}};
            done[start] = false;
            while (!path.empty()) {
                Stop& top = path.back();
                const std::vector<Wish>& wants = waiters.at(*top.who).wants;
                if (top.want == wants.size()) {
                    done[*top.who] = true;
                    path.pop_back();
                    if (!path.empty()) ++path.back().holder;
                    continue;
                }
                const std::vector<QByteArray>& holders = wants[top.want].want->holders;
                if (top.holder >= holders.size()) {
                    ++top.want;
                    top.holder = 0;
                    continue;
                }
                const QByteArray& holder = holders[top.holder];
                const auto waits = waiters.find(holder);
                const auto known = done.find(holder);
                if (waits == waiters.end() || holder == *top.who || (known != done.end() && known->second)) {
                    ++top.holder; // waits for nothing, or was looked at; one that asks twice is no other's business
                } else if (known != done.end()) { // on the path: the ring is from there on
                    const auto first =
                        std::ranges::find_if(path, [&](const Stop& stop) { return *stop.who == holder; });
                    tell(path, std::size_t(first - path.begin()));
                    ++top.holder;
                } else {
                    done[holder] = false;
                    path.push_back({&waits->first});
                }
            }
        }
    }

private:
    By m_by;
};

void AlertWatch::findRings(std::span<AlertWatch* const> watches) {
    for (AlertWatch* const watch : watches) {
        watch->m_ringsOf = watch->m_looks;
        if (watch->m_troubleSince) continue; // nothing is known of its locks now: they stay as they are
        for (auto& [name, lock] : watch->m_locks)
            lock.ring = {};
    }
    for (const RingSearch::By by : {RingSearch::By::Who, RingSearch::By::Perhaps}) {
        RingSearch search(by);
        for (AlertWatch* const watch : watches)
            if (!watch->m_troubleSince) search.add(*watch);
        search.run();
    }
}

QByteArray AlertWatch::perhapsOf(const Party& party) const {
    if (!party.thread || !trace::isProcessOfItsOwn(*party.thread)) return m_who(party);
    Party whole = party;
    whole.thread.reset();
    return m_who(whole);
}

void AlertWatch::joinClients(std::function<QByteArray(const Party&)> who, QString where) {
    m_who = std::move(who);
    m_where = std::move(where);
}

} // namespace lockscope::inspect
