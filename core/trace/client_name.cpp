// SPDX-License-Identifier: Apache-2.0
#include "trace/client_name.h"

#include <QCoreApplication>

namespace lockscope::trace {

QString unnamedClient() {
    return QCoreApplication::translate("ClientName", "somebody");
}

QString clientName(const Trace& trace, EntityId id) {
    const Entity& e = trace.entity(id);
    const bool isFirst = e.kind == EntityKind::Thread && e.name == "1";
    const QString name = trace.displayName(isFirst ? e.parent : id);
    return name.isEmpty() ? unnamedClient() : name;
}

} // namespace lockscope::trace
