// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/record_store.h"
#include "ports/sql/schema.h"

namespace lockscope {

/// One row per name in the table of records, compared by its version. The first write creates the table. Values are
/// UTF-8 text without a zero byte. As durable as the database: a replica that is promoted without the latest changes
/// has lost them.
class SqlRecords final : public RecordStore {
public:
    SqlRecords(sql::Port& port, sql::Tables tables) : m_port(port), m_tables(std::move(tables)) {}
    recipes::Outcome<Record> read(QByteArray name, std::stop_token stop) override;
    recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) override;

private:
    QCoro::Task<sql::Result> change(sql::Statement statement, std::stop_token stop);
    sql::Port& m_port;
    sql::Tables m_tables;
};

} // namespace lockscope
