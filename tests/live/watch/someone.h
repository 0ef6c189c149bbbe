// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_sql.h"

#include <QTest>

namespace lockscope::test {

/// A session in a transaction of its own, that runs what it is told.
struct Someone {
    Someone(Runtime& runtime, const QString& url) : client(runtime, url) {
        auto opened = run(client.driver.textSession());
        if (!opened) return;
        session = std::move(*opened).share();
        const bool postgres = url.startsWith(QLatin1String("postgres"));
        const sql::Result who =
            ask(postgres ? "SELECT COALESCE(NULLIF(current_setting('application_name'), ''), session_user)"
                         : "SELECT SUBSTRING_INDEX(USER(), '@', 1)");
        if (who) name = who->text() + " \u00b7 " + QByteArray::number(qlonglong(session->serverId()));
    }
    sql::Result ask(const QByteArray& text) {
        const sql::Statement statement{text, {}};
        return run(session->execute(statement));
    }
    SqlClient client;
    std::shared_ptr<sql::DriverSession> session;
    QByteArray name; ///< as a holder or waiter
};

/// A statement that waits on its session.
inline auto waiting(Someone& someone, const QByteArray& text) {
    const sql::Statement statement{text, {}};
    return beside(someone.session->execute(statement));
}

/// InnoDB's tables about transactions tell what was, until nobody has read them for 100 ms: until the watcher and the
/// test ask anew, there is nothing that would tell that they may.
inline void letInnoDbRest() {
    QTest::qWait(120);
}

/// Transactions of MariaDB that wait for a lock, as the server says.
inline qint64 blockedInMariaDb(Someone& someone) {
    (void)ask(someone.client.driver, "DO SLEEP(0.12)"); // as in letInnoDbRest(), on the server
    return number(someone.client.driver,
                  "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'");
}

} // namespace lockscope::test
