// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/link.h"

#include "drivers/sql/file_link.h"
#include "drivers/sql/wire_link.h"

namespace lockscope::sql {

std::unique_ptr<ClientCalls> ClientCalls::make(const Settings& settings) {
    Q_ASSERT(settings.dialect != Dialect::Sqlite);
    return settings.dialect == Dialect::MySql ? mySqlCalls(settings) : postgreSqlCalls(settings);
}

std::shared_ptr<Link> Link::make(const Settings& settings) {
    if (settings.dialect == Dialect::Sqlite) return std::make_shared<FileLink>(settings);
    return std::make_shared<WireLink>(settings);
}

} // namespace lockscope::sql
