// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/accessible_list.h"

namespace lockscope::views {

AccessibleList::~AccessibleList() {
    for (const auto& [index, id] : m_elements)
        QAccessible::deleteAccessibleInterface(id);
}

QAccessibleInterface* AccessibleList::child(int index) const {
    if (index < 0 || index >= childCount()) return nullptr;
    if (const auto found = m_elements.find(index); found != m_elements.end())
        return QAccessible::accessibleInterface(found->second);
    auto element = makeElement(index);
    QAccessibleInterface* const interface = element.get();
    m_elements[index] = QAccessible::registerAccessibleInterface(element.release()); // Qt's table owns it from here on
    return interface;
}

int AccessibleList::indexOfChild(const QAccessibleInterface* child) const {
    for (const auto& [index, id] : m_elements)
        if (QAccessible::accessibleInterface(id) == child) return index;
    return -1;
}

} // namespace lockscope::views
