// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/client_calls.h"
#include "backends/sql/client_handle.h"
#include "backends/sql/errors.h"

#include <QSqlError>

namespace lockscope::sql {

namespace {

// MariaDB's client library (Connector/C, "Using the Non-blocking Library"). MySQL's own has other calls.
struct Library {
    // Each returns what it waits for, 0 when it is done.
    int (*queryStart)(int*, void*, const char*, unsigned long) = nullptr;
    int (*queryCont)(int*, void*, int) = nullptr;
    int (*storeStart)(void**, void*) = nullptr;
    int (*storeCont)(void**, void*, int) = nullptr;
    int (*nextStart)(int*, void*) = nullptr;
    int (*nextCont)(int*, void*, int) = nullptr;
    int (*options)(void*, int, const void*) = nullptr;
    char (*moreResults)(void*) = nullptr;
    unsigned (*fieldCount)(void*) = nullptr;
    unsigned (*fieldsIn)(void*) = nullptr;
    char** (*fetchRow)(void*) = nullptr;
    unsigned long* (*fetchLengths)(void*) = nullptr;
    void (*freeResult)(void*) = nullptr;
    unsigned long long (*affectedRows)(void*) = nullptr;
    unsigned long long (*insertId)(void*) = nullptr;
    unsigned (*errorNumber)(void*) = nullptr;
    const char* (*errorText)(void*) = nullptr;
    bool complete = true;

    static const Library& get() {
        static const Library library;
        return library;
    }

private:
    Library() {
        find(queryStart, "mysql_real_query_start");
        find(queryCont, "mysql_real_query_cont");
        find(storeStart, "mysql_store_result_start");
        find(storeCont, "mysql_store_result_cont");
        find(nextStart, "mysql_next_result_start");
        find(nextCont, "mysql_next_result_cont");
        find(options, "mysql_options");
        find(moreResults, "mysql_more_results");
        find(fieldCount, "mysql_field_count");
        find(fieldsIn, "mysql_num_fields");
        find(fetchRow, "mysql_fetch_row");
        find(fetchLengths, "mysql_fetch_lengths");
        find(freeResult, "mysql_free_result");
        find(affectedRows, "mysql_affected_rows");
        find(insertId, "mysql_insert_id");
        find(errorNumber, "mysql_errno");
        find(errorText, "mysql_error");
    }
    template <typename Function>
    void find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(loadedFunction({"libmariadb.so.3"}, name));
        complete = complete && function;
    }
};

constexpr int kOptNonBlock = 6000;                      // enum mysql_option: MYSQL_OPT_NONBLOCK
constexpr int kWaitRead = 1, kWaitWrite = 2, kOver = 0; // MYSQL_WAIT_…

class MySqlCalls final : public ClientCalls {
public:
    MySqlCalls(void* connection, QString where) : m_connection(connection), m_where(std::move(where)) {
        m_library.options(m_connection, kOptNonBlock, nullptr);
    }

    Now begin(QByteArray text) override {
        m_text = std::move(text); // read until it is sent
        m_reply = Reply();
        m_error.reset();
        m_call = Call::Query;
        return follow(m_library.queryStart(&m_failed, m_connection, m_text.constData(),
                                           static_cast<unsigned long>(m_text.size())));
    }
    Now goOn(bool readable, bool writable) override {
        const int ready = (readable ? kWaitRead : 0) | (writable ? kWaitWrite : 0);
        switch (m_call) {
        case Call::Query:
            return follow(m_library.queryCont(&m_failed, m_connection, ready));
        case Call::Store:
            return follow(m_library.storeCont(&m_result, m_connection, ready));
        case Call::Next:
            return follow(m_library.nextCont(&m_failed, m_connection, ready));
        case Call::None:
            break;
        }
        return Now::Done;
    }
    Result answer() override {
        if (m_error) return std::unexpected(*m_error);
        return std::move(m_reply);
    }

private:
    /// The call under way: each text is a query, then for each statement a result to store and the next one.
    enum class Call : std::uint8_t { None, Query, Store, Next };

    Now follow(int waitsFor) {
        while (waitsFor == kOver) {
            if (m_call == Call::Store) {
                if (!takeResult()) break;
                m_call = Call::Next;
                if (!m_library.moreResults(m_connection)) break;
                waitsFor = m_library.nextStart(&m_failed, m_connection);
            } else {
                if (m_failed != 0) {
                    fail();
                    break;
                }
                m_call = Call::Store;
                m_result = nullptr;
                waitsFor = m_library.storeStart(&m_result, m_connection);
            }
        }
        if (waitsFor != kOver) return (waitsFor & kWaitWrite) != 0 ? Now::Writes : Now::Reads;
        m_call = Call::None;
        return Now::Done;
    }
    bool takeResult() {
        m_reply = Reply();
        if (!m_result && m_library.fieldCount(m_connection) > 0) return fail();
        m_reply.affected = std::max<std::int64_t>(std::int64_t(m_library.affectedRows(m_connection)), 0);
        m_reply.insertId = std::int64_t(m_library.insertId(m_connection));
        if (!m_result) return true;
        const unsigned columns = m_library.fieldsIn(m_result);
        while (char** const fields = m_library.fetchRow(m_result)) {
            const unsigned long* const lengths = m_library.fetchLengths(m_result);
            Values& row = m_reply.rows.emplace_back();
            for (unsigned i = 0; i < columns; ++i)
                row.push_back(fields[i] ? Value(QByteArray(fields[i], qsizetype(lengths[i]))) : Value());
        }
        m_library.freeResult(std::exchange(m_result, nullptr));
        return true;
    }
    bool fail() {
        const QString code = QString::number(m_library.errorNumber(m_connection));
        const QString text = QString::fromUtf8(m_library.errorText(m_connection));
        m_error = errors::ofStatement(Dialect::MySql, QSqlError({}, text, QSqlError::StatementError, code), m_where);
        return false;
    }

    const Library& m_library = Library::get();
    void* const m_connection;
    const QString m_where;
    QByteArray m_text;
    Call m_call = Call::None;
    int m_failed = 0;
    void* m_result = nullptr;
    Reply m_reply;
    std::optional<Error> m_error;
};

} // namespace

std::unique_ptr<ClientCalls> mySqlCalls(void* connection, const QString& where) {
    if (!Library::get().complete) return nullptr;
    return std::make_unique<MySqlCalls>(connection, where);
}

} // namespace lockscope::sql
