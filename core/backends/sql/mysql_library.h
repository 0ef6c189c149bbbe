// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mysql.h>

namespace lockscope::sql {

/// What MariaDB's client library has for those who never wait (Connector/C, "Using the Non-blocking Library"); MySQL's
/// own has other calls. Each call that may have to wait begins with …Start and goes on with …Cont, and returns what it
/// waits for, 0 when it is done.
struct MySqlLibrary {
    decltype(&mysql_real_query_start) queryStart = nullptr;
    decltype(&mysql_real_query_cont) queryCont = nullptr;
    decltype(&mysql_store_result_start) storeStart = nullptr;
    decltype(&mysql_store_result_cont) storeCont = nullptr;
    decltype(&mysql_next_result_start) nextStart = nullptr;
    decltype(&mysql_next_result_cont) nextCont = nullptr;
    decltype(&mysql_options) options = nullptr;
    decltype(&mysql_get_socket) socket = nullptr;
    decltype(&mysql_more_results) moreResults = nullptr;
    decltype(&mysql_field_count) fieldCount = nullptr;
    decltype(&mysql_num_fields) fieldsIn = nullptr;
    decltype(&mysql_fetch_row) fetchRow = nullptr;
    decltype(&mysql_fetch_lengths) fetchLengths = nullptr;
    decltype(&mysql_free_result) freeResult = nullptr;
    decltype(&mysql_affected_rows) affectedRows = nullptr;
    decltype(&mysql_insert_id) insertId = nullptr;
    decltype(&mysql_errno) errorNumber = nullptr;
    decltype(&mysql_error) errorText = nullptr;

    // Of prepared statements.
    decltype(&mysql_stmt_init) init = nullptr;
    decltype(&mysql_stmt_close) close = nullptr;
    decltype(&mysql_stmt_prepare_start) prepareStart = nullptr;
    decltype(&mysql_stmt_prepare_cont) prepareCont = nullptr;
    decltype(&mysql_stmt_param_count) parameters = nullptr;
    decltype(&mysql_stmt_bind_param) bindParameters = nullptr;
    decltype(&mysql_stmt_execute_start) executeStart = nullptr;
    decltype(&mysql_stmt_execute_cont) executeCont = nullptr;
    decltype(&mysql_stmt_field_count) columns = nullptr;
    decltype(&mysql_stmt_store_result_start) storeRowsStart = nullptr;
    decltype(&mysql_stmt_store_result_cont) storeRowsCont = nullptr;
    decltype(&mysql_stmt_bind_result) bindResult = nullptr;
    decltype(&mysql_stmt_fetch) fetch = nullptr;
    decltype(&mysql_stmt_fetch_column) fetchColumn = nullptr;
    decltype(&mysql_stmt_free_result) freeRows = nullptr;
    decltype(&mysql_stmt_affected_rows) rowsAffected = nullptr;
    decltype(&mysql_stmt_insert_id) rowId = nullptr;
    decltype(&mysql_stmt_errno) statementErrorNumber = nullptr;
    decltype(&mysql_stmt_error) statementErrorText = nullptr;

    bool complete = false;

    static const MySqlLibrary& get();

private:
    MySqlLibrary();
};

} // namespace lockscope::sql
