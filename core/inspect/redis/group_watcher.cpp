// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/group_watcher.h"

#include "connections/redis/cluster_port.h"
#include "connections/redis/sentinel_port.h"
#include "inspect/redis/group_master.h"
#include "inspect/redis/joined_report.h"
#include "inspect/row_named.h"
#include "ports/redis/cluster_keys.h"
#include "runtime/waits_here.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace lockscope::inspect {

using redis::Args;
using redis::argsOf;
using redis::Result;

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Watcher)
};

constexpr Nanos kSurveyAgain = 2s;   // slots move without a failover, and then nobody tells
constexpr Nanos kSurveySoon = 300ms; // while something does not fit: a failover takes about a second
constexpr Nanos kPatience = 5s;      // for sentinels or nodes that still name a master that is none any more
constexpr Nanos kLately = 60s;       // a server that was emptied or restarted may soon be replaced by one that was not
constexpr int kShareOfMerging = 10;  // joining the reports of many locks takes such a part of the time at most

} // namespace

RedisGroupWatcher::RedisGroupWatcher(Runtime& runtime, const ConnectionUrl& url, QString where, redis::Dialler dial,
                                     WatchOptions options)
    : m_runtime(runtime),
      m_url(url),
      m_where(std::move(where)),
      m_dial(std::move(dial)),
      m_options(std::move(options)) {
    Q_ASSERT(url.service == Service::RedisSentinel || url.service == Service::RedisCluster);
    if (url.service == Service::RedisSentinel)
        m_sentinels = std::make_unique<redis::SentinelPort>(runtime, m_dial, url);
    else
        m_cluster = std::make_unique<redis::ClusterPort>(runtime, m_dial, url);
    m_url.service = Service::Redis;
    m_url.scheme = url.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
}

RedisGroupWatcher::~RedisGroupWatcher() {
    retireAll();
}

QCoro::Task<std::expected<RedisGroupWatcher::Places, WatchTrouble>> RedisGroupWatcher::survey(std::stop_token stop) {
    if (m_sentinels) {
        const auto opened = co_await m_sentinels->open(std::move(stop));
        if (!opened) co_return std::unexpected(troubleOf(opened.error()));
        const auto at = m_sentinels->master();
        if (!at)
            co_return std::unexpected(WatchTrouble{WatchTrouble::Kind::Unreachable,
                                                   {},
                                                   Text::tr("%1 has no master at present; the sentinels are asked "
                                                            "again.")
                                                       .arg(m_where)});
        ClusterNode master;
        master.at = *at;
        master.master = true;
        master.slotsFromTo = {{0, kClusterSlots - 1}};
        co_return Places{master};
    }
    const Result nodes = co_await m_cluster->call(argsOf("CLUSTER", "NODES"), std::move(stop));
    if (!nodes) co_return std::unexpected(troubleOf(nodes.error()));
    Places places = clusterNodesIn(nodes->text);
    std::erase_if(places, [](const ClusterNode& node) { return !node.master || node.slots == 0; });
    for (ClusterNode& node : places)
        if (node.at.host.isEmpty()) node.at.host = m_url.endpoints.front().host; // it does not know its own address
    std::ranges::sort(places, {}, [](const ClusterNode& node) { return node.slotsFromTo.front(); });
    if (places.empty())
        co_return std::unexpected(
            WatchTrouble{WatchTrouble::Kind::Unreachable, {}, Text::tr("%1 has no master with slots.").arg(m_where)});
    co_return places;
}

RedisGroupWatcher::MasterPtr RedisGroupWatcher::make(const ClusterNode& place) {
    ConnectionUrl url = m_url;
    url.endpoints = {place.at};
    auto master = std::make_shared<Master>();
    master->place = place;
    master->address = place.at.display().toUtf8();
    master->client = m_dial(m_runtime, url, redis::DriverOptions());
    master->watcher = std::make_unique<RedisWatcher>(*master->client, m_options);
    return master;
}

std::vector<LockRow> RedisGroupWatcher::seenElsewhere(const ClusterNode& place) const {
    std::vector<LockRow> rows;
    for (const MasterPtr& master : m_masters) {
        if (master->place.at == place.at || !master->last) continue;
        for (const LockRow& row : master->last->locks)
            if (!row.raw.empty() && place.owns(redis::keySlot(row.raw.front().key))) rows.push_back(row);
    }
    return rows;
}

