// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/namespace.h"

#include "lock/listener_call.h"
#include "lock/manager/managed_core.h"
#include "lock/manager/under_way.h"

#include <QCoreApplication>

namespace lockscope::detail {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(LockManager)
};

constexpr int kMostTries = 8;           ///< to get a proposal decided while others are at it, too
constexpr int kTriesWithoutServers = 3; ///< … and while too few servers answer

/// Between two readings of the record as long as this process knows none.
constexpr Nanos kBeginning = 100ms;

/// Repeats a proposal where two of one epoch hinder each other. A person's choice keeps its reason.
EngineRecord again(EngineRecord record, const QByteArray& by) {
    record.by = by;
    record.settled = false;
    record.settledMs = 0;
    if (!isChoice(switchReasonOf(record.why))) record.why = idOf(SwitchReason::Split);
    return record;
}
} // namespace

Namespace::Namespace(Runtime& runtime, NamespaceConfig config, QByteArray client, trace::Recorder* recorder,
                     trace::EntityId self, LockManager::Connector connector)
    : m_runtime(runtime),
      m_config(std::move(config)),
      m_client(std::move(client)),
      m_recorder(recorder),
      m_self(self),
      m_servers(runtime, m_config, m_client, recorder, self, std::move(connector)) {
    for (const EngineConfig& engine : m_config.engines)
        m_engines.push_back(
            {engine, engine.id(), m_servers.connect(engine.url), {m_config.failures, m_config.successes}});
    m_board = m_servers.makeBoard();
}

std::optional<QString> Namespace::complaintOf(const NamespaceConfig& config) {
    const std::vector<ConfigMistake> mistakes = m_servers.mistakesIn(config);
    if (mistakes.empty()) return std::nullopt;
    return Text::tr("The namespace “%1”: %2").arg(QString::fromUtf8(config.name), mistakes.front().toString());
}

void Namespace::begin() {
    if (std::exchange(m_begun, true)) return;
    const auto self = shared_from_this();
    for (const NamespaceServers::Server& server : m_servers.all()) {
        Connection* const connection = server.connection.get();
        // Health checks show the result; drivers try again by themselves.
        m_runtime.spawn([self, connection]() -> QCoro::Task<> { co_await connection->open(self->m_stop.get_token()); });
    }
    m_runtime.spawn([self] { return keepAgreeing(self); });
    m_runtime.spawn([self] { return expire(self); });
    for (const Engine& engine : m_engines) {
        m_runtime.spawn([self, id = engine.id] { return checkHealth(self, id); });
    }
}

recipes::Outcome<void> Namespace::prepare(std::shared_ptr<Namespace> self, std::stop_token stop) {
    std::vector<recipes::Outcome<void>> preparing;
    for (const NamespaceServers::Server& server : self->m_servers.all())
        preparing.push_back(server.connection->prepare(stop));
    std::optional<LockError> first;
    for (recipes::Outcome<void>& one : preparing) {
        const auto prepared = co_await one;
        if (!prepared && !first) first = prepared.error();
    }
    if (first) co_return std::unexpected(*first);
    co_return {};
}

void Namespace::end() {
    listener = nullptr;
    m_stop.request_stop();
    m_inUse.request_stop();
    wakeAll();
    // This process stops reading the record, so its holds could be on an engine that the others have left.
    m_runtime.spawn([self = shared_from_this()] { return loseHolds(self); });
}

QCoro::Task<> Namespace::close(std::shared_ptr<Namespace> self) {
    self->end();
    co_await loseHolds(self); // given back while there are connections
    while (self->m_givingBack > 0)
        co_await self->changed(kNever, {});
    std::vector<recipes::Outcome<void>> closing;
    closing.reserve(self->m_servers.all().size());
    for (const NamespaceServers::Server& server : self->m_servers.all())
        closing.push_back(server.connection->close());
    for (recipes::Outcome<void>& one : closing)
        co_await one; // on servers that do not answer, sessions and leases end by their time
}

Namespace::Engine* Namespace::engineOf(const QByteArray& id) {
    for (Engine& engine : m_engines) {
        if (engine.id == id) return &engine;
    }
    return nullptr;
}

