// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/releaser.h"

namespace lockscope::inspect {

/// Frees a row of ours if it is still that owner's; ends the session or transaction that holds a lock.
class SqlReleaser final : public Releaser {
public:
    explicit SqlReleaser(std::unique_ptr<sql::Client> client) : m_client(std::move(client)) {}
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::unique_ptr<sql::Client> m_client;
};

} // namespace lockscope::inspect
