// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/events_model.h"

#include "theme/format.h"
#include "trace/death.h"
#include "trace/seen_restart.h"

#include <QElapsedTimer>

namespace lockscope::views {

using trace::EntityId;
using trace::EventKind;

namespace {
constexpr qint64 kSliceNs = 5'000'000;
constexpr std::size_t kBatch = 1024;          ///< rows between two looks at the clock
constexpr std::size_t kMostRows = 80'000'000; ///< a table view counts pixels in an int
} // namespace

EventsModel::EventsModel(ViewContext* context, QObject* parent) : QAbstractTableModel(parent), m_context(context) {
    m_groups.fill(true);
    m_slices.setInterval(0);
    connect(&m_slices, &QTimer::timeout, this, &EventsModel::slice);
    connect(context, &ViewContext::sessionChanged, this, &EventsModel::restart);
    const auto more = [this] {
        if (!m_slices.isActive()) slice();
    };
    connect(context, &ViewContext::traceGrew, this, more);
    connect(context, &ViewContext::playheadChanged, this, more); // it may uncover rows
    restart();
}

void EventsModel::setFilter(const QString& text, std::array<bool, kEventGroups> groups) {
    if (text == m_text && groups == m_groups) return;
    m_text = text;
    m_groups = groups;
    restart();
}

void EventsModel::restart() {
    beginResetModel();
    m_slices.stop();
    m_trace = m_context->trace();
    m_rows.clear();
    m_rows.shrink_to_fit();
    m_looked = 0;
    m_terms.clear();
    for (const QString& word : m_text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        Term term;
        term.negated = word.size() > 1 && word.startsWith(QLatin1Char('-'));
        term.text = term.negated ? word.mid(1) : word;
        for (std::size_t k = 0; k < term.kinds.size(); ++k) {
            const auto kind = EventKind(k);
            term.kinds[k] = QString::fromLatin1(trace::kindName(kind)).contains(term.text, Qt::CaseInsensitive) ||
                            eventWord(kind).contains(term.text, Qt::CaseInsensitive);
        }
        for (std::size_t news = 0; news < term.news.size(); ++news)
            term.news[news] = isInRoughWord(LockNews(news), term.text);
        m_terms.push_back(std::move(term));
    }
    for (std::size_t k = 0; k < m_kindShown.size(); ++k)
        m_kindShown[k] = m_groups[std::size_t(eventGroup(EventKind(k)))];
    m_filtered = !m_terms.empty() || std::ranges::find(m_groups, false) != m_groups.end();
    if (!m_filtered) m_looked = seenRows();
    endResetModel();
    if (m_filtered && seenRows() > 0) m_slices.start();
    Q_EMIT indexed();
}

bool EventsModel::isNamed(Term& term, EntityId id) const {
    if (id == trace::kNoEntity || id >= term.entities.size()) return false;
    Term::Name& name = term.entities[id];
    if (name == Term::Name::NotSeen)
        name =
            m_trace->displayName(id).contains(term.text, Qt::CaseInsensitive) ? Term::Name::With : Term::Name::Without;
    return name == Term::Name::With;
}

bool EventsModel::matches(std::size_t row) {
    const trace::Event e = m_trace->at(row);
    if (!m_kindShown[std::size_t(e.kind)]) return false;
    if (m_terms.empty()) return true;
    const auto news = std::size_t(roughNews(e, row, *m_trace));
    const bool isSpecial = trace::isCrash(e) || trace::isSeenRestart(e) || trace::isRefusal(e);
    const QString exact = isSpecial ? eventWord(e) : QString();
    const bool ofOwner = e.kind == EventKind::RecordFreed || e.kind == EventKind::RecordHolderGone;
    return std::ranges::all_of(m_terms, [&](Term& term) {
        const auto named = [&](EntityId id) { return isNamed(term, id); };
        const bool found = term.kinds[std::size_t(e.kind)] || exact.contains(term.text, Qt::CaseInsensitive) ||
                           term.news[news] || named(e.actor) || named(e.subject) ||
                           ((hasText(e.kind) || (news != 0 && ofOwner)) && named(e.aux));
        return found != term.negated;
    });
}

std::size_t EventsModel::seenRows() const {
    return std::min(m_context->seenRows(), kMostRows);
}

void EventsModel::slice() {
    const std::size_t size = seenRows();
    if (size == m_looked) {
        m_slices.stop();
        return;
    }
    if (size < m_looked) return restart(); // the run is computed ahead again: what it had shown is hidden
    if (!m_filtered) {
        beginInsertRows({}, int(m_looked), int(size) - 1);
        m_looked = size;
        endInsertRows();
        Q_EMIT indexed();
        return;
    }
    QElapsedTimer clock;
    clock.start();
    // Entities of the rows up to `size` are there by now.
    for (Term& term : m_terms)
        term.entities.resize(m_trace->entityCount());
    std::vector<std::uint32_t> found;
    while (m_looked < size && clock.nsecsElapsed() < kSliceNs) {
        const std::size_t end = std::min(size, m_looked + kBatch);
        for (; m_looked < end; ++m_looked)
            if (matches(m_looked)) found.push_back(std::uint32_t(m_looked));
    }
    if (!found.empty()) {
        beginInsertRows({}, int(m_rows.size()), int(m_rows.size() + found.size()) - 1);
        m_rows.insert(m_rows.end(), found.begin(), found.end());
        endInsertRows();
    }
    if (m_looked < size)
        m_slices.start();
    else
        m_slices.stop();
    Q_EMIT indexed();
}

double EventsModel::progress() const {
    const std::size_t size = seenRows();
    return size == 0 ? 1 : double(m_looked) / double(size);
}

int EventsModel::rowAt(Nanos t) const {
    const std::size_t rows = m_trace->upperBound(t);
    if (!m_filtered) return int(std::min(rows, m_looked)) - 1;
    return int(std::ranges::lower_bound(m_rows, rows) - m_rows.begin()) - 1;
}

std::size_t EventsModel::traceRow(int row) const {
    return m_filtered ? m_rows[std::size_t(row)] : std::size_t(row);
}

int EventsModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return int(m_filtered ? m_rows.size() : m_looked);
}

int EventsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const std::size_t row = traceRow(index.row());
    const trace::Event e = m_trace->at(row);
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        break;
    case TraceRowRole:
        return qulonglong(row);
    case TimeRole:
        return qlonglong(e.at);
    case EntityRole:
        return e.actor ? e.actor : e.subject;
    case IconRole:
        return QByteArray(eventIcon(e));
    case ToneRole:
        return int(eventRole(e));
    default:
        return {};
    }
    if (const LockTale tale = lockTale(e, row, *m_trace); tale.what != LockNews::None)
        if (const QString text = newsText(tale, e, index.column()); !text.isEmpty()) return text;
    switch (index.column()) {
    case TimeColumn:
        return instant(*m_trace, e.time());
    case KindColumn:
        return eventWord(e);
    case WhoColumn:
        if (e.actor) return m_trace->displayName(e.actor);
        return e.flags & trace::kByHand ? tr("you") : none();
    case WhatColumn:
        return e.subject ? m_trace->displayName(e.subject) : none();
    case DetailColumn:
        return eventDetail(e, *m_trace);
    default:
        return {};
    }
}

QString EventsModel::newsText(const LockTale& tale, const trace::Event& event, int column) const {
    switch (column) {
    case KindColumn:
        return lockNewsWord(tale.what);
    case WhoColumn:
        return tale.who == trace::kNoEntity ? QString() : m_trace->displayName(tale.who);
    case DetailColumn:
        if (tale.from == trace::kNoEntity) return {};
        //: Of a lock that was handed over: %1 held it before, %2 is its new lease.
        return tr("from %1, %2").arg(m_trace->displayName(tale.from), eventDetail(event, *m_trace));
    default:
        return {};
    }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case TimeColumn:
        return tr("Time");
    case KindColumn:
        return tr("Event");
    case WhoColumn:
        return tr("Who");
    case WhatColumn:
        return tr("What");
    case DetailColumn:
        return tr("Detail");
    default:
        return {};
    }
}

} // namespace lockscope::views
