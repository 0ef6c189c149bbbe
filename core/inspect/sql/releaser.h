// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/releaser.h"
#include "ports/sql/reader.h"

namespace lockscope::inspect {

/// Frees a row of ours, or of a library whose table is known, if it is still that owner's; ends the session or
/// transaction that holds a lock.
class SqlReleaser final : public Releaser {
public:
    SqlReleaser(std::unique_ptr<sql::Client> client, sql::Language language)
        : m_client(std::move(client)), m_language(language) {}
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::vector<sql::SeenHold> holdsOf(const LockRow& seen) const;

    std::unique_ptr<sql::Client> m_client;
    sql::Language m_language;
};

} // namespace lockscope::inspect
