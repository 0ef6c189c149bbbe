// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/view_context.h"

#include "scenario/settings.h"
#include "session/planning.h"
#include "trace/member.h"

#include <QMetaMethod>

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;

namespace {
constexpr auto kFrame = 33ms;              ///< traceGrew comes at most this often: nobody reads faster
constexpr std::size_t kRowsAhead = 32'768; ///< folded in one go when there is nothing else to do: about a millisecond
} // namespace

ViewContext::ViewContext(QObject* parent)
    : QObject(parent),
      m_empty(std::make_shared<trace::Trace>()),
      m_trace(m_empty),
      m_noVerdict(std::make_shared<verdict::Verdict>()) {
    m_pace.setSingleShot(true);
    m_pace.setInterval(kFrame);
    connect(&m_pace, &QTimer::timeout, this, [this] {
        if (m_grewMeanwhile) grow();
    });
    m_ahead.setInterval(0);
    connect(&m_ahead, &QTimer::timeout, this, &ViewContext::foldAhead);
}

ViewContext::~ViewContext() = default;

void ViewContext::setSession(session::Session* session) {
    if (session == m_session) return;
    if (m_session) m_session->disconnect(this);
    m_session = session;
    m_selection = kNoEntity;
    m_wanted.reset();
    m_playhead = m_furthest = m_lookAhead = {};
    if (session) {
        connect(session, &session::Session::traceReplaced, this, [this] {
            // The selection goes on in the new trace by name: a person who rewound still looks at the same client.
            if (m_selection != kNoEntity) m_wanted = identityOf(m_selection);
            adoptTrace();
        });
        connect(session, &session::Session::advanced, this, &ViewContext::onAdvanced);
        connect(session, &session::Session::futureReplaced, this, &ViewContext::onFutureReplaced);
        connect(session, &session::Session::verdictChanged, this, &ViewContext::verdictChanged);
        connect(session, &session::Session::scenarioChanged, this, [this] {
            m_scenario.reset();
            m_settings.reset();
            Q_EMIT scenarioChanged();
        });
        connect(session, &QObject::destroyed, this, [this] {
            m_wanted.reset();
            adoptTrace();
        });
    }
    adoptTrace();
    Q_EMIT playheadChanged(m_playhead);
}

std::shared_ptr<const trace::Trace> ViewContext::trace() const {
    return m_trace;
}

std::shared_ptr<const verdict::Verdict> ViewContext::verdict() const {
    const session::Session* const session = m_session;
    if (!session) return m_noVerdict;
    if (!m_heldBack.verdictFrom) return session->verdict();
    if (auto whole = session->verdict(); whole != m_whole || !m_told) {
        m_told = std::make_shared<verdict::Verdict>(whole->beganBefore(*m_heldBack.verdictFrom));
        m_whole = std::move(whole);
    }
    return m_told;
}

void ViewContext::setHeldBack(HeldBack heldBack) {
    if (heldBack == m_heldBack) return;
    m_heldBack = std::move(heldBack);
    m_whole.reset();
    m_told.reset();
    Q_EMIT heldBackChanged();
    Q_EMIT verdictChanged();
}

void ViewContext::adoptTrace() {
    const session::Session* const session = m_session;
    m_trace = session ? session->trace() : m_empty;
    if (!m_trace) m_trace = m_empty;
    m_index.reset();
    m_stateValid = false;
    m_now = {};
    m_glance.reset();
    m_scenario.reset();
    m_settings.reset();
    m_entities.clear();
    m_copies.clear();
    m_seenEntities = 0;
    const EntityId before = m_selection;
    m_selection = m_about = m_worst = kNoEntity;
    if (m_wanted) m_selection = find(*m_wanted);
    if (m_selection != kNoEntity) m_wanted.reset();
    m_ahead.start();
    Q_EMIT sessionChanged();
    if (m_selection != before) Q_EMIT selectionChanged(m_selection);
    Q_EMIT verdictChanged();
}

void ViewContext::onAdvanced() {
    m_glance.reset();
    if (m_pace.isActive())
        m_grewMeanwhile = true;
    else
        grow();
}

void ViewContext::onFutureReplaced(session::Rewrite why, Nanos from) {
    // A world looks a little ahead of the playhead: that nobody misses.
    const bool seen = from < m_furthest;
    m_lookAhead = {}; // a change of what has been seen is to be seen at once
    const bool goesOn = why == session::Rewrite::Apply || why == session::Rewrite::Restart;
    if (goesOn) m_furthest = std::min(m_furthest, std::max(m_playhead, from));
    if (seen || !goesOn)
        Q_EMIT futureReplaced(why, from);
    else
        Q_EMIT unseenFutureReplaced(from);
}

void ViewContext::grow() {
    m_grewMeanwhile = false;
    m_pace.start();
    if (!m_ahead.isActive()) m_ahead.start();
    if (m_wanted) {
        if (const EntityId found = find(*m_wanted); found != kNoEntity) {
            m_wanted.reset();
            setSelection(found);
        }
    }
    Q_EMIT traceGrew();
}

