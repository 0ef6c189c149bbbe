// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/etcd/members.h"

namespace lockscope::etcd {

/// A watch on its own connection: the gateway answers one request with an endless reply.
class WatchStream final : public Watch {
public:
    explicit WatchStream(const std::shared_ptr<Members>& members);
    ~WatchStream() override;

    /// Its connection, and the number of the member at the other end.
    const std::shared_ptr<HttpWire>& wire() const { return m_loan.wire; }
    std::size_t member() const { return m_loan.member; }
    std::int64_t revision() const override { return m_revision; }
    /// Returns when the server has confirmed the watch.
    Result<void> start(HttpRequest request, Nanos timeout, std::stop_token stop);
    QCoro::Task<std::optional<WatchEvent>> next(Nanos timeout, std::stop_token stop) override;

private:
    struct Started {
        std::optional<Error> error;
    };
    void onLine(const QByteArray& line);
    void push(WatchEvent event);

    Members::Loan m_loan;
    Runtime& m_runtime;
    QString m_where;
    Completion<Started> m_started;
    std::int64_t m_revision = 0;
    std::deque<WatchEvent> m_events;
    SignalCount m_signals; ///< one per event
};

} // namespace lockscope::etcd
