// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/locks_model.h"

#include "theme/format.h"

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;

namespace {
/// So many locks are refreshed at once; more of them less often, so that the window stays quick.
constexpr int kManyLocks = 2000;
constexpr auto kManyPace = 250ms;

/// A lock of its own: what each of several servers keeps of one is no lock more.
bool isLock(const trace::Trace& trace, EntityId id) {
    return trace.entity(id).kind == EntityKind::Lock && trace.copyOf(id) == kNoEntity;
}
} // namespace

LocksModel::LocksModel(ViewContext* context, QObject* parent) : QAbstractItemModel(parent), m_context(context) {
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &LocksModel::refresh);
    connect(context, &ViewContext::sessionChanged, this, &LocksModel::reload);
    connect(context, &ViewContext::traceGrew, this, &LocksModel::refreshSoon);
    connect(context, &ViewContext::playheadChanged, this, &LocksModel::refreshSoon);
    connect(context, &ViewContext::scenarioChanged, this, &LocksModel::refreshSoon);
    reload();
}

void LocksModel::setGrouped(bool grouped) {
    if (grouped == m_grouped) return;
    beginResetModel();
    m_grouped = grouped;
    endResetModel();
}

void LocksModel::reload() {
    beginResetModel();
    m_facts.clear();
    m_position.clear();
    m_groups.clear();
    m_place.clear();
    m_seenEntities = 0;
    const auto trace = m_context->trace();
    for (; m_seenEntities < trace->entityCount(); ++m_seenEntities)
        if (isLock(*trace, EntityId(m_seenEntities))) appendLock(EntityId(m_seenEntities));
    endResetModel();
}

void LocksModel::refreshSoon() {
    // One that waits is left alone: started again at every frame, it would never come to its end while time goes on.
    if (m_soon.isActive()) return;
    m_soon.start(lockCount() > kManyLocks ? kManyPace : 0ms);
}

void LocksModel::refresh() {
    addLocks();
    const auto trace = m_context->trace();
    const trace::State& state = m_context->state();
    std::vector<int> changed;
    const int count = lockCount();
    for (int i = 0; i < count; ++i) {
        LockFacts now =
            lockFacts(m_facts[std::size_t(i)].lock, *trace, state, m_context->settings(), m_context->playhead());
        if (now == m_facts[std::size_t(i)]) continue;
        m_facts[std::size_t(i)] = std::move(now);
        changed.push_back(i);
    }
    announce(changed);
}

void LocksModel::addLocks() {
    const auto trace = m_context->trace();
    const std::size_t count = trace->entityCount();
    for (; m_seenEntities < count; ++m_seenEntities) {
        const EntityId id = EntityId(m_seenEntities);
        const trace::Entity& e = trace->entity(id);
        if (!isLock(*trace, id)) continue;
        if (!m_grouped) {
            beginInsertRows({}, lockCount(), lockCount());
            appendLock(id);
            endInsertRows();
            continue;
        }
        const auto group = std::ranges::find(m_groups, e.parent, &Group::server);
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
    const EntityId server = m_context->trace()->entity(lock).parent;
    auto group = std::ranges::find(m_groups, server, &Group::server);
    if (group == m_groups.end()) group = m_groups.insert(m_groups.end(), {server, {}});
    const int position = lockCount();
    m_place.emplace_back(int(group - m_groups.begin()), int(group->locks.size()));
    group->locks.push_back(position);
    m_position[lock] = position;
    m_facts.push_back(lockFacts(lock, *m_context));
}

void LocksModel::announce(const std::vector<int>& changed) {
    // From the first to the last, those between them included: held locks change at every refresh and free ones do not,
    // so telling of them one by one would cost each listener that sorts and counts a whole table each time.
    const auto tell = [this](int first, int last, const QModelIndex& parent) {
        Q_EMIT dataChanged(index(first, 0, parent), index(last, ColumnCount - 1, parent));
    };
    if (changed.empty()) return;
    if (!m_grouped) {
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
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : quintptr(0));
}

QModelIndex LocksModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return {};
    return createIndex(int(index.internalId()) - 1, 0, quintptr(0));
}

