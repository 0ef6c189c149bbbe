// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/client_calls.h"
#include "backends/sql/client_handle.h"
#include "backends/sql/errors.h"

#include <QSqlError>

namespace lockscope::sql {

namespace {

/// libpq, "Asynchronous Command Processing".
struct Library {
    int (*setNonBlocking)(void*, int) = nullptr;
    void* (*setNoticeProcessor)(void*, void (*)(void*, const char*), void*) = nullptr;
    int (*sendQuery)(void*, const char*) = nullptr;
    int (*sendPrepared)(void*, const char*, int, const char* const*, const int*, const int*, int) = nullptr;
    int (*flush)(void*) = nullptr; ///< 1: not all yet
    int (*consumeInput)(void*) = nullptr;
    int (*isBusy)(void*) = nullptr;
    void* (*getResult)(void*) = nullptr; ///< nullptr: that was all
    int (*status)(const void*) = nullptr;
    char* (*cmdTuples)(void*) = nullptr;
    int (*rows)(const void*) = nullptr;
    int (*columns)(const void*) = nullptr;
    unsigned (*type)(const void*, int) = nullptr;
    int (*isNull)(const void*, int, int) = nullptr;
    char* (*value)(const void*, int, int) = nullptr;
    int (*length)(const void*, int, int) = nullptr;
    char* (*errorField)(const void*, int) = nullptr;
    char* (*resultError)(const void*) = nullptr;
    char* (*connectionError)(const void*) = nullptr;
    void (*clear)(void*) = nullptr;
    bool complete = true;

    static const Library& get() {
        static const Library library;
        return library;
    }

private:
    Library() {
        find(setNonBlocking, "PQsetnonblocking");
        find(setNoticeProcessor, "PQsetNoticeProcessor");
        find(sendQuery, "PQsendQuery");
        find(sendPrepared, "PQsendQueryPrepared");
        find(flush, "PQflush");
        find(consumeInput, "PQconsumeInput");
        find(isBusy, "PQisBusy");
        find(getResult, "PQgetResult");
        find(status, "PQresultStatus");
        find(cmdTuples, "PQcmdTuples");
        find(rows, "PQntuples");
        find(columns, "PQnfields");
        find(type, "PQftype");
        find(isNull, "PQgetisnull");
        find(value, "PQgetvalue");
        find(length, "PQgetlength");
        find(errorField, "PQresultErrorField");
        find(resultError, "PQresultErrorMessage");
        find(connectionError, "PQerrorMessage");
        find(clear, "PQclear");
    }
    template <typename Function>
    void find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(loadedFunction({"libpq.so.5"}, name));
        complete = complete && function;
    }
};

// libpq-fe.h and the server's pg_type.dat: both are part of the protocol and never change.
constexpr int kEmptyQuery = 0, kCommandOk = 1, kTuplesOk = 2;
constexpr int kSqlState = 'C';
constexpr unsigned kBool = 16;

class PostgreSqlCalls final : public ClientCalls {
public:
    PostgreSqlCalls(void* connection, QString where) : m_connection(connection), m_where(std::move(where)) {
        m_library.setNonBlocking(m_connection, 1);
        // It would write what the server remarks to the program's own standard error.
        m_library.setNoticeProcessor(
            m_connection, [](void*, const char*) {}, nullptr);
    }

    Now begin(QByteArray text) override {
        m_reply = Reply();
        m_error.reset();
        if (m_library.sendQuery(m_connection, text.constData()) == 0) return failed();
        return flushed();
    }
    bool takesValues() const override { return true; }
    Now beginPrepared(const QByteArray& name, const Values& values) override {
        m_reply = Reply();
        m_error.reset();
        std::vector<QByteArray> digits(values.size()); // of the numbers
        std::vector<const char*> texts;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (const auto* number = std::get_if<std::int64_t>(&values[i]))
                digits[i] = QByteArray::number(qlonglong(*number));
            const auto* const text = std::get_if<QByteArray>(&values[i]);
            texts.push_back(std::holds_alternative<std::monostate>(values[i]) ? nullptr
                            : text                                            ? text->constData()
                                                                              : digits[i].constData());
        }
        const int sent = m_library.sendPrepared(m_connection, name.constData(), int(texts.size()), texts.data(),
                                                nullptr, nullptr, 0);
        return sent == 0 ? failed() : flushed();
    }
    Now goOn(bool readable, bool writable) override {
        // Also while it still writes: a server that cannot get rid of what it says does not listen.
        if (readable && m_library.consumeInput(m_connection) == 0) return failed();
        if (writable && m_writes) (void)flushed();
        if (takeAll()) return Now::Done;
        return m_writes ? Now::Writes : Now::Reads;
    }
    Result answer() override {
        if (m_error) return std::unexpected(*m_error);
        return std::move(m_reply);
    }

private:
    Now flushed() {
        const int left = m_library.flush(m_connection);
        m_writes = left > 0;
        // The connection broke: the server may have said why, and reading will find it.
        return m_writes ? Now::Writes : Now::Reads;
    }
    /// The connection is of no use any more. The server may have said why before it went.
    Now failed() {
        m_writes = false;
        takeAll();
        if (!m_error) m_error = errorOf(m_library.connectionError(m_connection), nullptr);
        return Now::Done;
    }
    /// What has come as a whole; true when that was the end.
    bool takeAll() {
        while (m_library.isBusy(m_connection) == 0) {
            void* const result = m_library.getResult(m_connection);
            if (!result) return true;
            take(result);
            m_library.clear(result);
        }
        return false;
    }
    Error errorOf(const char* text, const char* state) const {
        const QSqlError error({}, QString::fromUtf8(text).trimmed(), QSqlError::StatementError,
                              QString::fromLatin1(state));
        return errors::ofStatement(Dialect::PostgreSql, error, m_where);
    }
    void take(void* result) {
        const int status = m_library.status(result);
        if (status != kEmptyQuery && status != kCommandOk && status != kTuplesOk) {
            if (!m_error) m_error = errorOf(m_library.resultError(result), m_library.errorField(result, kSqlState));
            return;
        }
        m_reply = Reply();
        m_reply.affected = QByteArray(m_library.cmdTuples(result)).toLongLong();
        const int columns = m_library.columns(result);
        for (int i = 0; i < m_library.rows(result); ++i) {
            Values& row = m_reply.rows.emplace_back();
            for (int column = 0; column < columns; ++column)
                row.push_back(valueAt(result, i, column));
        }
    }
    Value valueAt(const void* result, int row, int column) const {
        if (m_library.isNull(result, row, column) != 0) return {};
        const char* const text = m_library.value(result, row, column);
        if (m_library.type(result, column) == kBool) return std::int64_t(*text == 't' ? 1 : 0);
        return QByteArray(text, m_library.length(result, row, column));
    }

    const Library& m_library = Library::get();
    void* const m_connection;
    const QString m_where;
    bool m_writes = false;
    Reply m_reply;
    std::optional<Error> m_error;
};

} // namespace

std::unique_ptr<ClientCalls> postgreSqlCalls(void* connection, const QString& where) {
    if (!Library::get().complete) return nullptr;
    return std::make_unique<PostgreSqlCalls>(connection, where);
}

} // namespace lockscope::sql