std::vector<LockRow> RedisGroupWatcher::lostElsewhere(const ClusterNode& place) const {
    std::vector<LockRow> rows;
    for (const MasterPtr& master : m_masters) {
        if (master->place.at == place.at || m_runtime.monotonic() - master->latelyAt > kLately) continue;
        for (const LockRow& row : master->lately)
            if (place.owns(redis::keySlot(row.raw.front().key))) rows.push_back(row);
    }
    return rows;
}

/// Precondition: `report` is not yet the last one.
void RedisGroupWatcher::keepLost(Master& master, const LockReport& report) const {
    if (report.events.empty() || !master.last) return;
    master.lately.clear();
    master.latelyAt = m_runtime.monotonic();
    for (const LockRow& row : master.last->locks)
        if (!row.raw.empty() && !rowNamed(report.locks, row.name)) master.lately.push_back(row);
}

void RedisGroupWatcher::arrange(const Places& places, bool follow) {
    const auto placeOf = [&](const Master& master) {
        return std::ranges::find(places, master.place.at, &ClusterNode::at);
    };
    std::vector<MasterPtr> arranged;
    for (const ClusterNode& place : places) {
        const auto known =
            std::ranges::find(m_masters, place.at, [](const MasterPtr& master) { return master->place.at; });
        if (known != m_masters.end()) {
            if ((*known)->place.slotRanges != place.slotRanges) {
                m_news = true;
                expect(**known, seenElsewhere(place));
                for (const MasterPtr& master : m_masters)
                    master->again.reset(); // another may be the one that has a lock
            }
            (*known)->place = place;
            arranged.push_back(*known);
            continue;
        }
        const MasterPtr fresh = make(place);
        // The former owner of its slots: a master that is none any more was replaced; one that stays has moved slots.
        const auto former = std::ranges::find_if(m_masters, [&](const MasterPtr& master) {
            return !place.slotsFromTo.empty() && master->place.owns(place.slotsFromTo.front().first);
        });
        if (former != m_masters.end() && placeOf(**former) == places.end()) fresh->before = (*former)->address;
        fresh->expected = seenElsewhere(place);
        fresh->watcher->expect(fresh->expected);
        fresh->watcher->expect(lostElsewhere(place)); // a replica need not have lost it
        if (follow) startFollowing(fresh);
        arranged.push_back(fresh);
    }
    for (const MasterPtr& master : m_masters) {
        if (std::ranges::find(arranged, master) != arranged.end()) continue;
        // In the middle of a failover a node may tell of no owner: until there is one, these locks are not known.
        const auto ownsIts = [slot = master->place.slotsFromTo.front().first](const ClusterNode& place) {
            return place.owns(slot);
        };
        if (std::ranges::none_of(places, ownsIts))
            arranged.push_back(master);
        else
            retire(*master);
    }
    if (m_masters != arranged) {
        m_news = true;
        for (const MasterPtr& master : arranged)
            master->again.reset(); // the locks of a master that was left are gone, or another's
    }
    m_masters = std::move(arranged);
}

void RedisGroupWatcher::startFollowing(const MasterPtr& master) {
    master->watcher->onStatus([this, its = master.get()] {
        if (troubleWith(*its)) doubt(*its);
        tellStatus();
        wake();
    });
    const auto told = [this, its = master.get()](const LockReport& report) {
        if (!its->stop.stop_requested()) heard(*its, report); // else this group may be gone
    };
    m_runtime.spawn([master, told] { return follow(master, told); });
}

QCoro::Task<> RedisGroupWatcher::follow(MasterPtr master, Callback told) {
    co_await master->watcher->watch(std::move(told), master->stop.get_token());
}

void RedisGroupWatcher::heard(Master& master, const LockReport& report) {
    if (report.trouble) {
        master.trouble = report.trouble;
        doubt(master); // somebody may take over
        return wake();
    }
    master.trouble.reset();
    const bool replica = report.server && report.server->role == ServerIdentity::Role::Replica;
    if (replica) { // what it has may be another master's by now
        if (!master.noMasterSince) master.noMasterSince = m_runtime.monotonic();
        doubt(master);
        return wake();
    }
    master.noMasterSince.reset();
    master.events.insert(master.events.end(), report.events.begin(), report.events.end());
    if (!report.lookedAgain || !report.events.empty())
        master.again.reset();
    else if (master.again)
        master.again->insert(report.lookedAgain->begin(), report.lookedAgain->end());
    keepLost(master, report);
    master.last = report;
    m_news = true;
    wake();
}

