// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lock/manager/engine_survey.h"
#include "runtime/event_loop_runtime.h"
#include "servers/signal_inbox.h"

namespace lockscope::cli {

/// The parsed command line of `lockscope manager`.
struct ManagerPlan {
    enum class Action : std::uint8_t { Check, Status, Switch, FailBack, Watch };
    Action action = Action::Status;
    QString file;
    QString space;  ///< empty: the only one, or all where that makes sense
    QString engine; ///< as the user names it
    std::optional<SwitchMode> mode;
    bool json = false;
    ManagerConfig config;
};

/// One run of `lockscope manager`, on an event loop; a signal stops it.
class ManagerCommand : public QObject {
public:
    explicit ManagerCommand(ManagerPlan plan);
    ~ManagerCommand() override;
    /// The mistakes of the configuration that show only with connections at hand.
    std::vector<ConfigMistake> mistakes() const;
    /// The exit status.
    int run();

protected:
    virtual QCoro::Task<int> work() = 0;
    /// The status after a signal.
    virtual int interrupted(int signal) const;
    /// Looks at all namespaces at once.
    QCoro::Task<std::vector<EngineReport>> lookAtAll();

    ManagerPlan m_plan;
    SignalInbox m_signals{SignalInbox::Which::Ends};
    EventLoopRuntime m_runtime;
    std::stop_source m_stop;
    std::vector<std::unique_ptr<EngineSurvey>> m_surveys; ///< by namespace

private:
    QCoro::Task<> whole();
    QCoro::Task<> sayGoodbye();
    int m_interruptedBy = 0;
    int m_status = 0;
};

std::unique_ptr<ManagerCommand> makeManagerCheck(ManagerPlan plan);
std::unique_ptr<ManagerCommand> makeManagerStatus(ManagerPlan plan);
std::unique_ptr<ManagerCommand> makeManagerWatch(ManagerPlan plan);
/// For Switch and FailBack, with a configuration of one namespace. `engine`: its position there.
std::unique_ptr<ManagerCommand> makeManagerSwitch(ManagerPlan plan, std::size_t engine);

} // namespace lockscope::cli
