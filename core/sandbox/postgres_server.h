// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/sql_server.h"

namespace lockscope::sandbox {

/// A PostgreSQL server (Debian package postgresql) of our own. It refuses to run as root: then it runs as the user
/// "postgres". It is many processes, which are paused and killed together.
class PostgresServer final : public SqlServer {
public:
    explicit PostgresServer(Runtime& runtime, SqlServerOptions options = {});
    ~PostgresServer() override;
    QString database() const override { return QStringLiteral("postgres"); }
    void kill() override;
    void pause() override;
    void resume() override;

private:
    QCoro::Task<std::expected<void, QString>> makeData(std::stop_token stop) override;
    bool run() override;
    void askToEnd() override;
    QLatin1String readySign() const override { return QLatin1String("database system is ready to accept "); }
    QString scheme() const override { return QStringLiteral("postgresql"); }
    QString package() const override { return QStringLiteral("postgresql"); }
    QString home() const { return m_workspace.file(QStringLiteral("home")); }
    /// Its processes besides the first.
    std::vector<qint64> children() const;
    void signalChildren(int number) const;
};

} // namespace lockscope::sandbox
