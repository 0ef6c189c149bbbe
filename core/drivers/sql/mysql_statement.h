// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"

#include <array>
#include <mysql.h>

namespace lockscope::sql {

/// A prepared statement of MySQL or MariaDB, by calls that never block: each returns the events to wait for, 0 when
/// done; then failed() tells the result.
class MySqlStatement {
public:
    explicit MySqlStatement(MYSQL* connection) : m_statement(mysql_stmt_init(connection)) {}
    ~MySqlStatement();
    MySqlStatement(const MySqlStatement&) = delete;
    MySqlStatement& operator=(const MySqlStatement&) = delete;

    /// Start; return the events to wait for, 0 when done.
    int startPreparing(QByteArray text);
    int startExecuting(Values values);
    /// Continues after these events.
    int goOn(int ready);
    bool failed() const { return m_failed; }
    /// The result of an execution that has not failed.
    Reply reply();
    QByteArray errorNumber() const;
    QString errorText() const;

private:
    enum class Call : std::uint8_t { Prepare, Execute, StoreRows };
    int follow(int waitsFor);
    bool bindValues();
    void takeRows(Reply& reply);

    /// Space for one column of a row; longer values are fetched again.
    struct Cell {
        std::array<char, 256> text;
        unsigned long length = 0;
        my_bool null = 0;
    };

    MYSQL_STMT* const m_statement;
    Call m_call = Call::Prepare;
    int m_result = 0; ///< the result of the call in progress
    my_bool m_failed = 0;
    QByteArray m_text;                    ///< read until it is sent
    Values m_values;                      ///< read until they are sent
    std::vector<MYSQL_BIND> m_parameters; ///< point to the values
    std::vector<Cell> m_cells;
};

} // namespace lockscope::sql
