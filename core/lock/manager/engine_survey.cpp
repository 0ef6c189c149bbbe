// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/engine_survey.h"

#include "lock/manager/namespace_servers.h"
#include "ports/words.h"
#include "runtime/completion.h"

#include <QCoreApplication>

namespace lockscope {

using State = EngineReport::State;

namespace {
LockError silence(Nanos patience) {
    return {LockError::Kind::Unreachable,
            QCoreApplication::translate("LockManager", "no answer within %1").arg(inWords(patience))};
}

State stateOf(const Switchboard& board, const Switchboard::View& view) {
    if (view.answered < board.readQuorum()) return State::Unreadable;
    if (view.latest.epoch == 0) return State::NotBegun;
    if (view.latest.settled) return State::InUse;
    return view.having >= board.writeQuorum() ? State::Switching : State::Proposed;
}
} // namespace

std::int64_t EngineReport::switchEndsMs() const {
    if ((state != State::Switching && state != State::Proposed) || record.beganMs == 0) return 0;
    return record.beganMs + (record.epoch == 1 ? 0 : config.switchTime() / 1ms); // nobody is waited for at the start
}

int EngineReport::indexOf(const QByteArray& engine) const {
    for (std::size_t i = 0; i < config.engines.size(); ++i) {
        if (config.engines[i].id() == engine) return static_cast<int>(i);
    }
    return -1;
}

/// The answers that have arrived; late answers are written here, too.
struct EngineSurvey::Asking {
    std::vector<std::optional<Answer>> answers; ///< by server
    std::size_t open = 0;
    Completion<bool> all;
    std::stop_source stop;
};

EngineSurvey::EngineSurvey(Runtime& runtime, NamespaceConfig config, const LockManager::Connector& connector)
    : m_runtime(runtime),
      m_config(std::move(config)),
      m_servers(std::make_unique<detail::NamespaceServers>(runtime, m_config, runtime.randomUuid(), nullptr,
                                                           trace::kNoEntity, connector)),
      m_board(m_servers->makeBoard()) {
}

EngineSurvey::~EngineSurvey() = default;

std::vector<ConfigMistake> EngineSurvey::mistakes() {
    return m_servers->mistakesIn(m_config);
}

QCoro::Task<> EngineSurvey::ask(std::shared_ptr<Asking> asking, Connection* connection, bool opened, std::size_t i) {
    const std::stop_token stop = asking->stop.get_token();
    Answer trouble;
    if (!opened) {
        const auto connected = co_await connection->open(stop);
        if (!connected) trouble = connected.error();
    }
    if (!trouble) {
        const auto alive = co_await connection->ping(stop);
        if (!alive) trouble = alive.error();
    }
    asking->answers[i] = trouble;
    if (--asking->open == 0) asking->all.complete(true);
}

QCoro::Task<EngineReport> EngineSurvey::look(Nanos connecting, std::stop_token stop) {
    const auto asking = std::make_shared<Asking>();
    const auto& servers = m_servers->all();
    asking->answers.resize(servers.size());
    asking->open = servers.size();
    for (std::size_t i = 0; i < servers.size(); ++i) {
        Connection* const connection = servers[i].connection.get();
        m_runtime.spawn([asking, connection, opened = m_opened, i] { return ask(asking, connection, opened, i); });
    }
    const Nanos patience = m_opened ? m_config.healthTimeout : std::max(connecting, m_config.healthTimeout);
    m_opened = true;
    co_await asking->all.wait(m_runtime, patience, stop);
    const auto troubleOf = [&](const ConnectionUrl& url) -> Answer {
        for (std::size_t i = 0; i < servers.size(); ++i) {
            if (servers[i].url == url) return asking->answers[i].value_or(silence(patience));
        }
        return std::nullopt;
    };
    EngineReport report;
    report.config = m_config;
    for (const EngineConfig& engine : m_config.engines)
        report.engines.push_back({engine, troubleOf(engine.url)});
    const Nanos reading = std::max<Nanos>(m_config.confirmFor / 4, m_config.healthTimeout);
    const Switchboard::View view = co_await m_board->look(reading, stop);
    asking->stop.request_stop();
    for (std::size_t i = 0; i < view.seen.size(); ++i) {
        const ConnectionUrl& url = m_servers->keepers()[i].url;
        EngineReport::Copy copy{url, std::nullopt, {}};
        if (!view.seen[i]) { // what its connecting said is more than that nothing came
            copy.trouble = troubleOf(url);
            if (!copy.trouble) copy.trouble = view.troubles[i].value_or(silence(reading));
        } else if (view.seen[i]->there) {
            copy.record = EngineRecord::read(view.seen[i]->value);
        }
        report.copies.push_back(std::move(copy));
    }
    report.state = stateOf(*m_board, view);
    report.record = view.latest;
    report.answered = view.answered;
    report.agreeing = view.having;
    report.readQuorum = m_board->readQuorum();
    report.writeQuorum = m_board->writeQuorum();
    report.seenMs = m_runtime.wallMs();
    co_return report;
}

QCoro::Task<> EngineSurvey::close() {
    std::vector<recipes::Outcome<void>> closing;
    for (const auto& server : m_servers->all())
        closing.push_back(server.connection->close());
    for (recipes::Outcome<void>& one : closing)
        co_await one;
}

} // namespace lockscope
