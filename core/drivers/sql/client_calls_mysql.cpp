// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/client_calls.h"
#include "drivers/sql/mysql_statement.h"
#include "ports/sql/errors.h"

#include <QSqlError>
#include <fcntl.h>
#include <map>

namespace lockscope::sql {

namespace {

constexpr int kOver = 0; // what a call returns that waits for nothing

class MySqlCalls final : public ClientCalls {
public:
    MySqlCalls(MYSQL* connection, QString where) : m_connection(connection), m_where(std::move(where)) {
        m_library.options(m_connection, MYSQL_OPT_NONBLOCK, nullptr);
        // A plain connection is asked not to wait with each call; what OpenSSL does with one, the socket decides.
        waitOnSocket(false);
    }
    ~MySqlCalls() override { waitOnSocket(true); } // as QtSql had it, which closes it

    Now begin(QByteArray text) override {
        m_text = std::move(text); // read until it is sent
        start(Call::Query);
        return follow(m_library.queryStart(&m_failed, m_connection, m_text.constData(),
                                           static_cast<unsigned long>(m_text.size())));
    }
    Now beginPreparing(const QByteArray& name, QByteArray text) override {
        start(Call::Statement);
        m_statement = m_statements.emplace(name, std::make_unique<MySqlStatement>(m_connection)).first->second.get();
        return follow(m_statement->startPreparing(std::move(text)));
    }
    Now beginPrepared(const QByteArray& name, const Values& values) override {
        start(Call::Statement);
        m_statement = m_statements.at(name).get();
        m_executes = true;
        return follow(m_statement->startExecuting(values));
    }
    Now goOn(bool readable, bool writable) override {
        const int ready = (readable ? MYSQL_WAIT_READ : 0) | (writable ? MYSQL_WAIT_WRITE : 0);
        switch (m_call) {
        case Call::Query:
            return follow(m_library.queryCont(&m_failed, m_connection, ready));
        case Call::Store:
            return follow(m_library.storeCont(&m_result, m_connection, ready));
        case Call::Next:
            return follow(m_library.nextCont(&m_failed, m_connection, ready));
        case Call::Statement:
            return follow(m_statement->goOn(ready));
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
    /// The call under way: each text is a query, then for each statement of it a result to store and the next one.
    enum class Call : std::uint8_t { None, Query, Store, Next, Statement };

    void waitOnSocket(bool waits) const {
        const int socket = m_library.socket(m_connection);
        const int flags = ::fcntl(socket, F_GETFL);
        if (flags >= 0) (void)::fcntl(socket, F_SETFL, waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
    }
    void start(Call call) {
        m_reply = Reply();
        m_error.reset();
        m_executes = false;
        m_call = call;
    }
    Now follow(int waitsFor) {
        while (waitsFor == kOver) {
            if (m_call == Call::Statement) {
                takeStatement();
                break;
            }
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
        if (waitsFor != kOver) return (waitsFor & MYSQL_WAIT_WRITE) != 0 ? Now::Writes : Now::Reads;
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
        while (const MYSQL_ROW fields = m_library.fetchRow(m_result)) {
            const unsigned long* const lengths = m_library.fetchLengths(m_result);
            Values& row = m_reply.rows.emplace_back();
            for (unsigned i = 0; i < columns; ++i)
                row.push_back(fields[i] ? Value(QByteArray(fields[i], qsizetype(lengths[i]))) : Value());
        }
        m_library.freeResult(std::exchange(m_result, nullptr));
        return true;
    }
    void takeStatement() {
        if (m_executes && !m_statement->failed()) m_reply = m_statement->reply();
        if (m_statement->failed()) fail(m_statement->errorNumber(), m_statement->errorText());
    }
    bool fail() {
        fail(QString::number(m_library.errorNumber(m_connection)),
             QString::fromUtf8(m_library.errorText(m_connection)));
        return false;
    }
    void fail(const QString& code, const QString& text) {
        m_error = errors::ofStatement(Dialect::MySql, QSqlError({}, text, QSqlError::StatementError, code), m_where);
    }

    const MySqlLibrary& m_library = MySqlLibrary::get();
    MYSQL* const m_connection;
    const QString m_where;
    QByteArray m_text;
    Call m_call = Call::None;
    int m_failed = 0;
    MYSQL_RES* m_result = nullptr;
    std::map<QByteArray, std::unique_ptr<MySqlStatement>> m_statements; ///< prepared, by name
    MySqlStatement* m_statement = nullptr;                              ///< the one of Call::Statement
    bool m_executes = false;                                            ///< and not prepares
    Reply m_reply;
    std::optional<Error> m_error;
};

} // namespace

std::unique_ptr<ClientCalls> mySqlCalls(void* connection, const QString& where) {
    if (!MySqlLibrary::get().library.complete()) return nullptr;
    return std::make_unique<MySqlCalls>(static_cast<MYSQL*>(connection), where);
}

} // namespace lockscope::sql
