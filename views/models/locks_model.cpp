// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/locks_model.h"

#include "inspect/kept_by_words.h"
#include "models/alert_words.h"
#include "models/connection_words.h"
#include "theme/format.h"
#include "trace/connection.h"

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;

namespace {
/// So many locks are refreshed at once; more of them part by part and less often, so that the window stays quick.
constexpr int kManyLocks = 2000;
constexpr auto kManyPace = 250ms;

/// A lock of its own: what each of several servers keeps of one is no lock more.
bool isLock(const trace::Trace& trace, EntityId id) {
    return trace.entity(id).kind == EntityKind::Lock && trace.copyOf(id) == kNoEntity;
}
} // namespace

LocksModel::LocksModel(ViewContext* context, QObject* parent)
    : QAbstractItemModel(parent), m_context(context), m_copies(context), m_desks(context) {
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &LocksModel::refresh);
    connect(context, &ViewContext::sessionChanged, this, &LocksModel::reload);
    connect(&m_desks, &AlertDesks::arranged, this, &LocksModel::refreshSoon);
    connect(&m_desks, &AlertDesks::changed, this, &LocksModel::refreshSoon);
    connect(context, &ViewContext::traceGrew, this, &LocksModel::refreshSoon);
    connect(context, &ViewContext::playheadChanged, this, [this] {
        if (m_pass || pace() > 0ms) return refreshSoon();
        m_soon.stop(); // few locks are told at once, with everything else: one picture shows one instant
        refresh();
    });
    connect(context, &ViewContext::scenarioChanged, this, &LocksModel::refreshSoon);
    reload();
}

void LocksModel::setGrouping(Grouping grouping) {
    if (grouping == m_grouping) return;
    beginResetModel();
    m_grouping = grouping;
    arrangeGroups();
    endResetModel();
}

LocksModel::GroupKey LocksModel::groupOf(const LockFacts& facts) const {
    const auto trace = m_context->trace();
    switch (m_grouping) {
    case Grouping::None:
    case Grouping::Server: {
        const EntityId server = trace->entity(facts.lock).parent;
        const EntityId connection = trace::connectionOf(*trace, server);
        return {connection != kNoEntity ? connection : server, {}};
    }
    case Grouping::Backend:
        return {kNoEntity, backendOf(*m_context, facts.lock)};
    case Grouping::Holder:
        return {facts.held() && facts.known() ? trace->clientOf(facts.owner) : kNoEntity, {}};
    }
    return {};
}

QString LocksModel::groupName(const GroupKey& key) const {
    if (m_grouping == Grouping::Backend) return key.name;
    if (key.entity == kNoEntity) return m_grouping == Grouping::Holder ? tr("no holder") : tr("no server");
    const QString name = m_context->trace()->displayName(key.entity);
    return name.isEmpty() ? tr("holders without a name") : name;
}

void LocksModel::arrangeGroups() {
    m_groups.clear();
    m_place.clear();
    for (int position = 0; position < lockCount(); ++position) {
        GroupKey key = groupOf(m_facts[std::size_t(position)]);
        auto group = std::ranges::find(m_groups, key, &Group::key);
        if (group == m_groups.end()) group = m_groups.insert(m_groups.end(), {std::move(key), {}});
        m_place.emplace_back(int(group - m_groups.begin()), int(group->locks.size()));
        group->locks.push_back(position);
    }
    m_arranged.start();
}

void LocksModel::reload() {
    beginResetModel();
    m_facts.clear();
    m_position.clear();
    m_groups.clear();
    m_place.clear();
    m_copies.clear();
    m_anyCopy = false;
    m_seenEntities = 0;
    m_pass.reset();
    m_badges = connectionsOf(*m_context);
    m_alerts = alertsNow();
    const auto trace = m_context->trace();
    for (; m_seenEntities < trace->entityCount(); ++m_seenEntities) {
        const EntityId id = EntityId(m_seenEntities);
        if (isLock(*trace, id)) {
            appendLock(id);
        } else if (const auto logical = m_position.find(trace->copyOf(id)); logical != m_position.end()) {
            m_copies.add(id, logical->second);
            m_anyCopy = true;
        }
    }
    endResetModel();
    Q_EMIT alertsCame(hasAlerts());
}

LocksModel::Alerts LocksModel::alertsNow() const {
    Alerts alerts;
    for (const auto& desk : m_desks.all()) {
        if (!desk) continue;
        for (const auto& [lock, span] : desk->worstAt(m_context->playhead()))
            alerts.emplace(std::pair(desk->connection(), lock), Alerted{span->rule.kind, span->sentence});
    }
    return alerts;
}

