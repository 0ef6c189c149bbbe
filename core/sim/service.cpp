// SPDX-License-Identifier: Apache-2.0
#include "sim/service.h"

#include <QCoreApplication>

namespace lockscope::sim {

std::expected<void, QString> Service::canDrop(const Server& server) const {
    return std::unexpected(QCoreApplication::translate("Faults", "%1 keeps its data: it throws no key out by itself.")
                               .arg(QString::fromUtf8(server.id())));
}

} // namespace lockscope::sim
