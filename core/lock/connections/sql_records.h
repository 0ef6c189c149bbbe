// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/schema.h"
#include "lock/record_store.h"

namespace lockscope {

/// A row for each name in the table of records, compared by its version. Makes the table when it is the first to write.
/// Values are UTF-8 text without a zero byte. As durable as the database is: one that is promoted without the last
/// changes has forgotten them.
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
