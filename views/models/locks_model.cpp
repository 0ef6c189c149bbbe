// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/locks_model.h"

#include "models/alert_words.h"
#include "theme/format.h"
#include "theme/short_number.h"

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

LocksModel::LocksModel(ViewContext* context, QObject* parent)
    : QAbstractItemModel(parent), m_context(context), m_copies(context) {
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
    m_copies.clear();
    m_anyCopy = false;
    m_seenEntities = 0;
    session::AlertDesk* const desk = session::alertDeskOf(m_context->session());
    if (desk && desk != m_desk) connect(desk, &session::AlertDesk::changed, this, &LocksModel::refreshSoon);
    m_desk = desk;
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

std::map<QByteArray, LocksModel::Alerted> LocksModel::alertsNow() const {
    std::map<QByteArray, Alerted> alerts;
    if (!m_desk) return alerts;
    for (const auto& [lock, span] : m_desk->worstAt(m_context->playhead()))
        alerts.emplace(lock, Alerted{span->rule.kind, span->sentence});
    return alerts;
}

const LocksModel::Alerted* LocksModel::alertOf(const LockFacts& facts) const {
    if (m_alerts.empty()) return nullptr;
    const auto found = m_alerts.find(m_context->trace()->entity(facts.lock).name);
    return found == m_alerts.end() ? nullptr : &found->second;
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
    const std::map<QByteArray, Alerted> alerts = std::exchange(m_alerts, alertsNow());
    const bool alertsDiffer = alerts != m_alerts;
    const auto alertDiffers = [&](EntityId lock) {
        const QByteArray& name = trace->entity(lock).name;
        const auto before = alerts.find(name);
        const auto after = std::as_const(m_alerts).find(name);
        const bool was = before != alerts.end(), is = after != m_alerts.cend();
        return was != is || (was && before->second != after->second);
    };
    std::vector<int> changed;
    const int count = lockCount();
    for (int i = 0; i < count; ++i) {
        LockFacts now =
            lockFacts(m_facts[std::size_t(i)].lock, *trace, state, m_context->settings(), m_context->playhead());
        if (now == m_facts[std::size_t(i)] && !(alertsDiffer && alertDiffers(now.lock))) continue;
        m_facts[std::size_t(i)] = std::move(now);
        changed.push_back(i);
    }
    announce(changed);
    if (alerts.empty() != m_alerts.empty()) Q_EMIT alertsCame(hasAlerts());
    m_copies.refresh([this](int lock) {
        const QModelIndex parent = indexOf(m_facts[std::size_t(lock)].lock);
        Q_EMIT dataChanged(index(0, 0, parent), index(m_copies.countOf(lock) - 1, ColumnCount - 1, parent));
    });
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
        const trace::Entity& e = trace->entity(id);
        if (!isLock(*trace, id)) {
            if (e.kind == EntityKind::Lock) addCopy(id);
            continue;
        }
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
    if (!parent.isValid()) return m_grouped ? int(m_groups.size()) : lockCount();
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
    if (!m_grouped) return index.row();
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

/// A copy has what its server has, and nothing of the clients.
QString LocksModel::copyText(const LockFacts& copy, int column) const {
    switch (column) {
    case LockColumn:
        return m_copies.name(copy);
    case StateColumn:
        return m_copies.state(copy);
    case HolderColumn:
    case HoldsColumn:
    case TtlColumn:
    case TokenColumn:
    case HeldForColumn:
        return copy.held() ? text(copy, column) : none();
    default:
        return {};
    }
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
        return facts.token ? shortNumber(facts.token) : none();
    case HeldForColumn:
        return heldForText(facts);
    case StateColumn:
        if (const Alerted* const alert = alertOf(facts)) return alertWord(alert->kind);
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
    if (column == StateColumn) {
        if (const Alerted* const alert = alertOf(facts)) return tone(alertTone(inspect::severityOf(alert->kind)));
        return tone(conditionTone(facts.condition));
    }
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
        return text(*lock, index.column());
    case Qt::ToolTipRole:
        if (index.column() == RenewalColumn) return renewalText(lock->renewal, true);
        if (index.column() == TokenColumn && lock->token) return QString::number(lock->token);
        if (index.column() == FormatColumn && lock->certainty != trace::Certainty::Certain)
            return tr("%1. %2").arg(text(*lock, FormatColumn), certaintySentence(lock->certainty));
        if (const Alerted* const alert = alertOf(*lock); alert && index.column() == StateColumn)
            return tr("%1. %2").arg(conditionText(*lock), alert->sentence);
        if (index.column() == StateColumn && lock->condition == LockCondition::PerhapsHeld)
            return certaintySentence(lock->certainty);
        if (index.column() == TtlColumn && lock->held() && lock->observed && !lock->endKnown) switch (lock->keptBy) {
            case inspect::KeptBy::Session:
                return tr("No lease: the lock ends with its holder's session, or is released before.");
            case inspect::KeptBy::Transaction:
                return tr("No lease: the lock ends when its holder's transaction does.");
            case inspect::KeptBy::NotTold:
                return tr("Unknown: this format does not say when the lock expires.");
            }
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
