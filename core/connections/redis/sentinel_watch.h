// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/redis/feed.h"
#include "connections/redis/sentinel_survey.h"
#include "ports/redis/client.h"
#include "runtime/signal_count.h"

namespace lockscope::redis {

/// Finds the master behind sentinels, and notices when another one replaces it. Shared by the port and its coroutines;
/// the port ends the connections by close().
class SentinelWatch final : public FeedSource, public std::enable_shared_from_this<SentinelWatch> {
public:
    SentinelWatch(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options);
    /// Starts listening to the sentinels and searching for the master.
    void start();
    /// Ends everything; nothing is sent any more.
    void close();
    bool closed() const { return m_closing.stop_requested(); }

    /// The connection to the master; nullptr during a search.
    Client* master() const { return m_master.get(); }
    const Endpoint& masterAt() const { return m_masterAt; }
    /// Counts the masters: another number means another master, or another connection to it.
    std::uint64_t era() const { return m_eraNumber; }
    /// Waits for a master; false when there was none within `timeout`, or never will be (see trouble()).
    QCoro::Task<bool> waitForMaster(Nanos timeout, std::stop_token stop);
    /// The error for a missing master after a search of `after`.
    Error trouble(Nanos after) const;
    /// Stops using this master and searches again.
    void leaveMaster(std::uint64_t era);

    QCoro::Task<Place> placeOf(QByteArray channel, std::stop_token stop) override;
    Error silence(const QByteArray& channel, Nanos after) const override;
    void complain(const QByteArray& channel, const Error& error) override;

    /// Callbacks for when there is a master again: the former one or another.
    CallList& reconnects() { return m_reconnects; }

    /// As given to the constructor.
    Runtime& runtime() const { return m_runtime; }
    const DriverOptions& options() const { return m_options; }
    const QString& masterName() const { return m_name; }

private:
    struct Sentinel {
        std::unique_ptr<Client> driver;
        ConnectionUrl url;
        std::stop_source era; ///< stops what runs on this connection
        QString complaint;    ///< why it is not usable; empty: it is
        QString loginRefused; ///< its answer to our login, after which it is asked without one
    };
    static QCoro::Task<> listen(std::shared_ptr<SentinelWatch> self, std::size_t index);
    static QCoro::Task<> hear(std::shared_ptr<SentinelWatch> self, std::size_t index, std::stop_token stop);
    static QCoro::Task<> search(std::shared_ptr<SentinelWatch> self);
    static QCoro::Task<> recheck(std::shared_ptr<SentinelWatch> self);
    static QCoro::Task<> ask(std::shared_ptr<SentinelWatch> self, std::size_t index,
                             std::shared_ptr<SentinelSurvey> survey);
    static QCoro::Task<bool> tryMaster(std::shared_ptr<SentinelWatch> self, SentinelSurvey::Answer answer,
                                       std::stop_token stop);
    std::shared_ptr<SentinelSurvey> survey();
    bool isStale(const SentinelSurvey::Answer& answer, const SentinelSurvey& survey) const;
    void beginSearch();
    void onSwitch(const QByteArray& payload);
    void install(std::unique_ptr<Client> driver, const SentinelSurvey::Answer& answer);
    void connectSentinel(Sentinel& sentinel);
    void reconsiderLogin(Sentinel& sentinel, SentinelWord::Login word);
    void retire(std::unique_ptr<Client> driver);

    Runtime& m_runtime;
    Dialler m_dial;
    ConnectionUrl m_url;
    DriverOptions m_options;
    QString m_name;
    bool m_ownLogin; ///< the URL has a login for the sentinels
    std::vector<Sentinel> m_sentinels;
    std::unique_ptr<Client> m_master;
    Endpoint m_masterAt;
    std::stop_source m_masterEra;
    std::uint64_t m_eraNumber = 0;
    std::int64_t m_epoch = 0; ///< the epoch of the configuration that named the latest master
    bool m_searching = false;
    std::stop_source m_try;         ///< stops the check of one candidate
    std::optional<Error> m_refused; ///< the latest candidate's error or defect
    bool m_hopeless = false;        ///< a wrong login or TLS: waiting is useless
    SignalCount m_changed;
    CallList m_reconnects;
    std::stop_source m_closing;
    std::vector<std::unique_ptr<Client>> m_retired; ///< to be destroyed from the event loop
};

} // namespace lockscope::redis