void ViewContext::setPlayhead(Nanos t) {
    t = std::max(t, Nanos::zero());
    if (t == m_playhead) return;
    m_playhead = t;
    m_glance.reset();
    m_furthest = std::max(m_furthest, t);
    if (auto* const planning = session::Planning::of(m_session)) planning->lookedAt(t);
    Q_EMIT playheadChanged(t);
}

std::optional<Nanos> ViewContext::unseenFrom() const {
    const session::Session* const session = m_session;
    const Nanos reached = m_trace->reached();
    if (!session || !session->abilities().rewind || reached <= m_furthest || reached > m_lookAhead) return std::nullopt;
    return m_furthest;
}

std::size_t ViewContext::seenRows() const {
    const std::optional<Nanos> unseen = unseenFrom();
    return unseen ? m_trace->upperBound(*unseen) : m_trace->size();
}

void ViewContext::seek(Nanos t) {
    static const QMetaMethod kRequest = QMetaMethod::fromSignal(&ViewContext::seekRequested);
    if (isSignalConnected(kRequest))
        Q_EMIT seekRequested(t);
    else
        setPlayhead(t);
}

void ViewContext::foldAhead() {
    if (!m_index) m_index = std::make_unique<trace::StateIndex>(m_trace);
    if (m_index->prepare(kRowsAhead)) m_ahead.stop();
}

bool ViewContext::stateLeadsTo(std::size_t rows) const {
    if (!m_stateValid || m_playhead < m_stateAt || rows < m_state.rows || rows - m_state.rows > kRowsAhead)
        return false;
    // A row from before the instant that the state stands at would find beliefs ended that it may have prolonged.
    return !m_stateEnded || rows == m_state.rows || m_trace->timeAt(m_state.rows) >= m_stateAt.count();
}

const ViewContext::Glance& ViewContext::glance() const {
    if (m_glance) return *m_glance;
    QMetaObject::invokeMethod(
        const_cast<ViewContext*>(this), [this] { m_glance.reset(); }, Qt::QueuedConnection);
    // A trace tells a row before the time that it has reached by it.
    const Nanos reached = m_trace->reached();
    return m_glance.emplace(Glance{m_trace->size(), reached});
}

const trace::State& ViewContext::state() const {
    const std::size_t rows = std::min(m_trace->upperBound(m_playhead), glance().rows);
    if (m_stateValid && m_stateAt == m_playhead && m_state.rows == rows) return m_state;
    // Time mostly goes on by a frame: with thousands of locks a copy of the state takes longer than the rows until
    // then.
    if (stateLeadsTo(rows)) {
        while (m_state.rows < rows)
            m_state.apply(m_trace->at(m_state.rows), *m_trace);
    } else {
        if (!m_index) m_index = std::make_unique<trace::StateIndex>(m_trace);
        m_state = m_index->atRow(rows);
    }
    m_stateEnded = m_state.nextDeadline() <= m_playhead.count();
    m_state.passTime(m_playhead.count());
    m_stateAt = m_playhead;
    m_stateValid = true;
    return m_state;
}

Nanos ViewContext::actsAt() const {
    const session::Session* const session = m_session;
    const session::Abilities can = session ? session->abilities() : session::Abilities{};
    const bool changes = can.faults || can.workload || can.forceRelease;
    if (can.rewind || !changes) return m_playhead;
    return std::max(m_playhead, m_trace->reached());
}

const trace::State& ViewContext::stateToActOn() const {
    if (actsAt() == m_playhead) return state();
    // Folded on with the rows that come: it is asked for at every frame, and the playhead's own way through the index
    // must not be sent back and forth for it.
    const Glance& seen = glance();
    while (m_now.rows < seen.rows)
        m_now.apply(m_trace->at(m_now.rows), *m_trace);
    m_now.passTime(seen.reached.count());
    return m_now;
}

void ViewContext::setSpotlight(std::optional<Spotlight> spotlight) {
    if (spotlight == m_spotlight) return;
    m_spotlight = std::move(spotlight);
    Q_EMIT spotlightChanged();
}

void ViewContext::select(EntityId entity, EntityId about) {
    m_wanted.reset();
    setSelection(entity, about);
}

void ViewContext::setSelection(EntityId entity, EntityId about) {
    if (entity >= m_trace->entityCount()) entity = kNoEntity;
    if (entity == m_selection && about == m_about) return;
    m_selection = entity;
    m_about = about;
    Q_EMIT selectionChanged(entity);
}

void ViewContext::setWorstLock(EntityId lock) {
    if (lock >= m_trace->entityCount()) lock = kNoEntity;
    if (lock == m_worst) return;
    const EntityId before = focusedLock();
    m_worst = lock;
    if (focusedLock() != before) Q_EMIT selectionChanged(m_selection);
}

