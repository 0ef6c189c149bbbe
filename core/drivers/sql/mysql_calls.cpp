// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/client_calls.h"
#include "drivers/sql/login_thread.h"
#include "drivers/sql/mysql_statement.h"
#include "ports/sql/errors.h"

#include <fcntl.h>
#include <map>
#include <mutex>
#include <optional>

namespace lockscope::sql {

namespace {

constexpr int kOver = 0; // what a call returns that waits for nothing
/// The library's calls run on a stack of their own. Its default is too small for a handshake by OpenSSL.
constexpr std::size_t kStack = 256UZ * 1024;

/// The first call of mysql_init() prepares the library, which no two threads may do at once.
MYSQL* newConnection() {
    static std::once_flag once;
    std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
    MYSQL* const connection = mysql_init(nullptr);
    if (!connection) qBadAlloc();
    return connection;
}

const char* orNull(const QByteArray& text) {
    return text.isEmpty() ? nullptr : text.constData();
}

/// Each call that may block starts with …_start and continues with …_cont; both return the events to wait for
/// (Connector/C, "Using the Non-blocking Library").
class MySqlCalls final : public ClientCalls {
public:
    explicit MySqlCalls(const Settings& settings) : m_settings(settings), m_connection(newConnection()) {}
    /// Closes it before the statements go: the server forgets them with the connection, and needs no word about each.
    ~MySqlCalls() override {
        m_login.reset();
        mysql_close(m_connection);
    }

    Now beginConnecting(const QByteArray& address) override {
        start(Call::Connect);
        const std::size_t stack = kStack;
        const unsigned off = 0;
        mysql_options(m_connection, MYSQL_OPT_NONBLOCK, &stack);
        mysql_options(m_connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
        mysql_options(m_connection, MYSQL_OPT_LOCAL_INFILE, &off); // a server has no business with our files
        if (m_settings.tls) {
            const TlsFiles& files = m_settings.tlsFiles;
            mysql_ssl_set(m_connection, orNull(files.key.toUtf8()), orNull(files.certificate.toUtf8()),
                          orNull(files.ca.toUtf8()), nullptr, nullptr);
        }
        m_address = address; // these are read until it is connected
        m_user = m_settings.user.toUtf8();
        m_password = m_settings.password.toUtf8();
        m_database = m_settings.database.toUtf8();
        if (!m_settings.tls) return follow(startConnecting());
        m_login.emplace(
            m_connection, [this] { return startConnecting(); }, [this](int ready) { return goOnConnecting(ready); });
        return Now::Reads;
    }
    Now begin(QByteArray text) override {
        m_text = std::move(text); // read until it is sent
        start(Call::Query);
        return follow(mysql_real_query_start(&m_failed, m_connection, m_text.constData(),
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
        case Call::Connect:
            if (!m_login) return follow(goOnConnecting(ready));
            if (!m_login->over()) return Now::Reads;
            m_login.reset();
            return follow(kOver);
        case Call::Query:
            return follow(mysql_real_query_cont(&m_failed, m_connection, ready));
        case Call::Store:
            return follow(mysql_store_result_cont(&m_result, m_connection, ready));
        case Call::Next:
            return follow(mysql_next_result_cont(&m_failed, m_connection, ready));
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
    int socket() const override { return m_login ? m_login->socket() : int(mysql_get_socket(m_connection)); }
    bool encrypted() const override { return mysql_get_ssl_cipher(m_connection) != nullptr; }

private:
    /// The call under way: each text is a query, then for each statement of it a result to store and the next one.
    enum class Call : std::uint8_t { None, Connect, Query, Store, Next, Statement };

    int startConnecting() {
        return mysql_real_connect_start(&m_connected, m_connection, orNull(m_address), orNull(m_user),
                                        orNull(m_password), orNull(m_database), unsigned(m_settings.port), nullptr,
                                        CLIENT_MULTI_STATEMENTS | CLIENT_FOUND_ROWS);
    }
    int goOnConnecting(int ready) { return mysql_real_connect_cont(&m_connected, m_connection, ready); }
    /// A plain connection is asked not to wait with each call; what OpenSSL does with one, the socket decides.
    void dontWait() const {
        const int flags = ::fcntl(socket(), F_GETFL);
        if (flags >= 0) (void)::fcntl(socket(), F_SETFL, flags | O_NONBLOCK);
    }
    void start(Call call) {
        m_reply = Reply();
        m_error.reset();
        m_executes = false;
        m_call = call;
    }
    Now follow(int waitsFor) {
        while (waitsFor == kOver) {
            if (m_call == Call::Connect) {
                if (m_connected) dontWait();
                m_password.fill('\0');
                if (!m_connected) fail();
                break;
            }
            if (m_call == Call::Statement) {
                takeStatement();
                break;
            }
            if (m_call == Call::Store) {
                if (!takeResult()) break;
                m_call = Call::Next;
                if (!mysql_more_results(m_connection)) break;
                waitsFor = mysql_next_result_start(&m_failed, m_connection);
            } else {
                if (m_failed != 0) {
                    fail();
                    break;
                }
                m_call = Call::Store;
                m_result = nullptr;
                waitsFor = mysql_store_result_start(&m_result, m_connection);
            }
        }
        if (waitsFor != kOver) return (waitsFor & MYSQL_WAIT_WRITE) != 0 ? Now::Writes : Now::Reads;
        m_call = Call::None;
        return Now::Done;
    }
    bool takeResult() {
        m_reply = Reply();
        if (!m_result && mysql_field_count(m_connection) > 0) return fail();
        m_reply.affected = std::max<std::int64_t>(std::int64_t(mysql_affected_rows(m_connection)), 0);
        m_reply.insertId = std::int64_t(mysql_insert_id(m_connection));
        if (!m_result) return true;
        const unsigned columns = mysql_num_fields(m_result);
        while (const MYSQL_ROW fields = mysql_fetch_row(m_result)) {
            const unsigned long* const lengths = mysql_fetch_lengths(m_result);
            Values& row = m_reply.rows.emplace_back();
            for (unsigned i = 0; i < columns; ++i)
                row.push_back(fields[i] ? Value(QByteArray(fields[i], qsizetype(lengths[i]))) : Value());
        }
        mysql_free_result(std::exchange(m_result, nullptr));
        return true;
    }
    void takeStatement() {
        if (m_executes && !m_statement->failed()) m_reply = m_statement->reply();
        if (m_statement->failed()) fail(m_statement->errorNumber(), m_statement->errorText());
    }
    bool fail() {
        fail(QByteArray::number(mysql_errno(m_connection)), QString::fromUtf8(mysql_error(m_connection)));
        return false;
    }
    void fail(const QByteArray& code, const QString& text) {
        const auto toError = m_call == Call::Connect ? errors::ofConnecting : errors::ofStatement;
        m_error = toError(Dialect::MySql, {code, text}, m_settings.where);
    }

    const Settings m_settings;
    QByteArray m_address, m_user, m_password, m_database;
    MYSQL* const m_connection;
    MYSQL* m_connected = nullptr;       ///< the result of connecting: nullptr when it failed
    std::optional<LoginThread> m_login; ///< while it connects with TLS; the members above belong to it then
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

std::unique_ptr<ClientCalls> mySqlCalls(const Settings& settings) {
    return std::make_unique<MySqlCalls>(settings);
}

} // namespace lockscope::sql