void Namespace::tell(ManagerEvent::Kind kind, const QByteArray& engine, std::int64_t epoch, SwitchReason why,
                     const QString& reason) {
    if (m_recorder && !stopped()) { // a switch may outlast the manager, and with it the recorder
        QByteArray text = engine;
        if (why != SwitchReason::Unknown) text += '\n' + idOf(why);
        m_recorder->emit(trace::EventKind::EngineChanged, m_self, trace::kNoEntity, epoch,
                         m_recorder->trace().text(text), static_cast<std::uint8_t>(kind));
    }
    const auto current = listener; // a call of it may replace it
    const QString sentence = reason.isEmpty() ? sentenceOf(why) : reason;
    if (current) callListener(current, ManagerEvent{kind, m_config.name, engine, epoch, sentence});
}

void Namespace::wakeAll() {
    m_changed.releaseAll();
}

std::int64_t Namespace::usable() const {
    const bool confirmed = m_runtime.monotonic() < m_confirmedUntil;
    return !m_leaving && confirmed && !stopped() ? m_active.epoch : 0;
}

Nanos Namespace::holdsUntil(std::int64_t epoch) const {
    if (epoch == usable()) return kNever;
    return m_leaving && epoch == m_active.epoch && !stopped() ? m_holdsUntil : Nanos(0);
}

LockManager::Status Namespace::status() const {
    LockManager::Status status;
    status.epoch = m_active.epoch;
    status.engine = m_active.engine;
    status.usable = usable() > 0;
    status.readable = m_runtime.monotonic() < m_readUntil;
    status.switching = m_deciding.epoch > std::max<std::int64_t>(m_active.epoch, 1);
    status.reason = sentenceOf(switchReasonOf(m_active.why));
    status.sinceMs = m_active.settledMs;
    for (const Engine& engine : m_engines)
        status.healthy.push_back(engine.health.healthy());
    return status;
}

bool Namespace::sameServers(const NamespaceConfig& other) const {
    const auto serversOf = [](const NamespaceConfig& config) {
        std::set<QString> addresses;
        for (const EngineConfig& engine : config.engines)
            addresses.insert(engine.url.address());
        for (const ConnectionUrl& witness : config.witnesses)
            addresses.insert(witness.address());
        return addresses;
    };
    const auto enginesOf = [](const NamespaceConfig& config) {
        std::set<QByteArray> ids;
        for (const EngineConfig& engine : config.engines)
            ids.insert(engine.id());
        return ids;
    };
    return serversOf(m_config) == serversOf(other) && enginesOf(m_config) == enginesOf(other);
}

bool Namespace::sameConnections(const NamespaceConfig& other) const {
    const auto urlsOf = [](const NamespaceConfig& config) {
        std::vector<ConnectionUrl> urls = config.witnesses;
        for (const EngineConfig& engine : config.engines)
            urls.push_back(engine.url);
        return urls;
    };
    return std::ranges::is_permutation(urlsOf(m_config), urlsOf(other));
}

bool Namespace::sameTimes(const NamespaceConfig& other) const {
    return m_config.mode == other.mode && m_config.drainFor == other.drainFor &&
           m_config.confirmFor == other.confirmFor && m_config.options.lease == other.options.lease;
}

void Namespace::reconfigure(NamespaceConfig config) {
    const QByteArray wanted = config.engines.front().id();
    const bool otherPrimary = wanted != m_engines.front().id;
    std::vector<Engine> engines;
    for (const EngineConfig& engine : config.engines) {
        const QByteArray id = engine.id();
        Engine* const known = engineOf(id);
        Hysteresis health = known ? known->health : Hysteresis(config.failures, config.successes);
        health.want(config.failures, config.successes);
        engines.push_back({engine, id, m_servers.connect(engine.url), health, known ? known->leftAt : Nanos(0),
                           known ? known->goodSince : kNever});
    }
    m_engines = std::move(engines);
    m_config = std::move(config);
    if (!otherPrimary) return;
    m_wanted = wanted;
    const bool stands = m_active.engine == wanted && !switching();
    if (stands || std::exchange(m_following, true)) return;
    m_runtime.spawn([self = shared_from_this()] { return follow(self); });
}