void RedisGroupWatcher::doubt(Master& master) {
    m_doubted = true;
    m_news = true;
    master.again.reset(); // its locks are not known now
}

std::optional<WatchTrouble> RedisGroupWatcher::troubleWith(const Master& master) const {
    if (master.trouble) return master.trouble;
    // A broken connection shows at once, and in a report only at the next look.
    const WatchStatus its = master.watcher->status();
    if (its.state == WatchStatus::State::Retrying)
        return WatchTrouble{WatchTrouble::Kind::Unreachable, {}, its.trouble};
    if (master.noMasterSince && m_runtime.monotonic() - *master.noMasterSince > kPatience)
        return WatchTrouble{WatchTrouble::Kind::Unreachable,
                            {},
                            Text::tr("%1 calls itself a replica, and no other master of %2 is named.")
                                .arg(QString::fromUtf8(master.address), m_where)};
    return std::nullopt;
}

std::optional<WatchTrouble> RedisGroupWatcher::trouble() const {
    if (m_lost) return m_lost;
    std::optional<WatchTrouble> all;
    for (const MasterPtr& master : m_masters) {
        all = troubleWith(*master);
        if (!all) return std::nullopt;
    }
    return all;
}

bool RedisGroupWatcher::everyMasterTried() const {
    return !m_masters.empty() && std::ranges::all_of(m_masters, [this](const MasterPtr& master) {
        return troubleWith(*master) || (master->last && !master->noMasterSince);
    });
}

void RedisGroupWatcher::retire(Master& master) {
    master.stop.request_stop();
    master.watcher->onStatus([] {});
    const WatchLoad load = master.watcher->load();
    m_spentBefore.requests += load.requests;
    m_spentBefore.serverTime += load.serverTime;
    if (master.last) m_connectionsBefore += master.last->connections;
}

void RedisGroupWatcher::retireAll() {
    for (const MasterPtr& master : m_masters)
        retire(*master);
    m_masters.clear();
}

void RedisGroupWatcher::lookSoon() {
    for (const MasterPtr& master : m_masters)
        master->watcher->lookSoon();
}

void RedisGroupWatcher::wake() {
    m_woken = true;
    if (m_pausing) m_pausing->wake();
}

void RedisGroupWatcher::tellStatus() {
    if (m_onStatus) m_runtime.post(m_onStatus);
}

QCoro::Task<std::expected<void, WatchTrouble>> RedisGroupWatcher::open(std::stop_token stop) {
    m_tried = true;
    tellStatus();
    auto places = co_await survey(stop);
    m_lost.reset();
    if (!places) {
        m_lost = places.error();
        tellStatus();
        co_return std::unexpected(places.error());
    }
    // The first one shows whether the login is good there, too.
    const MasterPtr master = make(places->front());
    auto opened = co_await master->watcher->open(std::move(stop));
    if (!opened) m_lost = opened.error();
    tellStatus();
    co_return opened;
}

QCoro::Task<LockReport> RedisGroupWatcher::once(std::stop_token stop, Callback progress) {
    retireAll();
    m_tried = true;
    auto places = co_await survey(stop);
    LockReport report;
    if (!places) {
        m_lost = places.error();
        describe(report);
        report.trouble = places.error();
        co_return report;
    }
    m_lost.reset();
    arrange(*places, false);
    for (const MasterPtr& master : m_masters) {
        LockReport its = co_await master->watcher->once(stop, progress);
        master->trouble = its.trouble;
        if (!its.trouble) master->last = std::move(its);
    }
    if (const auto wrong = trouble()) {
        describe(report);
        report.trouble = wrong;
        co_return report;
    }
    report = merged();
    tellMoving(report);
    m_lastLocks = report.locks;
    co_return report;
}

