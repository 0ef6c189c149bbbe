// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/roomy_columns.h"

#include <QAbstractItemModel>
#include <QEvent>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <algorithm>
#include <climits>

namespace lockscope::views {

namespace {
/// By how much columns may be narrower than wanted so that all of them are seen: what they leave empty, and no text.
constexpr double kNarrowest = 0.9;
constexpr int kStep = 4;      ///< pixels
constexpr int kTitlePad = 12; ///< pixels at each side of a title
constexpr int kWidest = 3;    ///< by how many times its wanted width a column may grow for its words
} // namespace

RoomyColumns::RoomyColumns(QHeaderView* header, const QList<int>& widths)
    : RoomyColumns(header, [&widths] {
          QList<Width> columns;
          for (const int width : widths)
              columns.push_back({width, int(width * kNarrowest), 1});
          return columns;
      }()) {
}

RoomyColumns::RoomyColumns(QHeaderView* header, QList<Width> widths)
    : QObject(header), m_header(header), m_widths(std::move(widths)) {
    Q_ASSERT(m_widths.size() == header->count());
    share(true);
    header->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int before, int now) {
        // The last one stretches by itself; a column that leaves or comes back has no other width than it had.
        if (m_inside || isLastShown(column) || before == 0 || now == 0) return;
        m_shares = false;
        // A person arranges the table: all of it is there, and scrolls. Not at once, as the header may be on its way
        // over its columns.
        QMetaObject::invokeMethod(
            this,
            [this] {
                const QScopedValueRollback inside(m_inside, true);
                if (!m_shares) leave(INT_MAX);
            },
            Qt::QueuedConnection);
    });
}

RoomyColumns* RoomyColumns::of(const QHeaderView* header) {
    return header ? header->findChild<RoomyColumns*>(QString(), Qt::FindDirectChildrenOnly) : nullptr;
}

bool RoomyColumns::isLastShown(int column) const {
    for (int place = m_header->visualIndex(column) + 1; place < m_header->count(); ++place)
        if (!m_header->isSectionHidden(m_header->logicalIndex(place))) return false;
    return true;
}

bool RoomyColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) share(true);
    return QObject::eventFilter(watched, event);
}

void RoomyColumns::need(const QList<int>& pixels) {
    Q_ASSERT(pixels.size() == m_widths.size());
    m_needs.resize(m_widths.size(), 0);
    bool more = false;
    for (int i = 0; i < pixels.size(); ++i) {
        // In steps, so that one more digit does not move all the others.
        const int need = (pixels[i] + kStep - 1) / kStep * kStep;
        more = more || need > m_needs[i];
        m_needs[i] = std::max(m_needs[i], need);
    }
    if (more) share(true);
}

void RoomyColumns::forgetNeeds() {
    m_needs.clear();
}

QStringList RoomyColumns::left() const {
    QStringList titles;
    for (const int column : m_left)
        titles << m_header->model()->headerData(column, Qt::Horizontal).toString();
    return titles;
}

int RoomyColumns::leastOf(int column) const {
    const auto leaves = [](const Width& width) { return width.leaves > 0; };
    if (std::ranges::none_of(m_widths, leaves)) return m_widths[column].least;
    const QString title = m_header->model()->headerData(column, Qt::Horizontal).toString();
    const int words = m_header->fontMetrics().horizontalAdvance(title) + 2 * kTitlePad;
    const bool whole = m_widths[column].rank == 0 && !m_needs.empty();
    return std::max({m_widths[column].least, words, whole ? m_needs[column] : 0});
}

void RoomyColumns::leave(int room) {
    QList<int> order; // of those that may leave, the first one first
    int all = 0;
    for (int i = 0; i < m_widths.size(); ++i) {
        const bool hidden = m_header->isSectionHidden(i) && !m_left.contains(i); // by somebody else
        if (hidden) continue;
        all += m_needs.empty() ? leastOf(i) : std::max(leastOf(i), std::min(m_needs[i], m_widths[i].keeps));
        if (m_widths[i].leaves > 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::ranges::greater(), [this](int i) { return m_widths[i].leaves; });
    QList<int> leaving;
    for (const int i : order) {
        if (all <= room) break;
        all -= leastOf(i);
        leaving.push_back(i);
    }
    if (leaving == m_left) return;
    for (const int i : order)
        m_header->setSectionHidden(i, leaving.contains(i));
    m_left = leaving;
    Q_EMIT leftChanged();
}

QList<int> RoomyColumns::shared(int room) const {
    QList<int> widths(m_widths.size(), 0);
    QList<int> order; // of the columns in sight, by what they matter
    int left = room, wanted = 0;
    for (int i = 0; i < m_widths.size(); ++i) {
        if (m_header->isSectionHidden(i)) continue;
        order.push_back(i);
        widths[i] = leastOf(i);
        left -= widths[i];
        wanted += m_widths[i].wanted;
    }
    std::ranges::stable_sort(order, {}, [this](int i) { return m_widths[i].rank; });
    const auto widen = [&](int i, int to) {
        const int more = std::clamp(to - widths[i], 0, std::max(left, 0));
        widths[i] += more;
        left -= more;
    };
    const auto need = [this](int i) {
        const int most = kWidest * m_widths[i].wanted;
        return m_needs.empty() ? m_widths[i].wanted : std::min(m_needs[i], most);
    };
    // Columns of rank 0 are never cut; then each has its words, long ones last.
    for (const int i : order)
        if (m_widths[i].rank == 0) widen(i, need(i));
    for (const int i : order)
        widen(i, std::min(need(i), m_widths[i].wanted));
    for (const int i : order)
        widen(i, need(i));
    for (const int i : order)
        widen(i, m_widths[i].wanted);
    if (left > 0 && wanted > 0) {
        const int spare = left;
        for (const int i : order)
            widths[i] += int(double(spare) * m_widths[i].wanted / wanted);
    }
    return widths;
}

void RoomyColumns::share(bool room) {
    if (!m_shares) return;
    const QScopedValueRollback inside(m_inside, true);
    leave(room ? m_header->width() : INT_MAX);
    QList<int> plain;
    int least = 0;
    for (int i = 0; i < m_widths.size(); ++i) {
        plain.push_back(room && !m_needs.empty() && m_widths[i].rank == 0 ? std::max(m_widths[i].wanted, m_needs[i])
                                                                          : m_widths[i].wanted);
        if (!m_header->isSectionHidden(i)) least += leastOf(i);
    }
    // Where it scrolls anyway, nothing is gained by narrow columns.
    const QList<int> widths = room && m_header->width() >= least ? shared(m_header->width()) : plain;
    for (int i = 0; i < m_widths.size(); ++i)
        if (!m_header->isSectionHidden(i)) m_header->resizeSection(i, widths[i]);
}

bool RoomyColumns::arePlain() const {
    for (int i = 0; i < m_widths.size(); ++i) {
        const bool stretches = m_header->stretchLastSection() && isLastShown(i);
        if (!stretches && !m_header->isSectionHidden(i) && m_header->sectionSize(i) != m_widths[i].wanted) return false;
    }
    return true;
}

RoomyColumns::Plain::Plain(const QHeaderView* header) : m_columns(of(header)) {
    if (m_columns) m_columns->share(false);
}

RoomyColumns::Plain::~Plain() {
    if (!m_columns) return;
    m_columns->m_shares = m_columns->arePlain();
    m_columns->share(true);
}

} // namespace lockscope::views
