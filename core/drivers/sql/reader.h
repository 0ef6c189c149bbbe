// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/driver_session.h"
#include "ports/sql/reader.h"

namespace lockscope::sql {

class SqlDriver;

/// Reads a real database over one connection, which is read-only by the server's own word.
///
/// Lives on its runtime's thread, which needs a Qt event loop. The runtime must outlive it. One query at a time; none
/// may be in flight when it is destroyed.
class SqlReader final : public Reader {
public:
    /// The URL's time-outs apply.
    SqlReader(Runtime& runtime, const ConnectionUrl& url);
    ~SqlReader() override;

    Runtime& runtime() override { return m_runtime; }
    Language language() const override { return m_language; }
    Answer<Table> select(QByteArray query, std::vector<QByteArray> values, std::stop_token stop) override;
    Answer<void> open(std::stop_token stop = {}) override;
    QString where() const override;
    std::uint64_t queriesSent() const override { return m_sent; }

private:
    Runtime& m_runtime;
    std::unique_ptr<SqlDriver> m_driver;
    std::shared_ptr<DriverSession> m_session; ///< read-only; nullptr: not connected
    Language m_language;
    std::uint64_t m_sent = 0;
};

} // namespace lockscope::sql
