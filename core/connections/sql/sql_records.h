// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/record_store.h"
#include "ports/sql/port.h"

namespace lockscope {

/// One row per name in the table of records, compared by its version. The first write creates the table. Values are
/// UTF-8 text without a zero byte. As durable as the database: a replica that is promoted without the latest changes
/// has lost them.
class SqlRecords final : public RecordStore {
public:
    explicit SqlRecords(sql::Port& port) : m_port(port) {}
    recipes::Outcome<Record> read(QByteArray name, std::stop_token stop) override;
    recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) override;

private:
    sql::Port& m_port;
};

} // namespace lockscope
