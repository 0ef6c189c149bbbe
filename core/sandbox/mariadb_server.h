// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/sql_server.h"

namespace lockscope::sandbox {

/// A MariaDB server (Debian package mariadb-server) of our own.
class MariaDbServer final : public SqlServer {
public:
    explicit MariaDbServer(Runtime& runtime, SqlServerOptions options = {});
    QString database() const override { return QStringLiteral("locks"); }
    /// The administrator's socket, for command-line clients: the administrator can log in only here, without a
    /// password.
    QString socketFile() const { return m_workspace.file(QStringLiteral("s")); }

private:
    QCoro::Task<std::expected<void, QString>> makeData(std::stop_token stop) override;
    bool run() override;
    void askToEnd() override { m_process.terminate(); }
    QLatin1String readySign() const override { return QLatin1String("ready for connections"); }
    QString scheme() const override { return QStringLiteral("mysql"); }
    QString package() const override { return QStringLiteral("mariadb-server"); }
    QString dataDirectory() const { return m_workspace.file(QStringLiteral("data")); }
};

} // namespace lockscope::sandbox
