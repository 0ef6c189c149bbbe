// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/client_calls.h"
#include "drivers/sql/client_handle.h"
#include "ports/sql/errors.h"
#include "ports/sql/literal.h"

#include <QSqlError>
#include <QVarLengthArray>
#include <array>
#include <charconv>
#include <cstdlib>
#include <libpq-fe.h>

namespace lockscope::sql {

namespace {

/// libpq, "Asynchronous Command Processing".
struct Library {
    LoadedLibrary library{"libpq.so.5"};

    decltype(&PQsetnonblocking) setNonBlocking = library.find("PQsetnonblocking");
    decltype(&PQsetNoticeProcessor) setNoticeProcessor = library.find("PQsetNoticeProcessor");
    decltype(&PQsendQuery) sendQuery = library.find("PQsendQuery");
    decltype(&PQsendQueryPrepared) sendPrepared = library.find("PQsendQueryPrepared");
    decltype(&PQflush) flush = library.find("PQflush"); ///< 1: not all yet
    decltype(&PQconsumeInput) consumeInput = library.find("PQconsumeInput");
    decltype(&PQisBusy) isBusy = library.find("PQisBusy");
    decltype(&PQgetResult) getResult = library.find("PQgetResult"); ///< nullptr: that was all
    decltype(&PQresultStatus) status = library.find("PQresultStatus");
    decltype(&PQcmdTuples) cmdTuples = library.find("PQcmdTuples");
    decltype(&PQntuples) rows = library.find("PQntuples");
    decltype(&PQnfields) columns = library.find("PQnfields");
    decltype(&PQftype) type = library.find("PQftype");
    decltype(&PQgetisnull) isNull = library.find("PQgetisnull");
    decltype(&PQgetvalue) value = library.find("PQgetvalue");
    decltype(&PQgetlength) length = library.find("PQgetlength");
    decltype(&PQresultErrorField) errorField = library.find("PQresultErrorField");
    decltype(&PQresultErrorMessage) resultError = library.find("PQresultErrorMessage");
    decltype(&PQerrorMessage) connectionError = library.find("PQerrorMessage");
    decltype(&PQclear) clear = library.find("PQclear");

    static const Library& get() {
        static const Library found;
        return found;
    }
};

// Of the server's pg_type.dat, which is part of the protocol.
constexpr Oid kBool = 16;
constexpr std::array<Oid, 3> kWholeNumbers{20, 21, 23}; ///< of 8, 2 and 4 bytes

class PostgreSqlCalls final : public ClientCalls {
public:
    PostgreSqlCalls(PGconn* connection, QString where) : m_connection(connection), m_where(std::move(where)) {
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
    Now beginPreparing(const QByteArray& name, QByteArray text) override {
        return begin("PREPARE " + name + " AS " + numbered(text));
    }
    Now beginPrepared(const QByteArray& name, const Values& values) override {
        m_reply = Reply();
        m_error.reset();
        using Digits = std::array<char, 24>;
        constexpr int kUsually = 8;
        QVarLengthArray<Digits, kUsually> digits(qsizetype(values.size())); // of the numbers
        QVarLengthArray<const char*, kUsually> texts;
        for (const Value& value : values) {
            if (const auto* number = std::get_if<std::int64_t>(&value)) {
                Digits& room = digits[texts.size()];
                *std::to_chars(room.begin(), room.end() - 1, *number).ptr = '\0';
                texts.push_back(room.data());
            } else {
                const auto* const text = std::get_if<QByteArray>(&value);
                texts.push_back(text ? text->constData() : nullptr);
            }
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
            PGresult* const result = m_library.getResult(m_connection);
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
    void take(PGresult* result) {
        const ExecStatusType status = m_library.status(result);
        if (status != PGRES_EMPTY_QUERY && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
            if (!m_error)
                m_error = errorOf(m_library.resultError(result), m_library.errorField(result, PG_DIAG_SQLSTATE));
            return;
        }
        m_reply = Reply();
        m_reply.affected = std::strtoll(m_library.cmdTuples(result), nullptr, 10); // empty: 0
        const int columns = m_library.columns(result);
        for (int i = 0; i < m_library.rows(result); ++i) {
            Values& row = m_reply.rows.emplace_back();
            for (int column = 0; column < columns; ++column)
                row.push_back(valueAt(result, i, column));
        }
    }
    Value valueAt(const PGresult* result, int row, int column) const {
        if (m_library.isNull(result, row, column) != 0) return {};
        const char* const text = m_library.value(result, row, column);
        const Oid type = m_library.type(result, column);
        if (type == kBool) return std::int64_t(*text == 't' ? 1 : 0);
        if (std::ranges::find(kWholeNumbers, type) != kWholeNumbers.end())
            return std::int64_t(std::strtoll(text, nullptr, 10));
        return QByteArray(text, m_library.length(result, row, column));
    }

    const Library& m_library = Library::get();
    PGconn* const m_connection;
    const QString m_where;
    bool m_writes = false;
    Reply m_reply;
    std::optional<Error> m_error;
};

} // namespace

std::unique_ptr<ClientCalls> postgreSqlCalls(void* connection, const QString& where) {
    if (!Library::get().library.complete()) return nullptr;
    return std::make_unique<PostgreSqlCalls>(static_cast<PGconn*>(connection), where);
}

} // namespace lockscope::sql
