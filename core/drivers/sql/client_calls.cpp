// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/client_calls.h"

#include "drivers/sql/client_handle.h"

namespace lockscope::sql {

std::unique_ptr<ClientCalls> ClientCalls::on(const QSqlDriver& driver, Dialect dialect, const QString& where) {
    void* const connection = handleOf(driver, dialect);
    if (!connection) return nullptr;
    return dialect == Dialect::MySql ? mySqlCalls(connection, where) : postgreSqlCalls(connection, where);
}

} // namespace lockscope::sql
