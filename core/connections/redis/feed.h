// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"

#include <deque>

namespace lockscope::redis {

/// The present source of a channel's messages, in a topology that changes.
class FeedSource {
public:
    struct Place {
        Port* server = nullptr; ///< exists until `moved` is stopped
        std::stop_token moved;  ///< stopped when the messages come from elsewhere from now on
    };
    virtual ~FeedSource() = default;
    /// Waits until there is a place. Throws Cancelled, also when the source is gone.
    virtual QCoro::Task<Place> placeOf(QByteArray channel, std::stop_token stop) = 0;
    /// The error when nobody has confirmed a subscription within `after`, as far as the source knows.
    virtual Error silence(const QByteArray& channel, Nanos after) const = 0;
    /// Reports that subscribing at the place failed.
    virtual void complain(const QByteArray& channel, const Error& error) = 0;
};

/// A subscription that survives the replacement of its server: it follows the source, and gets a Message with `gap`
/// each time.
class Feed final : public Subscription {
public:
    using Answer = std::expected<OwnedSubscription, Error>;
    /// Returns once a server has confirmed it, or with the latest error after `timeout`.
    static QCoro::Task<Answer> open(Runtime& runtime, std::shared_ptr<FeedSource> source, QByteArray channel,
                                    Nanos timeout, std::stop_token stop);
    ~Feed() override;
    QCoro::Task<std::optional<Message>> next(Nanos timeout, std::stop_token stop) override;

private:
    struct State;
    class Wait;
    explicit Feed(std::shared_ptr<State> state) : m_state(std::move(state)) {}
    static QCoro::Task<> pump(std::shared_ptr<State> state, std::shared_ptr<FeedSource> source, QByteArray channel);
    static QCoro::Task<> follow(std::shared_ptr<State> state, std::shared_ptr<FeedSource> source, QByteArray channel,
                                FeedSource::Place place);
    std::shared_ptr<State> m_state;
};

} // namespace lockscope::redis
