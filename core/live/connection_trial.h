// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "runtime/mailbox.h"
#include "runtime/service_thread.h"

#include <functional>
#include <memory>

namespace lockscope::live {

/// Connects to a server once, looks whether its locks can be read, and says in words what came of it. Reads only. It
/// works on a thread of its own; destroying it ends the trial, and `done` is then not called any more.
class ConnectionTrial : public QObject {
public:
    enum class Outcome : std::uint8_t {
        Fine,
        Partly, ///< connected, but not everything can be read
        Failed,
    };
    /// On the thread that made the trial, once. `sentence`: what is so and what to do; never a password.
    using Done = std::function<void(Outcome outcome, const QString& sentence)>;
    /// Precondition: inspect::watchable(url).
    ConnectionTrial(ConnectionUrl url, Done done);
    ~ConnectionTrial() override;

private:
    class Work;
    Mailbox m_inbox; ///< from the trial's thread
    Done m_done;
    std::unique_ptr<Work> m_work; ///< made, used and destroyed on m_thread only
    ServiceThread m_thread{"trial"};
};

} // namespace lockscope::live
