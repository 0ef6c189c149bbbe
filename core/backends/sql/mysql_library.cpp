// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/mysql_library.h"

#include "backends/sql/client_handle.h"

namespace lockscope::sql {

const MySqlLibrary& MySqlLibrary::get() {
    static const MySqlLibrary library;
    return library;
}

MySqlLibrary::MySqlLibrary() {
    LoadedLibrary library("libmariadb.so.3");
    library.find(queryStart, "mysql_real_query_start");
    library.find(queryCont, "mysql_real_query_cont");
    library.find(storeStart, "mysql_store_result_start");
    library.find(storeCont, "mysql_store_result_cont");
    library.find(nextStart, "mysql_next_result_start");
    library.find(nextCont, "mysql_next_result_cont");
    library.find(options, "mysql_options");
    library.find(socket, "mysql_get_socket");
    library.find(moreResults, "mysql_more_results");
    library.find(fieldCount, "mysql_field_count");
    library.find(fieldsIn, "mysql_num_fields");
    library.find(fetchRow, "mysql_fetch_row");
    library.find(fetchLengths, "mysql_fetch_lengths");
    library.find(freeResult, "mysql_free_result");
    library.find(affectedRows, "mysql_affected_rows");
    library.find(insertId, "mysql_insert_id");
    library.find(errorNumber, "mysql_errno");
    library.find(errorText, "mysql_error");
    library.find(init, "mysql_stmt_init");
    library.find(close, "mysql_stmt_close");
    library.find(prepareStart, "mysql_stmt_prepare_start");
    library.find(prepareCont, "mysql_stmt_prepare_cont");
    library.find(parameters, "mysql_stmt_param_count");
    library.find(bindParameters, "mysql_stmt_bind_param");
    library.find(executeStart, "mysql_stmt_execute_start");
    library.find(executeCont, "mysql_stmt_execute_cont");
    library.find(columns, "mysql_stmt_field_count");
    library.find(storeRowsStart, "mysql_stmt_store_result_start");
    library.find(storeRowsCont, "mysql_stmt_store_result_cont");
    library.find(bindResult, "mysql_stmt_bind_result");
    library.find(fetch, "mysql_stmt_fetch");
    library.find(fetchColumn, "mysql_stmt_fetch_column");
    library.find(freeRows, "mysql_stmt_free_result");
    library.find(rowsAffected, "mysql_stmt_affected_rows");
    library.find(rowId, "mysql_stmt_insert_id");
    library.find(statementErrorNumber, "mysql_stmt_errno");
    library.find(statementErrorText, "mysql_stmt_error");
    complete = library.complete();
}

} // namespace lockscope::sql
