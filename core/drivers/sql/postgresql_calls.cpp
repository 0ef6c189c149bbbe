// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/client_calls.h"
#include "drivers/sql/literal.h"
#include "ports/sql/errors.h"

#include <QVarLengthArray>
#include <array>
#include <charconv>
#include <cstdlib>
#include <libpq-fe.h>

namespace lockscope::sql {

namespace {

// Type numbers from the server's pg_type.dat, which is part of the protocol.
constexpr Oid kBool = 16;
constexpr std::array<Oid, 3> kWholeNumbers{20, 21, 23}; ///< of 8, 2 and 4 bytes

/// libpq, "Asynchronous Command Processing" and "Database Connection Control Functions".
class PostgreSqlCalls final : public ClientCalls {
public:
    explicit PostgreSqlCalls(const Settings& settings) : m_settings(settings) {}
    ~PostgreSqlCalls() override { PQfinish(m_connection); }

    Now beginConnecting(const QByteArray& address) override {
        m_reply = Reply();
        m_error.reset();
        m_connecting = true;
        // The name is what the certificate is compared with; with an address beside it, libpq looks up nothing.
        std::vector<std::pair<const char*, QByteArray>> all{{"host", m_settings.host.toUtf8()},
                                                            {"hostaddr", address},
                                                            {"dbname", m_settings.database.toUtf8()},
                                                            {"user", m_settings.user.toUtf8()},
                                                            {"password", m_settings.password.toUtf8()},
                                                            {"application_name", "lockscope"},
                                                            {"client_encoding", "UTF8"},
                                                            {"gssencmode", "disable"},
                                                            {"sslmode", m_settings.tls ? "verify-full" : "disable"}};
        if (m_settings.port > 0) all.emplace_back("port", QByteArray::number(m_settings.port));
        if (m_settings.tls) {
            all.emplace_back("sslrootcert", m_settings.tlsFiles.ca.toUtf8());
            all.emplace_back("sslcert", m_settings.tlsFiles.certificate.toUtf8());
            all.emplace_back("sslkey", m_settings.tlsFiles.key.toUtf8());
        }
        std::vector<const char*> words, values;
        for (const auto& [word, value] : all) {
            if (value.isEmpty()) continue; // libpq has defaults
            words.push_back(word);
            values.push_back(value.constData());
        }
        words.push_back(nullptr);
        values.push_back(nullptr);
        constexpr int kAsTheyAre = 0;
        m_connection = PQconnectStartParams(words.data(), values.data(), kAsTheyAre);
        if (!m_connection) qBadAlloc();
        // It would write what the server remarks to the program's own standard error.
        PQsetNoticeProcessor(
            m_connection, [](void*, const char*) {}, nullptr);
        return PQstatus(m_connection) == CONNECTION_BAD ? failed() : Now::Writes;
    }
    Now begin(QByteArray text) override {
        m_reply = Reply();
        m_error.reset();
        if (PQsendQuery(m_connection, text.constData()) == 0) return failed();
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
        const int sent =
            PQsendQueryPrepared(m_connection, name.constData(), int(texts.size()), texts.data(), nullptr, nullptr, 0);
        return sent == 0 ? failed() : flushed();
    }
    Now goOn(bool readable, bool writable) override {
        if (m_connecting) return connectFurther();
        // Also while it still writes: a server that cannot get rid of what it says does not listen.
        if (readable && PQconsumeInput(m_connection) == 0) return failed();
        if (writable && m_writes) (void)flushed();
        if (takeAll()) return Now::Done;
        return m_writes ? Now::Writes : Now::Reads;
    }
    Result answer() override {
        if (m_error) return std::unexpected(*m_error);
        return std::move(m_reply);
    }

    int socket() const override { return m_connection ? PQsocket(m_connection) : -1; }
    bool encrypted() const override { return PQsslInUse(m_connection) != 0; }
    std::int64_t greetedAs() const override { return PQbackendPID(m_connection); }

private:
    Now connectFurther() {
        switch (PQconnectPoll(m_connection)) {
        case PGRES_POLLING_READING:
            return Now::Reads;
        case PGRES_POLLING_OK:
            m_connecting = false;
            PQsetnonblocking(m_connection, 1);
            return Now::Done;
        case PGRES_POLLING_FAILED:
            return failed();
        default:
            return Now::Writes;
        }
    }
    Now flushed() {
        const int left = PQflush(m_connection);
        m_writes = left > 0;
        // The connection broke: the server may have said why, and reading will find it.
        return m_writes ? Now::Writes : Now::Reads;
    }
    /// The connection is of no use any more. The server may have said why before it went.
    Now failed() {
        m_writes = false;
        if (!m_connecting) takeAll();
        if (!m_error) m_error = errorOf(PQerrorMessage(m_connection), nullptr);
        return Now::Done;
    }
    /// Takes all results that have arrived completely; true when the last one was among them.
    bool takeAll() {
        while (PQisBusy(m_connection) == 0) {
            PGresult* const result = PQgetResult(m_connection);
            if (!result) return true;
            take(result);
            PQclear(result);
        }
        return false;
    }
    Error errorOf(const char* text, const char* state) const {
        const errors::Said said{state, QString::fromUtf8(text).trimmed()};
        return (m_connecting ? errors::ofConnecting : errors::ofStatement)(Dialect::PostgreSql, said, m_settings.where);
    }
    void take(PGresult* result) {
        const ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_EMPTY_QUERY && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
            if (!m_error) m_error = errorOf(PQresultErrorMessage(result), PQresultErrorField(result, PG_DIAG_SQLSTATE));
            return;
        }
        m_reply = Reply();
        m_reply.affected = std::strtoll(PQcmdTuples(result), nullptr, 10); // empty: 0
        const int columns = PQnfields(result);
        for (int i = 0; i < PQntuples(result); ++i) {
            Values& row = m_reply.rows.emplace_back();
            for (int column = 0; column < columns; ++column)
                row.push_back(valueAt(result, i, column));
        }
    }
    Value valueAt(const PGresult* result, int row, int column) const {
        if (PQgetisnull(result, row, column) != 0) return {};
        const char* const text = PQgetvalue(result, row, column);
        const Oid type = PQftype(result, column);
        if (type == kBool) return std::int64_t(*text == 't' ? 1 : 0);
        if (std::ranges::find(kWholeNumbers, type) != kWholeNumbers.end())
            return std::int64_t(std::strtoll(text, nullptr, 10));
        return QByteArray(text, PQgetlength(result, row, column));
    }

    const Settings m_settings;
    PGconn* m_connection = nullptr;
    bool m_connecting = false; ///< and stays so when that failed
    bool m_writes = false;
    Reply m_reply;
    std::optional<Error> m_error;
};

} // namespace

std::unique_ptr<ClientCalls> postgreSqlCalls(const Settings& settings) {
    return std::make_unique<PostgreSqlCalls>(settings);
}

} // namespace lockscope::sql
