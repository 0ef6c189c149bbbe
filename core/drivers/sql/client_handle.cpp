// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/client_handle.h"

#include <QSqlDriver>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace lockscope::sql {

namespace {

/// QtSql documents the name of the type as the library's header has it; some builds give the name of the structure.
bool isA(const QVariant& handle, const char* name, const char* structure) {
    return qstrcmp(handle.typeName(), name) == 0 || qstrcmp(handle.typeName(), structure) == 0;
}

} // namespace

void* loadedFunction(std::initializer_list<const char*> libraries, const char* name) {
    for (const char* library : libraries) {
        void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) continue;
        if (void* const function = ::dlsym(handle, name)) return function;
    }
    return nullptr;
}

void* handleOf(const QSqlDriver& driver, Dialect dialect) {
    const QVariant handle = driver.handle();
    const bool known = dialect == Dialect::MySql        ? isA(handle, "MYSQL*", "st_mysql*")
                       : dialect == Dialect::PostgreSql ? isA(handle, "PGconn*", "pg_conn*")
                                                        : isA(handle, "sqlite3*", "sqlite3*");
    if (!known || !handle.isValid() || !handle.constData()) return nullptr;
    return *static_cast<void* const*>(handle.constData());
}

namespace {

void* mySqlFunction(const char* name) {
    return loadedFunction({"libmariadb.so.3", "libmysqlclient.so.21", "libmysqlclient.so.24"}, name);
}

int socketOf(const QSqlDriver& driver, Dialect dialect) {
    using Function = int (*)(const void*); // my_socket is int on POSIX
    void* const connection = dialect == Dialect::Sqlite ? nullptr : handleOf(driver, dialect);
    if (!connection) return -1;
    if (dialect == Dialect::MySql) {
        static const auto get = reinterpret_cast<Function>(mySqlFunction("mysql_get_socket"));
        return get ? get(connection) : -1;
    }
    static const auto get = reinterpret_cast<Function>(loadedFunction({"libpq.so.5"}, "PQsocket"));
    return get ? get(connection) : -1;
}

void set(int socket, int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value); // a local socket has none of these: no harm
}

} // namespace

std::optional<QByteArray> cipherOf(const QSqlDriver& driver) {
    using Function = const char* (*)(void*);
    void* const connection = handleOf(driver, Dialect::MySql);
    if (!connection) return std::nullopt;
    static const auto get = reinterpret_cast<Function>(mySqlFunction("mysql_get_ssl_cipher"));
    if (!get) return std::nullopt;
    return QByteArray(get(connection));
}

int duplicateSocket(const QSqlDriver& driver, Dialect dialect) {
    const int socket = socketOf(driver, dialect);
    if (socket < 0) return -1;
    const int duplicate = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0) return -1;
    set(duplicate, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(duplicate, IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(duplicate, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(duplicate, IPPROTO_TCP, TCP_KEEPCNT, 4);
    set(duplicate, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
    return duplicate;
}

std::optional<std::int64_t> numberFromGreeting(const QSqlDriver& driver, Dialect dialect) {
    using Function = int (*)(const void*);
    void* const connection = dialect == Dialect::PostgreSql ? handleOf(driver, dialect) : nullptr;
    if (!connection) return std::nullopt;
    static const auto get = reinterpret_cast<Function>(loadedFunction({"libpq.so.5"}, "PQbackendPID"));
    if (!get) return std::nullopt;
    return get(connection);
}

} // namespace lockscope::sql