const LocksModel::Alerted* LocksModel::alertIn(const Alerts& alerts, EntityId lock) const {
    if (alerts.empty()) return nullptr;
    const auto trace = m_context->trace();
    const QByteArray& name = trace->entity(lock).name;
    auto found = alerts.find({trace::connectionOf(*trace, lock), name});
    if (found == alerts.end()) found = alerts.find({kNoEntity, name}); // of a session with one server only
    return found == alerts.end() ? nullptr : &found->second;
}

const LocksModel::Alerted* LocksModel::alertOf(const LockFacts& facts) const {
    return alertIn(m_alerts, facts.lock);
}

void LocksModel::refreshSoon() {
    m_again = m_pass.has_value();
    // One that waits is left alone: started again at every frame, it would never come to its end while time goes on.
    if (m_pass || m_soon.isActive()) return;
    m_soon.start(pace());
}

std::chrono::milliseconds LocksModel::pace() const {
    return lockCount() > kManyLocks ? kManyPace : 0ms;
}

void LocksModel::beginPass() {
    addLocks();
    m_history.moveTo(m_context->trace(), m_context->playhead());
    Pass pass;
    std::vector<EntityId> badges = connectionsOf(*m_context);
    pass.badgesDiffer = badges != m_badges; // with a second connection the first one gets a badge, too
    m_badges = std::move(badges);
    pass.ages = std::exchange(m_ages, agesNow());
    pass.agesDiffer = pass.ages != m_ages;
    pass.alerts = std::exchange(m_alerts, alertsNow());
    pass.alertsDiffer = pass.alerts != m_alerts;
    pass.count = lockCount();
    m_pass = std::move(pass);
}

bool LocksModel::wordsDiffer(EntityId lock) const {
    const Pass& pass = *m_pass;
    if (pass.badgesDiffer) return true;
    if (pass.alertsDiffer) {
        const Alerted *before = alertIn(pass.alerts, lock), *after = alertIn(m_alerts, lock);
        if ((before != nullptr) != (after != nullptr) || (before && *before != *after)) return true;
    }
    return pass.agesDiffer && ageIn(pass.ages, lock) != ageIn(m_ages, lock);
}

void LocksModel::refresh() {
    if (!m_pass) beginPass();
    std::vector<int> changed;
    const int end = std::min(m_pass->count, m_pass->next + kManyLocks);
    for (int& i = m_pass->next; i < end; ++i) {
        LockFacts& known = m_facts[std::size_t(i)];
        LockFacts now = lockFacts(known.lock, *m_context);
        if (now == known && !wordsDiffer(now.lock)) continue;
        known = std::move(now);
        changed.push_back(i);
    }
    announce(changed);
    m_pass->changed.insert(m_pass->changed.end(), changed.begin(), changed.end());
    if (m_pass->next < m_pass->count) {
        m_soon.start(0);
        return;
    }
    const Pass pass = *std::exchange(m_pass, std::nullopt);
    if (m_grouping == Grouping::Holder) regroup(pass.changed);
    if (pass.alerts.empty() != m_alerts.empty()) Q_EMIT alertsCame(hasAlerts());
    m_copies.refresh([this](int lock) {
        const QModelIndex parent = indexOf(m_facts[std::size_t(lock)].lock);
        Q_EMIT dataChanged(index(0, 0, parent), index(m_copies.countOf(lock) - 1, ColumnCount - 1, parent));
    });
    if (m_again) refreshSoon();
}

/// Locks that changed hands go to their new holders' groups: not more often than a person can read.
void LocksModel::regroup(const std::vector<int>& changed) {
    constexpr auto kReadable = 1000ms;
    m_regroup = m_regroup || std::ranges::any_of(changed, [&](int i) {
                    return groupOf(m_facts[std::size_t(i)]) != m_groups[std::size_t(m_place[std::size_t(i)].first)].key;
                });
    if (!m_regroup) return;
    if (m_arranged.isValid() && !m_arranged.hasExpired(std::chrono::milliseconds(kReadable).count())) {
        QTimer::singleShot(kReadable, this, &LocksModel::refreshSoon);
        return;
    }
    m_regroup = false;
    beginResetModel();
    arrangeGroups();
    endResetModel();
}

void LocksModel::addCopy(EntityId copy) {
    const auto logical = m_position.find(m_context->trace()->copyOf(copy));
    if (logical == m_position.end()) return;
    const int count = m_copies.countOf(logical->second);
    beginInsertRows(indexOf(logical->first), count, count);
    m_copies.add(copy, logical->second);
    m_anyCopy = true;
    endInsertRows();
}

