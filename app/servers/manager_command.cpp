// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/manager_command.h"
#include "client/connect.h"

#include "cli/exit_status.h"
#include "runtime/completion.h"

namespace lockscope::cli {

namespace {
/// For ending sessions on the servers, which end by themselves all the same.
constexpr Nanos kGoodbye = 1s;
constexpr Nanos kConnecting = 3s;
} // namespace

ManagerCommand::ManagerCommand(ManagerPlan plan) : m_plan(std::move(plan)) {
    connect(&m_signals, &SignalInbox::interrupted, this, [this](int signal) {
        m_interruptedBy = signal;
        m_stop.request_stop();
    });
    for (const NamespaceConfig& space : m_plan.config.namespaces)
        m_surveys.push_back(std::make_unique<EngineSurvey>(m_runtime, space, makeConnection));
}

ManagerCommand::~ManagerCommand() {
    m_runtime.kill();
}

std::vector<ConfigMistake> ManagerCommand::mistakes() const {
    std::vector<ConfigMistake> all;
    for (std::size_t i = 0; i < m_surveys.size(); ++i) {
        for (ConfigMistake mistake : m_surveys[i]->mistakes()) {
            mistake.path.prepend(QStringLiteral("/namespaces/%1").arg(i));
            all.push_back(std::move(mistake));
        }
    }
    return all;
}

int ManagerCommand::run() {
    m_runtime.post([this] { m_runtime.spawn([this] { return whole(); }); });
    QCoreApplication::exec();
    return m_status;
}

int ManagerCommand::interrupted(int signal) const {
    return kSignalBase + signal;
}

QCoro::Task<> ManagerCommand::whole() {
    try {
        m_status = co_await work();
    } catch (const Cancelled&) {
        m_status = interrupted(m_interruptedBy);
    }
    const Completion<bool> ended;
    m_runtime.spawn([this, ended]() -> QCoro::Task<> {
        co_await sayGoodbye();
        ended.complete(true);
    });
    co_await ended.wait(m_runtime, kGoodbye);
    QCoreApplication::exit();
}

QCoro::Task<> ManagerCommand::sayGoodbye() {
    std::vector<QCoro::Task<>> closing;
    for (const auto& survey : m_surveys)
        closing.push_back(survey->close());
    for (const QCoro::Task<>& one : closing)
        co_await one;
}

QCoro::Task<std::vector<EngineReport>> ManagerCommand::lookAtAll() {
    std::vector<QCoro::Task<EngineReport>> looking;
    for (const auto& survey : m_surveys)
        looking.push_back(survey->look(kConnecting, m_stop.get_token()));
    std::vector<EngineReport> reports;
    for (const QCoro::Task<EngineReport>& one : looking)
        reports.push_back(co_await one);
    co_return reports;
}

} // namespace lockscope::cli