/// Proposes one primary after the other: of two proposals at once, either could come out as the later one.
QCoro::Task<> Namespace::follow(std::shared_ptr<Namespace> self) {
    for (QByteArray proposed; proposed != self->m_wanted;) {
        proposed = self->m_wanted;
        co_await self->propose(proposed, SwitchReason::Configuration, self->m_stop.get_token());
    }
    self->m_following = false;
}

// --- the agreement -------------------------------------------------------------------------------------------------

QCoro::Task<> Namespace::keepAgreeing(std::shared_ptr<Namespace> self) {
    for (;;) {
        co_await agreeOnce(self);
        // A new process has no engine to grant with yet, so it looks more often.
        const bool beginning = self->m_active.epoch == 0 && self->m_deciding.epoch <= 1;
        const Nanos usual = self->m_config.confirmFor / 5;
        const Nanos every = beginning ? std::min<Nanos>(usual, kBeginning) : usual;
        const Nanos least = every / 2, most = every; // not all processes at once
        co_await self->m_runtime.sleep(self->m_runtime.random(least, most), self->m_stop.get_token());
    }
}

QCoro::Task<> Namespace::agreeOnce(std::shared_ptr<Namespace> self) {
    Switchboard& board = *self->m_board;
    const std::stop_token stop = self->m_stop.get_token();
    const Switchboard::View view = co_await board.look(self->patience(), stop);
    if (view.answered < board.readQuorum()) co_return; // if that lasts, expire() leaves the engine
    self->m_readUntil = laterBy(view.askedAt, self->m_config.confirmFor);
    if (self->forgotten(view.latest)) {
        co_await remind(self, view);
        co_return;
    }
    self->judge(view);
    const EngineRecord latest = view.latest;
    if (latest.epoch == 0) { // nobody has begun
        EngineRecord first;
        first.epoch = 1;
        first.engine = self->m_config.engines.front().id();
        first.by = "start";
        first.why = idOf(SwitchReason::Start);
        first.beganMs = self->m_runtime.wallMs();
        co_await board.write(first, view, self->patience(), stop);
        co_return;
    }
    // Write to servers that were away, are new, or do not know yet that the record is settled: the server that does may
    // be away next.
    if (!view.split) co_await board.write(latest, view, self->patience(), stop);
    const bool stuck = view.split && view.having < board.writeQuorum();
    self->m_splits = stuck ? self->m_splits + 1 : 0;
    if (stuck) {
        if (self->m_proposing == 0) co_await endSplit(self, latest.epoch);
        co_return;
    }
    const bool ripe =
        self->m_deciding.sameProposal(latest) && !latest.settled &&
        self->m_runtime.monotonic() >= laterBy(self->m_decidedSince, latest.epoch == 1 ? Nanos(0) : self->settleTime());
    if (!ripe) co_return;
    EngineRecord settled = latest;
    settled.settled = true;
    settled.settledMs = self->m_runtime.wallMs();
    co_await board.write(settled, view, self->patience(), stop);
}

/// Writes the agreed record to servers that lost it, have an older one, or do not know that it is settled. If other
/// processes have settled another record of the same epoch meanwhile, only a higher epoch says which of both counts.
QCoro::Task<> Namespace::remind(std::shared_ptr<Namespace> self, Switchboard::View view) {
    const std::stop_token stop = self->m_stop.get_token();
    const EngineRecord known = self->m_active;
    if (view.latest.epoch < known.epoch || !view.latest.settled) {
        co_await self->m_board->write(known, view, self->patience(), stop);
        co_return;
    }
    const auto later = [known](const EngineRecord& decided) { return decided.epoch > known.epoch; };
    co_await self->tryToPropose(again(view.latest, self->m_client), later, stop);
}

bool Namespace::forgotten(const EngineRecord& latest) const {
    if (m_active.epoch == 0 || latest.epoch > m_active.epoch) return false;
    return !latest.sameProposal(m_active) || !latest.settled;
}

/// Ends a split: of two proposals of one epoch neither won, and the first process to look makes a third. All processes
/// see the split at about the same time, so each looks again at a moment of its own.
QCoro::Task<> Namespace::endSplit(std::shared_ptr<Namespace> self, std::int64_t epoch) {
    const UnderWay proposing(self->m_proposing);
    const std::stop_token stop = self->m_stop.get_token();
    co_await self->makeWay(self->m_splits, stop);
    const Switchboard::View view = co_await self->m_board->look(self->patience(), stop);
    if (!view.split || view.latest.epoch != epoch) co_return; // another process has ended it
    const auto any = [epoch](const EngineRecord& decided) { return decided.epoch >= epoch; };
    co_await self->tryToPropose(again(view.latest, self->m_client), any, stop);
}