QCoro::Task<> RedisGroupWatcher::watch(Callback callback, std::stop_token stop) {
    struct Ending {
        RedisGroupWatcher& group;
        ~Ending() {
            group.retireAll();
            group.m_doubted = true;
        }
    };
    retireAll();
    m_tried = true;
    m_doubted = true;
    const Ending ending{*this};
    const auto changed = [this] {
        m_doubted = true;
        wake();
    };
    const auto back = m_sentinels ? m_sentinels->onReconnect(changed) : m_cluster->onReconnect(changed);
    bool troubled = false;
    Nanos surveyDue{}, mergeDue{};
    const auto tellTrouble = [&] {
        const auto wrong = trouble();
        if (wrong && !troubled) {
            LockReport report;
            describe(report);
            report.trouble = wrong;
            report.locks = m_lastLocks;
            callback(report);
        }
        troubled = wrong.has_value();
    };
    for (;;) {
        m_woken = false;
        tellTrouble(); // finding another master may take a while
        if (std::exchange(m_doubted, false) || m_runtime.monotonic() >= surveyDue) {
            surveyDue = m_runtime.monotonic() + kSurveyAgain;
            auto places = co_await survey(stop);
            if (places) {
                m_lost.reset();
                arrange(*places, true);
            } else {
                m_lost = places.error();
            }
            tellStatus();
        }
        tellTrouble();
        const bool fits = !troubled && everyMasterTried();
        if (fits && m_news && m_runtime.monotonic() >= mergeDue) {
            m_news = false;
            const Nanos began = m_runtime.monotonic();
            LockReport report = merged();
            callback(report);
            m_lastLocks = std::move(report.locks);
            mergeDue = m_runtime.monotonic() + (m_runtime.monotonic() - began) * kShareOfMerging;
        }
        const Nanos now = m_runtime.monotonic();
        const auto isAway = [this](const MasterPtr& master) { return troubleWith(*master).has_value(); };
        if (!fits || std::ranges::any_of(m_masters, isAway)) surveyDue = std::min(surveyDue, now + kSurveySoon);
        if (m_doubted || (m_woken && !m_news)) continue;
        Nanos until = surveyDue;
        if (fits && m_news) until = std::min(until, mergeDue);
        co_await pause(std::max<Nanos>(until - now, 1ms), stop);
    }
}

QCoro::Task<> RedisGroupWatcher::pause(Nanos longest, std::stop_token stop) {
    Waiter waiter(m_runtime, longest, std::move(stop));
    const WaitsHere here(m_pausing, waiter);
    co_await waiter.end();
}

WatchStatus RedisGroupWatcher::status() const {
    using State = WatchStatus::State;
    if (!m_tried) return {State::Idle, Text::tr("%1 · not connected").arg(m_where), {}};
    if (m_lost) {
        const bool final = m_lost->kind != WatchTrouble::Kind::Unreachable;
        return {final ? State::Failed : State::Retrying, QStringLiteral("%1 · %2").arg(m_where, m_lost->message),
                m_lost->message};
    }
    std::optional<WatchStatus> wrong; ///< that of the first master which does not answer
    std::size_t answer = 0;
    for (const MasterPtr& master : m_masters) {
        const WatchStatus its = master->watcher->status();
        const bool away = its.state == State::Retrying || its.state == State::Failed;
        answer += its.state == State::Connected;
        if (away && !wrong) wrong = its;
    }
    if (wrong && answer > 0) {
        const QString text =
            Text::tr("%1 · %2 of %3 masters answer: %4")
                .arg(m_where, QString::number(answer), QString::number(m_masters.size()), wrong->trouble);
        return {State::Connected, text, wrong->trouble, true};
    }
    if (wrong) return {wrong->state, QStringLiteral("%1 · %2").arg(m_where, wrong->trouble), wrong->trouble};
    if (m_masters.empty() || answer < m_masters.size())
        return {State::Connecting, Text::tr("%1 · connecting").arg(m_where), {}};
    return {State::Connected, Text::tr("%1 · connected").arg(m_where), {}};
}

WatchLoad RedisGroupWatcher::load() const {
    WatchLoad all = loadOf(m_masters);
    all.requests += m_spentBefore.requests; // of masters that are none any more
    all.serverTime += m_spentBefore.serverTime;
    return all;
}

std::optional<ServerIdentity> RedisGroupWatcher::identity() const {
    if (m_masters.size() == 1) return m_masters.front()->watcher->identity();
    return identityOf(m_masters);
}

const LockRow* RedisGroupWatcher::lastSeen(const QByteArray& lockName) const {
    return rowNamed(m_lastLocks, lockName);
}

} // namespace lockscope::inspect
