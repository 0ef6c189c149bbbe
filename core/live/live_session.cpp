// SPDX-License-Identifier: Apache-2.0
#include "live/live_session.h"

#include "inspect/make_watcher.h"
#include "live/live_worker.h"
#include "recipes/backend_name.h"
#include "scenario/settings.h"
#include "session/milestones.h"
#include "trace/connection.h"

namespace lockscope::live {

std::expected<void, QString> applyLiveSetting(scenario::Scenario& settings, const scenario::Fault& fault) {
    if (fault.setting == QLatin1String("clients") && fault.text == QLatin1String("0")) {
        settings.workload.clients = 0;
        return {};
    }
    return scenario::changeSetting(settings, fault.setting, fault.text);
}

std::expected<ConnectionUrl, QString> parseWatchable(const QString& text) {
    auto url = parseConnectionUrl(text);
    if (!url) return url;
    if (const auto known = inspect::watchable(*url); !known) return std::unexpected(known.error());
    return url;
}

LiveSession::LiveSession(ConnectionUrl url, bool allowChanges, scenario::Scenario settings, QObject* parent)
    : LiveSession({ConnectionPlan{{}, std::move(url), allowChanges}}, std::move(settings), parent) {
}

LiveSession::LiveSession(std::vector<ConnectionPlan> connections, scenario::Scenario settings, QObject* parent)
    : session::Session(parent),
      m_settings(std::move(settings)),
      m_trace(std::make_shared<trace::Trace>()),
      m_verdict(std::make_shared<verdict::Verdict>()) {
    Q_ASSERT(!connections.empty());
    m_settings.workload.clients = 0;
    m_settings.faults.clear();
    std::vector<session::ConnectionFacts> facts;
    for (ConnectionPlan& plan : connections) {
        plan = named(std::move(plan), facts);
        session::ConnectionFacts one;
        // The worker, which writes the trace from now on, is not there yet.
        one.id = trace::internConnection(*m_trace, plan.name.toUtf8(), plan.url.display().toUtf8());
        one.name = plan.name;
        one.url = plan.url.display();
        one.kind = recipes::backendName(plan.url.scheme);
        one.health = {session::Health::Level::Working, tr("%1 · connecting").arg(usualName(plan.url)), {}};
        one.changesAllowed = plan.changesAllowed;
        m_urls[{one.name, one.url}] = plan.url;
        facts.push_back(std::move(one));
    }
    takeConnections(std::move(facts));
    m_meta = session::Session::recordingMeta();
    connect(&m_connections, &session::ConnectionDesk::addWanted, this, &LiveSession::add);
    connect(&m_connections, &session::ConnectionDesk::editWanted, this, &LiveSession::edit);
    connect(&m_connections, &session::ConnectionDesk::endWanted, this,
            [this](trace::EntityId id) { m_thread.put([this, id] { m_worker->end(id); }); });
    connect(&m_connections, &session::ConnectionDesk::reconnectWanted, this,
            [this](trace::EntityId id) { m_thread.put([this, id] { m_worker->reconnect(id); }); });
    connect(&m_connections, &session::ConnectionDesk::changesWanted, this, [this](trace::EntityId id, bool allowed) {
        m_thread.put([this, id, allowed] { m_worker->allowChanges(id, allowed); });
    });
    connect(&m_connections, &session::ConnectionDesk::planWanted, this,
            [this](trace::EntityId lock) { release(lock, &LiveWorker::planRelease); });
    connect(&m_connections, &session::ConnectionDesk::forceWanted, this,
            [this](trace::EntityId lock) { release(lock, &LiveWorker::forceRelease); });
    connect(&m_connections, &session::ConnectionDesk::clientRulesWanted, this,
            [this] { m_thread.put([this, rules = m_connections.clientRules()] { m_worker->setClientRules(rules); }); });
    m_thread.put([this, settings = m_settings, plans = std::move(connections)] { makeWorker(settings, plans); });
}

LiveSession::~LiveSession() {
    m_thread.put([this] { m_worker.reset(); });
}

ConnectionPlan LiveSession::named(ConnectionPlan plan, const std::vector<session::ConnectionFacts>& besides) const {
    if (plan.name.isEmpty()) plan.name = usualName(plan.url);
    const QString wanted = plan.name, url = plan.url.display();
    const auto taken = [&](const session::ConnectionFacts& one) {
        // A connection that was ended is opened again under its name.
        return one.name == plan.name && (one.open || one.url != url);
    };
    for (int number = 2; std::ranges::any_of(besides, taken); ++number)
        plan.name = QStringLiteral("%1 (%2)").arg(wanted).arg(number);
    return plan;
}

session::AlertDesk* LiveSession::alertDesk(trace::EntityId connection) {
    const auto found = std::ranges::find_if(m_alerts, [&](const auto& one) { return one->connection() == connection; });
    if (found != m_alerts.end()) return found->get();
    session::AlertDesk* const desk = m_alerts.emplace_back(std::make_unique<session::AlertDesk>(connection)).get();
    connect(desk, &session::AlertDesk::wishesChanged, this, [this, desk] {
        m_thread.put([this, id = desk->connection(), rules = desk->rules(), mutes = desk->mutes()] {
            m_worker->setAlerts(id, rules, mutes);
        });
    });
    connect(desk, &session::AlertDesk::usualChanged, this, [this, desk] {
        m_thread.put([this, id = desk->connection(), usual = desk->usual()] { m_worker->setUsual(id, usual); });
    });
    return desk;
}

std::vector<session::AlertDesk*> LiveSession::alertDesks() {
    std::vector<session::AlertDesk*> all;
    for (const auto& one : m_alerts)
        all.push_back(one.get());
    return all;
}

void LiveSession::takeConnections(std::vector<session::ConnectionFacts> all) {
    const session::Health before = health();
    const session::Abilities could = abilities();
    for (const session::ConnectionFacts& one : all)
        alertDesk(one.id);
    m_connections.take(std::move(all));
    const session::Health now = health();
    const session::Abilities can = abilities();
    const bool otherAbilities = can.faults != could.faults || can.forceRelease != could.forceRelease;
    if (now.text != before.text || now.level != before.level || otherAbilities) Q_EMIT healthChanged();
    if (otherAbilities) Q_EMIT scenarioChanged(); // what can be set and broken is something else now
}

void LiveSession::add(const session::ConnectionWish& wish) {
    auto url = parseWatchable(wish.url);
    if (!url) {
        Q_EMIT complained(url.error());
        return;
    }
    const QString shown = url->display();
    for (const session::ConnectionFacts& one : m_connections.all())
        if (one.open && one.url == shown) {
            Q_EMIT complained(tr("%1 is open already, as “%2”.").arg(shown, one.name));
            return;
        }
    open({wish.name, std::move(*url), wish.changesAllowed}, m_connections.all());
}

void LiveSession::open(ConnectionPlan plan, const std::vector<session::ConnectionFacts>& besides) {
    plan = named(std::move(plan), besides);
    m_urls[{plan.name, plan.url.display()}] = plan.url;
    m_thread.put([this, plan = std::move(plan)] { m_worker->add(plan); });
}

void LiveSession::edit(trace::EntityId id, const session::ConnectionWish& wish) {
    const session::ConnectionFacts* const facts = m_connections.find(id);
    auto url = parseWatchable(wish.url);
    if (!facts || !url) {
        if (!url) Q_EMIT complained(url.error());
        return;
    }
    const bool sameServer = url->display() == facts->url;
    if (sameServer && url->password.isEmpty()) url = m_urls.at({facts->name, facts->url});
    if (sameServer && facts->open && (wish.name.isEmpty() || wish.name == facts->name) &&
        *url == m_urls.at({facts->name, facts->url})) {
        m_connections.allowChanges(id, wish.changesAllowed);
        return;
    }
    // Another address is another server: what was seen of the first one stays in the picture under its own name.
    std::vector<session::ConnectionFacts> besides = m_connections.all();
    std::erase_if(besides, [id](const session::ConnectionFacts& one) { return one.id == id; });
    const QString name = wish.name.isEmpty() && sameServer ? facts->name : wish.name;
    m_connections.end(id);
    open({name, std::move(*url), wish.changesAllowed}, besides);
}

void LiveSession::makeWorker(const scenario::Scenario& settings, std::vector<ConnectionPlan> connections) {
    LiveWorker::Listener listener;
    listener.grown = [this] { m_inbox.put([this] { Q_EMIT advanced(); }); };
    listener.replaced = [this](const std::shared_ptr<trace::Trace>& next, std::size_t row) {
        m_inbox.put([this, next, row] {
            m_joint = {m_trace, row};
            m_trace = next;
            m_verdict = std::make_shared<verdict::Verdict>(); // it names rows of the former one
            Q_EMIT traceReplaced();
        });
    };
    listener.judged = [this](const std::shared_ptr<const verdict::Verdict>& verdict) {
        m_inbox.put([this, verdict] {
            m_verdict = verdict;
            Q_EMIT verdictChanged();
        });
    };
    listener.connections = [this](const std::vector<session::ConnectionFacts>& all) {
        m_inbox.put([this, all] { takeConnections(all); });
    };
    listener.load = [this](double perSecond) {
        m_inbox.put([this, perSecond] {
            m_ownLoad = perSecond;
            Q_EMIT ownLoadChanged();
        });
    };
    listener.alerts = [this](const AlertNews& news) {
        m_inbox.put([this, news] { alertDesk(news.connection)->take(news.changes, news.board, news.at, news.wallMs); });
    };
    listener.refused = [this](const QString& why) { m_inbox.put([this, why] { Q_EMIT complained(why); }); };
    listener.planned = [this](trace::EntityId lock, const QByteArrayList& commands) {
        QStringList lines;
        for (const QByteArray& line : commands)
            lines << QString::fromUtf8(line);
        m_inbox.put([this, lock, lines] {
            Q_EMIT releasePlanned(m_trace->entity(lock).name, lines);
            Q_EMIT m_connections.releasePlanned(lock, lines);
        });
    };
    m_worker = std::make_unique<LiveWorker>(settings, m_trace, std::move(listener));
    for (ConnectionPlan& plan : connections)
        m_worker->add(std::move(plan));
}

void LiveSession::setMostRows(std::size_t rows) {
    m_thread.put([this, rows] { m_worker->setMostRows(rows); });
}

bool LiveSession::hasGround() const {
    // Clients of our own run on Redis only so far.
    return std::ranges::any_of(m_connections.all(), [](const session::ConnectionFacts& one) {
        const auto isRedis = [&] { return one.url.startsWith(u"redis://") || one.url.startsWith(u"rediss://"); };
        return one.open && one.changesAllowed && isRedis();
    });
}

session::Abilities LiveSession::abilities() const {
    session::Abilities abilities;
    abilities.live = true;
    abilities.faults = abilities.workload = hasGround();
    abilities.forceRelease = std::ranges::any_of(
        m_connections.all(), [](const session::ConnectionFacts& one) { return one.open && one.changesAllowed; });
    return abilities;
}

std::expected<void, QString> LiveSession::allows(scenario::Action action, scenario::TargetKind target) const {
    if (!abilities().forceRelease)
        return std::unexpected(
            m_connections.all().size() > 1
                ? tr("These connections are read-only. Allow changes on one of them to run clients of our own.")
                : tr("This connection is read-only. Allow changes on it to run clients of our own."));
    if (!hasGround()) return std::unexpected(tr("Clients of our own run on Redis only so far."));
    return Session::allows(action, target);
}

QString LiveSession::title() const {
    // By name, as on their cards: an address can contain a login, and a title is on every shared screen.
    const bool anyOpen = m_connections.openCount() > 0;
    QStringList names;
    for (const session::ConnectionFacts& one : m_connections.all())
        if (one.open || !anyOpen) names << one.name;
    constexpr qsizetype kMost = 3;
    if (names.size() <= kMost) return names.join(QStringLiteral(" + "));
    const int more = int(names.size() - kMost);
    //: %1 is "shop-redis + db-main + jobs": names of connections.
    return tr("%1 and %n more", nullptr, more).arg(names.mid(0, kMost).join(QStringLiteral(" + ")));
}

void LiveSession::advanceToNext(session::Milestone milestone, Nanos from) {
    // Only what has happened can be looked for: nobody can make a live server go on.
    const auto at = session::nextMilestone(*m_trace, *m_verdict, milestone, from);
    Q_EMIT milestoneReached(at.has_value(), at.value_or(m_trace->reached()));
}

void LiveSession::apply(scenario::Fault fault, Nanos) {
    if (const auto allowed = allows(fault.action, scenario::targetKind(fault.action)); !allowed) {
        Q_EMIT complained(allowed.error());
        return;
    }
    if (fault.action == scenario::Action::Set) {
        if (const auto done = applyLiveSetting(m_settings, fault); !done) {
            Q_EMIT complained(done.error());
            return;
        }
    }
    fault.at = m_trace->reached();
    m_byHand.push_back(fault);
    Q_EMIT scenarioChanged(); // what was done by hand is another list now
    m_thread.put([this, fault] { m_worker->act(fault); });
}

void LiveSession::restart(std::uint64_t, session::ByHand) {
    Q_EMIT complained(tr("A live server cannot be started again from here; connect again for an empty picture."));
}

void LiveSession::release(trace::EntityId lock, void (LiveWorker::*how)(trace::EntityId)) {
    if (session::mayForce(this, lock))
        m_thread.put([this, lock, how] { (m_worker.get()->*how)(lock); });
    else
        session::Session::forceRelease(m_trace->entity(lock).name); // says why not
}

std::optional<trace::EntityId> LiveSession::lockToFree(const QByteArray& name) {
    std::vector<trace::EntityId> found;
    for (trace::EntityId id = 1; id < m_trace->entityCount(); ++id)
        if (m_trace->entity(id).kind == trace::EntityKind::Lock && m_trace->entity(id).name == name)
            if (m_trace->copyOf(id) == trace::kNoEntity && session::mayForce(this, id)) found.push_back(id);
    if (found.size() == 1) return found.front();
    if (found.empty())
        session::Session::forceRelease(name);
    else
        Q_EMIT complained(tr("Several servers have a lock “%1”: choose one of them.").arg(QString::fromUtf8(name)));
    return std::nullopt;
}

void LiveSession::planRelease(QByteArray lockName) {
    if (const auto lock = lockToFree(lockName)) release(*lock, &LiveWorker::planRelease);
}

void LiveSession::forceRelease(QByteArray lockName) {
    if (const auto lock = lockToFree(lockName)) release(*lock, &LiveWorker::forceRelease);
}

} // namespace lockscope::live

// Here and not beside the other sessions': a program without this one is then spared the drivers and their libraries.
#include "moc_live_session.cpp" // NOLINT(bugprone-suspicious-include): it is generated to be included