void LocksModel::addLocks() {
    const auto trace = m_context->trace();
    const std::size_t count = trace->entityCount();
    for (; m_seenEntities < count; ++m_seenEntities) {
        const EntityId id = EntityId(m_seenEntities);
        if (!isLock(*trace, id)) {
            if (trace->entity(id).kind == EntityKind::Lock) addCopy(id);
            continue;
        }
        if (!isGrouped()) {
            beginInsertRows({}, lockCount(), lockCount());
            appendLock(id);
            endInsertRows();
            continue;
        }
        const auto group = std::ranges::find(m_groups, groupOf(lockFacts(id, *m_context)), &Group::key);
        if (group == m_groups.end()) {
            // With its first lock in it: a server without locks has no row.
            beginInsertRows({}, int(m_groups.size()), int(m_groups.size()));
            appendLock(id);
            endInsertRows();
        } else {
            const QModelIndex parent = index(int(group - m_groups.begin()), 0);
            beginInsertRows(parent, int(group->locks.size()), int(group->locks.size()));
            appendLock(id);
            endInsertRows();
        }
    }
}

void LocksModel::appendLock(EntityId lock) {
    LockFacts facts = lockFacts(lock, *m_context);
    GroupKey key = groupOf(facts);
    auto group = std::ranges::find(m_groups, key, &Group::key);
    if (group == m_groups.end()) group = m_groups.insert(m_groups.end(), {std::move(key), {}});
    const int position = lockCount();
    m_place.emplace_back(int(group - m_groups.begin()), int(group->locks.size()));
    group->locks.push_back(position);
    m_position[lock] = position;
    m_facts.push_back(std::move(facts));
}

void LocksModel::announce(const std::vector<int>& changed) {
    // From the first to the last, those between them included: held locks change at every refresh and free ones do not,
    // so telling of them one by one would cost each listener that sorts and counts a whole table each time.
    const auto tell = [this](int first, int last, const QModelIndex& parent) {
        Q_EMIT dataChanged(index(first, 0, parent), index(last, ColumnCount - 1, parent));
    };
    if (changed.empty()) return;
    if (!isGrouped()) {
        tell(changed.front(), changed.back(), {});
        return;
    }
    std::map<int, std::pair<int, int>> rows; // by group; within a group rows grow with the locks
    for (const int i : changed) {
        const auto [group, row] = m_place[std::size_t(i)];
        rows.try_emplace(group, row, row).first->second.second = row;
    }
    for (const auto& [group, ends] : rows)
        tell(ends.first, ends.second, index(group, 0));
}

QModelIndex LocksModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent)) return {};
    if (!parent.isValid()) return createIndex(row, column, quintptr(0));
    const int lock = factsIndex(parent);
    return createIndex(row, column, lock < 0 ? quintptr(parent.row()) + 1 : kCopyOf + quintptr(lock));
}

QModelIndex LocksModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return {};
    if (isCopy(index)) return indexOf(m_facts[std::size_t(index.internalId() - kCopyOf)].lock);
    return createIndex(int(index.internalId()) - 1, 0, quintptr(0));
}

int LocksModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return isGrouped() ? int(m_groups.size()) : lockCount();
    if (parent.column() != 0 || isCopy(parent)) return 0;
    const int lock = factsIndex(parent);
    return lock < 0 ? int(m_groups[std::size_t(parent.row())].locks.size()) : m_copies.countOf(lock);
}

int LocksModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

/// The number of a lock's own row; -1 for others.
int LocksModel::factsIndex(const QModelIndex& index) const {
    if (!index.isValid() || isCopy(index)) return -1;
    if (!isGrouped()) return index.row();
    if (index.internalId() == 0) return -1;
    return m_groups[std::size_t(index.internalId() - 1)].locks[std::size_t(index.row())];
}

const LockFacts* LocksModel::facts(const QModelIndex& index) const {
    if (isCopy(index)) return m_copies.at(int(index.internalId() - kCopyOf), index.row());
    const int i = factsIndex(index);
    return i < 0 ? nullptr : &m_facts[std::size_t(i)];
}

QModelIndex LocksModel::indexOf(EntityId lock) const {
    if (const auto copy = m_copies.placeOf(lock))
        return index(copy->second, 0, indexOf(m_facts[std::size_t(copy->first)].lock));
    const auto found = m_position.find(lock);
    if (found == m_position.end()) return {};
    if (!isGrouped()) return index(found->second, 0);
    const auto [group, row] = m_place[std::size_t(found->second)];
    return index(row, 0, index(group, 0));
}

int LocksModel::badge(EntityId entity) const {
    if (m_badges.size() < 2) return -1;
    const auto found = std::ranges::find(m_badges, trace::connectionOf(*m_context->trace(), entity));
    return found == m_badges.end() ? -1 : int(found - m_badges.begin());
}