/// Leaves the engine at the instant at which the latest reading becomes too old to trust: other processes rely on it.
QCoro::Task<> Namespace::expire(std::shared_ptr<Namespace> self) {
    const std::stop_token stop = self->m_stop.get_token();
    for (;;) {
        Nanos left = self->m_confirmedUntil - self->m_runtime.monotonic();
        if (left <= Nanos(0)) {
            self->leave(SwitchReason::Unreadable);
            left = self->m_config.confirmFor / 10; // nothing is in use that could expire; judge() makes it so
        }
        co_await self->m_runtime.sleep(left, stop);
    }
}

void Namespace::judge(const Switchboard::View& view) {
    const EngineRecord& latest = view.latest;
    if (forgotten(latest)) return;
    // This reading took long: one that began after it has already shown a later proposal.
    if (latest.epoch <= m_active.epoch && view.askedAt < m_laterSeenAt) return;
    const bool decided = view.having >= m_board->writeQuorum();
    if (latest.settled && (!view.split || decided)) {
        if (latest.epoch != m_active.epoch) adopt(latest);
        m_confirmedUntil = laterBy(view.askedAt, m_config.confirmFor);
        *m_believedUntil = laterBy(m_confirmedUntil, drainTime()).count();
        if (m_leaving && engineOf(latest.engine)) {
            m_leaving = false;
            m_inUse = std::stop_source();
            tell(ManagerEvent::Kind::InUse, latest.engine, latest.epoch, switchReasonOf(latest.why));
        }
        wakeAll();
        return;
    }
    if (latest.epoch > m_active.epoch) m_laterSeenAt = m_runtime.monotonic();
    if (latest.epoch > m_active.epoch && m_active.epoch > 0) leave(switchReasonOf(latest.why), latest);
    if (decided && !latest.settled && !m_deciding.sameProposal(latest)) {
        m_deciding = latest;
        m_decidedSince = m_runtime.monotonic();
    }
}

void Namespace::adopt(const EngineRecord& record) {
    const SwitchReason why = switchReasonOf(record.why);
    leave(why, record);
    Engine* const before = record.epoch == m_active.epoch + 1 ? engineOf(m_active.engine) : nullptr;
    if (before && why == SwitchReason::Health) before->leftAt = m_runtime.monotonic();
    m_active = record;
    m_adoptedAt = m_runtime.monotonic();
    if (!engineOf(record.engine)) {
        tell(ManagerEvent::Kind::Refused, record.engine, record.epoch, why,
             Text::tr("the agreed engine is not in this process's configuration"));
    }
    // The process that settled the record has waited until all holds ended, this process's own included.
    m_runtime.spawn([self = shared_from_this(), epoch = record.epoch] { return endHolds(self, epoch, Nanos(0), 0); });
}

void Namespace::leave(SwitchReason why, const EngineRecord& next) {
    if (m_leaving) return;
    m_leaving = true;
    m_leftFor = next.epoch;
    ++m_leavings;
    m_inUse.request_stop();
    tell(ManagerEvent::Kind::Leaving, m_active.engine, m_active.epoch, why);
    m_holdsUntil = laterBy(std::min(m_runtime.monotonic(), m_confirmedUntil), next.immediate ? Nanos(0) : drainTime());
    *m_believedUntil = std::min(m_believedUntil->load(), m_holdsUntil.count());
    m_runtime.spawn([self = shared_from_this(), before = m_active.epoch + 1, at = m_holdsUntil, n = m_leavings] {
        return endHolds(self, before, at, n);
    });
    wakeAll();
}

EngineRecord Namespace::wishFor(QByteArray engine, SwitchReason why) const {
    EngineRecord wish;
    wish.engine = std::move(engine);
    wish.by = m_client;
    wish.why = idOf(why);
    wish.from = m_active.engine;
    wish.returns = returnsFor(why);
    return wish;
}

