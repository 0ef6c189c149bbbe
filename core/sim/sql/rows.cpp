// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/rows.h"

namespace lockscope::sim {

const SqlRow* SqlRows::committed(const SqlRowId& id) const {
    const auto found = m_disk.find(id);
    return found == m_disk.end() ? nullptr : &found->second;
}

const SqlRow* SqlRows::newest(const SqlRowId& id) const {
    const auto pending = m_pending.find(id);
    if (pending == m_pending.end()) return committed(id);
    return pending->second.row ? &*pending->second.row : nullptr;
}

SqlConnectionId SqlRows::writer(const SqlRowId& id) const {
    const auto pending = m_pending.find(id);
    return pending == m_pending.end() ? 0 : pending->second.writer;
}

SqlRows::Change SqlRows::write(const SqlRowId& id, SqlConnectionId by, std::optional<SqlRow> row) {
    const SqlRow* const now = newest(id);
    Change change{id, writer(id), now ? std::optional(*now) : std::nullopt};
    Q_ASSERT(change.writer == 0 || change.writer == by);
    m_pending.insert_or_assign(id, Pending{by, std::move(row)});
    return change;
}

void SqlRows::undo(const Change& change) {
    if (change.writer == 0)
        m_pending.erase(change.id);
    else
        m_pending.insert_or_assign(change.id, Pending{change.writer, change.row});
}

bool SqlRows::commit(const SqlRowId& id, SqlConnectionId by) {
    if (writer(id) != by || by == 0) return false;
    const auto pending = m_pending.extract(id);
    if (pending.mapped().row)
        m_disk.insert_or_assign(id, *pending.mapped().row);
    else
        m_disk.erase(id);
    return true;
}

} // namespace lockscope::sim