int LocksModel::rowCount(const QModelIndex& parent) const {
    if (!m_grouped) return parent.isValid() ? 0 : lockCount();
    if (!parent.isValid()) return int(m_groups.size());
    if (parent.internalId() != 0 || parent.column() != 0) return 0;
    return int(m_groups[std::size_t(parent.row())].locks.size());
}

int LocksModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

int LocksModel::factsIndex(const QModelIndex& index) const {
    if (!index.isValid()) return -1;
    if (!m_grouped) return index.row();
    if (index.internalId() == 0) return -1;
    return m_groups[std::size_t(index.internalId() - 1)].locks[std::size_t(index.row())];
}

const LockFacts* LocksModel::facts(const QModelIndex& index) const {
    const int i = factsIndex(index);
    return i < 0 ? nullptr : &m_facts[std::size_t(i)];
}

QModelIndex LocksModel::indexOf(EntityId lock) const {
    const auto found = m_position.find(lock);
    if (found == m_position.end()) return {};
    if (!m_grouped) return index(found->second, 0);
    const auto [group, row] = m_place[std::size_t(found->second)];
    return index(row, 0, index(group, 0));
}

QString LocksModel::holderText(const LockFacts& facts) const {
    const bool semaphore = facts.permitsInAll > 0 || facts.permitsFree >= 0;
    if (facts.known() && !facts.held() && !semaphore) return none();
    return holdersText(facts, *m_context->trace());
}

/// "1 + 2": of several holders.
QString LocksModel::holdCounts(const LockFacts& facts) {
    constexpr std::size_t kMost = 4;
    QStringList counts;
    for (const trace::Holder& holder : facts.holders) {
        if (holder.mode == trace::HoldMode::Permit) return none(); // each is a hold by itself
        if (std::size_t(counts.size()) == kMost) {
            counts += QString(QChar(0x2026));
            break;
        }
        counts += QString::number(holder.holds);
    }
    return counts.join(QStringLiteral(" + "));
}

QString LocksModel::text(const LockFacts& facts, int column) const {
    switch (column) {
    case LockColumn:
        return m_context->trace()->displayName(facts.lock);
    case ServerColumn:
        return serverText(facts, *m_context->trace());
    case FormatColumn:
        return lockFormat(facts.lock, *m_context);
    case ModeColumn:
        return modeText(facts);
    case HolderColumn:
        return holderText(facts);
    case HoldsColumn:
        if (!facts.known()) return unknown();
        if (!facts.held()) return none();
        if (facts.holders.size() > 1) return holdCounts(facts);
        // A format that counts nothing has no number; one that was counted beyond the first hold counts.
        return facts.holds > 1 || countsHolds(lockFormat(facts.lock, *m_context)) ? QString::number(facts.holds)
                                                                                  : none();
    case TtlColumn:
        return ttlText(facts);
    case RenewalColumn:
        return renewalText(facts.renewal, false);
    case WaitersColumn:
        return waitersText(facts);
    case TokenColumn:
        return facts.token ? QString::number(facts.token) : none();
    case HeldForColumn:
        return heldForText(facts);
    case StateColumn:
        return conditionText(facts);
    default:
        return {};
    }
}

