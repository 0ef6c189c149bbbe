// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/client_handle.h"

#include <mysql.h>

namespace lockscope::sql {

/// The non-blocking calls of MariaDB's client library (Connector/C, "Using the Non-blocking Library"); MySQL's own
/// library has others. Each call that may block starts with …Start and continues with …Cont; both return the events to
/// wait for, 0 when done.
struct MySqlLibrary {
    LoadedLibrary library{"libmariadb.so.3"};

    decltype(&mysql_real_query_start) queryStart = library.find("mysql_real_query_start");
    decltype(&mysql_real_query_cont) queryCont = library.find("mysql_real_query_cont");
    decltype(&mysql_store_result_start) storeStart = library.find("mysql_store_result_start");
    decltype(&mysql_store_result_cont) storeCont = library.find("mysql_store_result_cont");
    decltype(&mysql_next_result_start) nextStart = library.find("mysql_next_result_start");
    decltype(&mysql_next_result_cont) nextCont = library.find("mysql_next_result_cont");
    decltype(&mysql_options) options = library.find("mysql_options");
    decltype(&mysql_get_socket) socket = library.find("mysql_get_socket");
    decltype(&mysql_more_results) moreResults = library.find("mysql_more_results");
    decltype(&mysql_field_count) fieldCount = library.find("mysql_field_count");
    decltype(&mysql_num_fields) fieldsIn = library.find("mysql_num_fields");
    decltype(&mysql_fetch_row) fetchRow = library.find("mysql_fetch_row");
    decltype(&mysql_fetch_lengths) fetchLengths = library.find("mysql_fetch_lengths");
    decltype(&mysql_free_result) freeResult = library.find("mysql_free_result");
    decltype(&mysql_affected_rows) affectedRows = library.find("mysql_affected_rows");
    decltype(&mysql_insert_id) insertId = library.find("mysql_insert_id");
    decltype(&mysql_errno) errorNumber = library.find("mysql_errno");
    decltype(&mysql_error) errorText = library.find("mysql_error");

    // For prepared statements.
    decltype(&mysql_stmt_init) init = library.find("mysql_stmt_init");
    decltype(&mysql_stmt_close) close = library.find("mysql_stmt_close");
    decltype(&mysql_stmt_prepare_start) prepareStart = library.find("mysql_stmt_prepare_start");
    decltype(&mysql_stmt_prepare_cont) prepareCont = library.find("mysql_stmt_prepare_cont");
    decltype(&mysql_stmt_param_count) parameters = library.find("mysql_stmt_param_count");
    decltype(&mysql_stmt_bind_param) bindParameters = library.find("mysql_stmt_bind_param");
    decltype(&mysql_stmt_execute_start) executeStart = library.find("mysql_stmt_execute_start");
    decltype(&mysql_stmt_execute_cont) executeCont = library.find("mysql_stmt_execute_cont");
    decltype(&mysql_stmt_field_count) columns = library.find("mysql_stmt_field_count");
    decltype(&mysql_stmt_store_result_start) storeRowsStart = library.find("mysql_stmt_store_result_start");
    decltype(&mysql_stmt_store_result_cont) storeRowsCont = library.find("mysql_stmt_store_result_cont");
    decltype(&mysql_stmt_bind_result) bindResult = library.find("mysql_stmt_bind_result");
    decltype(&mysql_stmt_fetch) fetch = library.find("mysql_stmt_fetch");
    decltype(&mysql_stmt_fetch_column) fetchColumn = library.find("mysql_stmt_fetch_column");
    decltype(&mysql_stmt_free_result) freeRows = library.find("mysql_stmt_free_result");
    decltype(&mysql_stmt_affected_rows) rowsAffected = library.find("mysql_stmt_affected_rows");
    decltype(&mysql_stmt_insert_id) rowId = library.find("mysql_stmt_insert_id");
    decltype(&mysql_stmt_errno) statementErrorNumber = library.find("mysql_stmt_errno");
    decltype(&mysql_stmt_error) statementErrorText = library.find("mysql_stmt_error");

    /// The process's instance; `library.complete()` says whether it can be used.
    static const MySqlLibrary& get() {
        static const MySqlLibrary found;
        return found;
    }
};

} // namespace lockscope::sql
