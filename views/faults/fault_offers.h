// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

namespace lockscope::views {

/// One thing that can be done to a client, a node or a link, as it stands at the instant at which it would be done: a
/// paused client is offered to be resumed, not to be paused.
struct FaultOffer {
    scenario::Action action = scenario::Action::PauseClient;
    QString target;    ///< as a scenario names it
    QString text;      ///< "Pause A": translated, with the target
    QString shortText; ///< "Pause client": translated, without it
    const char* icon = "bolt";
    bool enabled = true;
    QString why;             ///< why it is not enabled: a sentence
    bool undoes = false;     ///< makes good what a fault did
    bool wantsValue = false; ///< a clock's offset, a link's latency: see faultValues()
    scenario::Fault fault(Nanos value = {}) const;
};

/// In this order.
enum ClientOffer {
    PauseOffer, ///< or resume
    KillOffer,  ///< or restart
    LoseReplyOffer,
    LosePushOffer,
    WatchdogOffer,
    HangOffer,
    ClockOffer,
    ClientOfferCount
};
std::vector<FaultOffer> clientOffers(const ViewContext& context, trace::EntityId client);
/// Pause or resume, kill or restart, jump clock; restart with and without data, isolate or reconnect, slow down all its
/// links, and ask the Sentinels to replace it.
enum NodeOffer {
    PauseNodeOffer,
    KillNodeOffer,
    NodeClockOffer,
    RestartKeptOffer,
    RestartEmptyOffer,
    IsolateOffer,
    SlowNodeOffer,
    FailoverOffer,
    NodeOfferCount
};
std::vector<FaultOffer> nodeOffers(const ViewContext& context, trace::EntityId node);
/// Cut or mend, delay.
enum LinkOffer { CutOffer, DelayOffer, LinkOfferCount };
std::vector<FaultOffer> linkOffers(const ViewContext& context, trace::EntityId client, trace::EntityId node);
FaultOffer healOffer(const ViewContext& context);
/// Greys an offer out where the session cannot do it at all; `toServer`: it is done to a server or a link.
void limitOffer(FaultOffer& offer, const ViewContext& context, bool toServer);
/// Greys an offer out for this reason, if it has none yet.
void refuseOffer(FaultOffer& offer, const QString& why);

/// Values to choose from for an offer that wants one, with their words.
std::vector<std::pair<Nanos, QString>> faultValues(scenario::Action action);

/// The targets of faults when the user has chosen none, and the reason.
struct FaultTargets {
    trace::EntityId client = trace::kNoEntity, node = trace::kNoEntity;
    enum class Why : std::uint8_t { Nobody, Selected, Paused, Holder, Waiter, First } why = Why::Nobody;
};
/// At the instant at which faults strike. The selected client (or the client of the selected thread or link) and the
/// selected node; else those of the focused lock, by targetsOfLock(). kNoEntity: there is none.
FaultTargets faultTargets(const ViewContext& context);
/// The targets of faults on a lock: the client that a person paused last and that still is paused, so that the key that
/// paused it lets it go on; else the client that holds the lock by its own belief or by the record, else the client
/// that waits longest, else the first client. On a server that is not ours, only our own clients are chosen.
FaultTargets targetsOfLock(const ViewContext& context, trace::EntityId lock);
/// "acts on A, the holder": translated.
QString targetWords(const FaultTargets& targets, const ViewContext& context);

/// A client, server or link that still suffers from a fault, with the change that makes it good.
struct Struck {
    QString words;   ///< "C paused": translated
    FaultOffer cure; ///< with a value of 0 where it wants one
};
/// All of them at the instant at which faults strike: clients, then nodes, then links.
std::vector<Struck> struckOnes(const ViewContext& context);

/// A fault in a few words: "Pause A", "Cut A ↔ redis-1", "lease = 3s". Translated.
QString faultText(const scenario::Fault& fault);

} // namespace lockscope::views