QVariant LocksModel::sortValue(const LockFacts& facts, int column) const {
    // Below 0: not known. On a server out of sight, no value is known.
    const bool ofTheRecord = column == HoldsColumn || column == TtlColumn || column == HeldForColumn;
    if (!facts.known() && ofTheRecord) return qint64(-1);
    switch (column) {
    case HoldsColumn:
        return facts.holds;
    case TtlColumn:
        // A lock that never expires has the longest time left; a lock that is not held has none at all.
        return qint64(!facts.held() || !facts.endKnown ? -1
                      : facts.expires                  ? std::max<std::int64_t>(facts.ttl.count(), 0)
                                                       : INT64_MAX);
    case RenewalColumn: {
        const qint64 by = facts.renewal.by.count();
        if (facts.renewal.kind == Renewal::Kind::In) return by;
        return facts.renewal.kind == Renewal::Kind::Late ? -by : INT64_MAX;
    }
    case WaitersColumn:
        return qint64(facts.waiterCount().value_or(-1));
    case TokenColumn:
        return qint64(facts.token);
    case HeldForColumn:
        return qint64(facts.held() ? facts.heldFor.count() : -1);
    case StateColumn:
        return int(facts.condition);
    default:
        return text(facts, column);
    }
}

QVariant LocksModel::toneOf(const LockFacts& facts, int column) const {
    const auto tone = [](Pill::Tone t) { return QVariant(int(t)); };
    if (column == StateColumn) return tone(conditionTone(facts.condition));
    if (column == ServerColumn && facts.deciders == 0) return tone(Pill::Tone::Waiting);
    if (column == TtlColumn && facts.held() && facts.observed && !facts.expires && facts.endKnown &&
        facts.condition != LockCondition::PerhapsHeld)
        return tone(Pill::Tone::Violation);
    if (column == RenewalColumn && facts.renewal.kind == Renewal::Kind::Late) return tone(Pill::Tone::Waiting);
    if (column == RenewalColumn && facts.renewal.kind == Renewal::Kind::Stopped) return tone(Pill::Tone::Fault);
    return {};
}

QVariant LocksModel::data(const QModelIndex& index, int role) const {
    const LockFacts* const lock = facts(index);
    if (!lock) {
        if (!index.isValid()) return {};
        const Group& group = m_groups[std::size_t(index.row())];
        if (role == EntityRole) return group.server;
        if (index.column() != LockColumn || (role != Qt::DisplayRole && role != SortRole)) return {};
        const QString name =
            group.server == kNoEntity ? tr("no server") : m_context->trace()->displayName(group.server);
        return role == SortRole ? name : tr("%1 · %n lock(s)", "", int(group.locks.size())).arg(name);
    }
    switch (role) {
    case Qt::DisplayRole:
        return text(*lock, index.column());
    case Qt::AccessibleTextRole:
        if (index.column() == FormatColumn) return formatWords(text(*lock, FormatColumn), lock->certainty);
        return text(*lock, index.column());
    case Qt::ToolTipRole:
        if (index.column() == RenewalColumn) return renewalText(lock->renewal, true);
        if (index.column() == FormatColumn && lock->certainty != trace::Certainty::Certain)
            return tr("%1. %2").arg(text(*lock, FormatColumn), certaintySentence(lock->certainty));
        if (index.column() == StateColumn && lock->condition == LockCondition::PerhapsHeld)
            return certaintySentence(lock->certainty);
        if (index.column() == TtlColumn && lock->held() && lock->observed && !lock->endKnown)
            return tr("Unknown: this format does not say when the lock expires.");
        if (index.column() == TtlColumn && lock->held() && lock->observed && !lock->gauge().known)
            return tr("%1. No bar: the lock was taken before Lockscope looked, so how long its lease was is not known.")
                .arg(text(*lock, TtlColumn));
        if (index.column() == StateColumn && lock->believers.size() > 1) {
            const QString names = namesOf(lock->believers, *m_context->trace());
            return lock->condition == LockCondition::DoubleBelief ? tr("%1 each believe to hold it").arg(names)
                                                                  : tr("%1 hold it together").arg(names);
        }
        return text(*lock, index.column());
    case SortRole:
        return sortValue(*lock, index.column());
    case EntityRole:
        return lock->lock;
    case ToneRole:
        return toneOf(*lock, index.column());
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
