// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/mysql_library.h"
#include "backends/sql/port.h"

namespace lockscope::sql {

/// A statement that MySQL or MariaDB has prepared, by calls that never wait: each returns what it waits for, 0 when it
/// is done, and `failed` says how that went.
class MySqlStatement {
public:
    explicit MySqlStatement(MYSQL* connection) : m_statement(m_library.init(connection)) {}
    ~MySqlStatement();
    MySqlStatement(const MySqlStatement&) = delete;
    MySqlStatement& operator=(const MySqlStatement&) = delete;

    /// Begin; what has to be waited for, 0 when it is done.
    int startPreparing(QByteArray text);
    int startExecuting(Values values);
    /// With what was waited for.
    int goOn(int ready);
    bool failed() const { return m_failed; }
    /// Of one that was executed and has not failed.
    Reply reply();
    QString errorNumber() const;
    QString errorText() const;

private:
    enum class Call : std::uint8_t { Prepare, Execute, StoreRows };
    int follow(int waitsFor);
    bool bindValues();
    void takeRows(Reply& reply);

    /// Room for what stands in one column of a row; more is asked for where that is too little.
    struct Cell {
        std::array<char, 256> text;
        unsigned long length = 0;
        my_bool null = 0;
    };

    const MySqlLibrary& m_library = MySqlLibrary::get();
    MYSQL_STMT* const m_statement;
    Call m_call = Call::Prepare;
    int m_result = 0; ///< of the call under way
    my_bool m_failed = 0;
    QByteArray m_text;                    ///< read until it is sent
    Values m_values;                      ///< so are these,
    std::vector<MYSQL_BIND> m_parameters; ///< and where they are
    std::vector<Cell> m_cells;
};

} // namespace lockscope::sql