const scenario::Scenario& ViewContext::scenario() const {
    if (!m_scenario) {
        const session::Session* const session = m_session;
        m_scenario = session ? session->scenario() : scenario::Scenario{};
    }
    return *m_scenario;
}

const scenario::Scenario& ViewContext::settings() const {
    if (!m_settings || m_settingsAt != m_playhead) {
        m_settings = scenario::settingsAt(scenario(), m_playhead);
        m_settingsAt = m_playhead;
    }
    return *m_settings;
}

EntityId ViewContext::focusedLock() const {
    const trace::Entity& selected = m_trace->entity(m_selection);
    if (selected.kind == EntityKind::Lock) {
        const EntityId logical = m_trace->copyOf(m_selection);
        return logical ? logical : m_selection;
    }
    if (selected.kind == EntityKind::Resource) return selected.parent;
    if (m_about != kNoEntity) return m_about;
    if (selected.kind == EntityKind::Thread || selected.kind == EntityKind::Client ||
        selected.kind == EntityKind::Link) {
        const EntityId client = selected.kind == EntityKind::Link ? selected.parent : m_trace->clientOf(m_selection);
        EntityId waited = kNoEntity;
        for (const auto& [key, belief] : state().beliefs) {
            const bool its = selected.kind == EntityKind::Thread ? key.second == m_selection
                                                                 : m_trace->clientOf(key.second) == client;
            if (!its || belief.phase == trace::Belief::Phase::Idle) continue;
            if (belief.phase == trace::Belief::Phase::Holding) return key.first;
            if (waited == kNoEntity) waited = key.first;
        }
        if (waited != kNoEntity) return waited;
    }
    if (selected.kind == EntityKind::Node) {
        for (const auto& [lock, record] : state().records)
            if (trace::keeperOf(*m_trace, lock, record.decider) == m_selection)
                return record.copyOf ? record.copyOf : lock;
    }
    if (m_worst != kNoEntity) return m_worst;
    for (const EntityId lock : entities(EntityKind::Lock))
        if (m_trace->copyOf(lock) == kNoEntity) return lock;
    return kNoEntity;
}

const std::vector<EntityId>& ViewContext::entities(EntityKind kind) const {
    const std::size_t count = m_trace->entityCount();
    for (; m_seenEntities < count; ++m_seenEntities) {
        const EntityId id = EntityId(m_seenEntities);
        const EntityKind its = m_trace->entity(id).kind;
        if (its != EntityKind::Text) m_entities[its].push_back(id);
        if (const EntityId logical = m_trace->copyOf(id); logical != kNoEntity) m_copies[logical].push_back(id);
    }
    return m_entities[kind];
}

const std::vector<EntityId>& ViewContext::copiesOf(EntityId lock) const {
    static const std::vector<EntityId> kNone;
    entities(EntityKind::Lock);
    const auto found = m_copies.find(lock);
    return found == m_copies.end() ? kNone : found->second;
}

void ViewContext::breakIt(scenario::Fault fault) {
    session::Session* const session = m_session;
    if (!session) return;
    const Nanos at = actsAt();
    if (fault.action == scenario::Action::Set) {
        if (!session->abilities().workload) {
            Q_EMIT session->complained(tr("This session cannot be changed: nothing was done."));
            return;
        }
        fault.byHand = true;
        fault.at = at;
        session->apply(std::move(fault), at);
        return;
    }
    const auto target = session::Breakable::named(sightToActOn(), fault.action, fault.target);
    if (!target) {
        Q_EMIT session->complained(tr("There is no “%1” to do this to at this instant.").arg(fault.target));
    } else if (const auto struck = target->strike(fault.action, fault.value, at, fault.text); !struck) {
        Q_EMIT session->complained(struck.error());
    }
}

session::Breakable::Sight ViewContext::sightToActOn() const {
    return {m_session, *trace(), stateToActOn(), settings()};
}

void ViewContext::reveal(Nanos t, EntityId entity) {
    if (entity != kNoEntity) select(entity);
    seek(t);
    Q_EMIT revealRequested(t, entity);
}

void ViewContext::explain(std::size_t violation) {
    const auto judged = verdict();
    if (violation >= judged->violations.size()) return;
    const verdict::Violation& its = judged->violations[violation];
    reveal(its.from, its.lock);
    Q_EMIT explanationRequested(violation);
}

ViewContext::Identity ViewContext::identityOf(EntityId entity) const {
    const trace::Entity& e = m_trace->entity(entity);
    return {e.kind, e.name, m_trace->entity(e.parent).name, m_trace->entity(e.other).name};
}

EntityId ViewContext::find(const Identity& identity) const {
    for (const EntityId id : entities(identity.kind)) {
        const trace::Entity& e = m_trace->entity(id);
        if (e.name == identity.name && m_trace->entity(e.parent).name == identity.parent &&
            m_trace->entity(e.other).name == identity.other)
            return id;
    }
    return kNoEntity;
}

} // namespace lockscope::views