QVariant LocksModel::data(const QModelIndex& index, int role) const {
    const LockFacts* const lock = facts(index);
    if (!lock) {
        if (!index.isValid()) return {};
        const Group& group = m_groups[std::size_t(index.row())];
        if (role == EntityRole && group.key.entity != kNoEntity) {
            // A connection is selected by its server.
            const auto server = m_context->trace()->entity(m_facts[std::size_t(group.locks.front())].lock).parent;
            return m_grouping == Grouping::Server ? server : group.key.entity;
        }
        if (role == BadgeRole && m_grouping == Grouping::Server) return badge(group.key.entity);
        if (role == PlaceRole) return groupName(group.key);
        if (index.column() != LockColumn || (role != Qt::DisplayRole && role != SortRole)) return {};
        const QString name = groupName(group.key);
        return role == SortRole ? name : tr("%1 · %n lock(s)", "", int(group.locks.size())).arg(name);
    }
    if (isCopy(index)) {
        if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole || role == SortRole)
            return copyText(*lock, index.column());
        if (role == Qt::ToolTipRole && index.column() == TokenColumn && lock->held())
            return QString::number(lock->token);
        if (role == EntityRole) return lock->lock;
        if (role == ToneRole && index.column() == StateColumn) return int(m_copies.tone(*lock));
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return text(*lock, index.column());
    case Qt::AccessibleTextRole:
        if (index.column() == FormatColumn) return formatWords(text(*lock, FormatColumn), lock->certainty);
        if (index.column() == TokenColumn && lock->token) return QString::number(lock->token);
        if (index.column() == WaitersColumn && !lock->waiters.empty()) return waitersTip(*lock);
        return text(*lock, index.column());
    case Qt::ToolTipRole:
        if (index.column() == RenewalColumn) return renewalText(*lock, true);
        if (index.column() == WaitersColumn && !lock->waiters.empty()) return waitersTip(*lock);
        if (index.column() == HeldForColumn && timesUsual(*lock) > 0) return heldForTip(*lock);
        if (index.column() == HolderColumn && lock->held()) return holderTip(*lock);
        if (index.column() == TokenColumn && lock->token) return QString::number(lock->token);
        if (index.column() == FormatColumn && lock->certainty != trace::Certainty::Certain)
            return tr("%1. %2").arg(text(*lock, FormatColumn), certaintySentence(lock->certainty));
        if (index.column() == ServerColumn && lock->server != kNoEntity) {
            const auto trace = m_context->trace();
            const EntityId connection = trace::connectionOf(*trace, lock->server);
            if (connection == kNoEntity) return text(*lock, ServerColumn);
            return trace->displayName(connection) + QStringLiteral("\n") +
                   QString::fromUtf8(trace::urlOfConnection(*trace, connection));
        }
        if (const Alerted* const alert = alertOf(*lock); alert && index.column() == StateColumn)
            return tr("%1. %2").arg(conditionText(*lock), alert->sentence);
        if (index.column() == StateColumn && lock->condition == LockCondition::PerhapsHeld)
            return certaintySentence(lock->certainty);
        if (index.column() == TtlColumn && lock->held() && lock->observed && !lock->endKnown) {
            const QString kept = inspect::keptByText(lock->keptBy, inspect::KeptByUse::NoLease);
            return kept.isEmpty() ? tr("Unknown: this format does not say when the lock expires.") : kept;
        }
        if (index.column() == TtlColumn && lock->held() && lock->observed && !lock->gauge().known)
            return tr("%1. No bar: the lock was taken before Lockscope looked, so how long its lease was is not known.")
                .arg(text(*lock, TtlColumn));
        if (index.column() == StateColumn && lock->believers.size() > 1) {
            const QString names = namesOf(lock->believers, *m_context->trace());
            return lock->condition == LockCondition::DoubleBelief ? tr("%1 each believe they hold it").arg(names)
                                                                  : tr("%1 hold it together").arg(names);
        }
        return text(*lock, index.column());
    case SortRole:
        return sortValue(*lock, index.column());
    case EntityRole:
        return lock->lock;
    case BadgeRole:
        return badge(lock->lock);
    case PlaceRole:
        return connectionName(*m_context->trace(), lock->lock);
    case ToneRole:
        return toneOf(*lock, index.column());
    case PulseRole:
        return QVariant::fromValue(pulseOf(*lock));
    case AlertRole: {
        const Alerted* const alert = alertOf(*lock);
        return alert ? int(inspect::severityOf(alert->kind)) + 1 : 0;
    }
    default:
        return {};
    }
}

QVariant LocksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case LockColumn:
        return tr("Lock");
    case ServerColumn:
        return tr("Server");
    case FormatColumn:
        return tr("Format");
    case ModeColumn:
        return tr("Mode");
    case HolderColumn:
        return tr("Holder");
    case HoldsColumn:
        return tr("Holds");
    case TtlColumn:
        return tr("TTL");
    case RenewalColumn:
        return tr("Renewal");
    case WaitersColumn:
        return tr("Waiters");
    case TokenColumn:
        return tr("Token");
    case HeldForColumn:
        return tr("Held for");
    case StateColumn:
        return tr("State");
    default:
        return {};
    }
}

} // namespace lockscope::views