recipes::Outcome<void> Namespace::propose(QByteArray engine, SwitchReason why, std::stop_token stop,
                                          std::optional<SwitchMode> mode) {
    const auto self = shared_from_this();
    if (!engineOf(engine)) {
        co_return std::unexpected(LockError{LockError::Kind::Refused, Text::tr("The namespace has no such engine.")});
    }
    if (mode == SwitchMode::Drain && m_config.mode != SwitchMode::Drain) {
        co_return std::unexpected(LockError{
            LockError::Kind::Refused,
            Text::tr("The namespace “%1” switches immediately: its processes do not wait for each other's holders, so "
                     "none of them may drain. Write \"mode\": \"drain\" into its configuration.")
                .arg(QString::fromUtf8(m_config.name))});
    }
    if (!switching() && usable() > 0 && m_active.engine == engine) co_return {}; // it stands as it should
    const UnderWay proposing(m_proposing);
    const auto meant = [engine, why, from = m_active](const EngineRecord& decided) {
        if (decided.epoch <= from.epoch) return false;
        // A switch away from a failed engine is content with any other engine that was decided.
        return why == SwitchReason::Health ? decided.engine != from.engine : decided.engine == engine;
    };
    bool written = false;
    for (int tries = 1, missing = 0; tries <= kMostTries && missing < kTriesWithoutServers && !stopped(); ++tries) {
        EngineRecord wish = wishFor(engine, why);
        wish.immediate = mode == SwitchMode::Immediate && m_config.mode != SwitchMode::Immediate;
        const Try outcome = co_await tryToPropose(wish, meant, stop);
        if (outcome == Try::Done) co_return {};
        written = written || outcome == Try::Beaten;
        missing += outcome == Try::TooFewAnswer ? 1 : 0;
        co_await makeWay(outcome == Try::Beaten ? tries : 1, stop);
    }
    const LockError refusal = refused(written);
    tell(ManagerEvent::Kind::Refused, engine, m_active.epoch, why, refusal.message);
    co_return std::unexpected(refusal);
}

/// `written`: some server may have the proposal, and other processes would spread it from there.
LockError Namespace::refused(bool written) const {
    if (stopped() && !written) return {LockError::Kind::Unreachable, Text::tr("The lock manager has been closed.")};
    const QString sentence =
        written
            ? QCoreApplication::translate(
                  "LockManager", "The switch of “%1” to another engine may still happen: fewer than %2 of the "
                                 "%3 servers that keep its record have confirmed it. See which engine is in use "
                                 "before you try again.")
            : QCoreApplication::translate("LockManager",
                                          "The engine of “%1” could not be changed: fewer than %2 of the %3 servers "
                                          "that keep its record agreed. Add witnesses, or wait for them.");
    return {written ? LockError::Kind::OutcomeUnknown : LockError::Kind::Unreachable,
            sentence.arg(QString::fromUtf8(m_config.name), QString::number(m_board->writeQuorum()),
                         QString::number(m_board->servers()))};
}

QCoro::Task<Namespace::Try> Namespace::tryToPropose(EngineRecord wish, std::function<bool(const EngineRecord&)> meant,
                                                    std::stop_token stop) {
    const Switchboard::View view = co_await m_board->look(patience(), stop);
    if (view.answered < m_board->writeQuorum()) co_return Try::TooFewAnswer;
    if (view.having >= m_board->writeQuorum() && meant(view.latest)) {
        judge(view);
        co_return Try::Done;
    }
    wish.epoch = std::max(view.latest.epoch, m_active.epoch) + 1;
    wish.beganMs = m_runtime.wallMs();
    // A process that has just begun knows no engine yet: it learns here which one the switch leaves.
    if (wish.from.isEmpty()) wish.from = view.latest.settled ? view.latest.engine : view.latest.from;
    const int having = co_await m_board->write(wish, view, patience(), stop);
    if (having < m_board->writeQuorum()) co_return Try::Beaten;
    const Switchboard::View after = co_await m_board->look(patience(), stop);
    if (after.answered >= m_board->readQuorum()) judge(after);
    co_return Try::Done;
}

QCoro::Task<> Namespace::makeWay(int tries, std::stop_token stop) {
    const Nanos most = patience() * (1 << std::clamp(tries - 1, 0, 3));
    co_await m_runtime.sleep(m_runtime.random(Nanos(1ms), most), stop);
}

} // namespace lockscope::detail
