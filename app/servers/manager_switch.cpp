// SPDX-License-Identifier: GPL-3.0-or-later
// `lockscope manager CONFIG switch` and `fail-back`.
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "client/connect.h"
#include "ports/words.h"
#include "servers/manager_command.h"
#include "servers/manager_words.h"

#include <QJsonDocument>

namespace lockscope::cli {

namespace {

using State = EngineReport::State;

/// Between two looks at how far it has come.
constexpr Nanos kLook = 200ms;
/// How much longer than expected a switch may take: others may be at it, too.
constexpr Nanos kSlack = 10s;

class Switch final : public ManagerCommand {
public:
    Switch(ManagerPlan plan, std::size_t engine)
        : ManagerCommand(std::move(plan)),
          m_space(m_plan.config.namespaces.front()),
          m_engine(int(engine)),
          m_target(m_space.engines[engine].id()),
          m_survey(*m_surveys.front()) {}

private:
    QString name() const { return QString::fromUtf8(m_space.name); }
    bool drains() const { return m_plan.mode.value_or(m_space.mode) == SwitchMode::Drain; }

    QCoro::Task<int> work() override {
        const EngineReport before = co_await m_survey.look(3s, m_stop.get_token());
        if (before.state == State::InUse && before.record.engine == m_target) {
            tell(before, tr("%1 is in use already; nothing is changed").arg(engineText(m_space, m_target)));
            co_return kFine;
        }
        if (const auto obstacle = obstacleIn(before)) {
            complain(tr("%1: %2").arg(name(), *obstacle));
            co_return kUnreachable;
        }
        sayPlan(before);
        m_changes.next(before);
        const auto manager = take();
        if (!manager) co_return kUsage;
        co_await manager->start(m_space.confirmFor, m_stop.get_token()); // or it learns of the present one on the way
        const auto decided = co_await manager->switchTo(m_space.name, m_engine, m_plan.mode, m_stop.get_token());
        int status = kFine;
        if (decided) {
            m_decided = true;
            status = co_await follow();
        } else {
            complain(decided.error().message);
            status = decided.error().kind == LockError::Kind::OutcomeUnknown ? kUnknown
                     : decided.error().kind == LockError::Kind::Refused      ? kUsage
                                                                             : kUnreachable;
        }
        co_await manager->close();
        co_return status;
    }

    /// Takes part as one more process that holds nothing, and that changes nothing by itself.
    std::unique_ptr<LockManager> take() {
        NamespaceConfig quiet = m_space;
        quiet.onFailure = false;
        quiet.failBackAfter = Nanos::zero();
        ManagerConfig config;
        config.namespaces.push_back(std::move(quiet));
        auto manager = LockManager::make(m_runtime, std::move(config), makeConnection);
        if (manager) return *std::move(manager);
        complain(manager.error());
        return nullptr;
    }

    /// The reason why a switch is impossible or useless.
    std::optional<QString> obstacleIn(const EngineReport& report) const {
        if (report.state == State::Unreadable) return unreadableText(report);
        if (report.answered < report.writeQuorum)
            return tr("too few servers answer that keep the record: %1 of %2, and a switch needs %3")
                .arg(report.answered)
                .arg(report.copies.size())
                .arg(report.writeQuorum);
        const auto& trouble = report.engines[std::size_t(m_engine)].trouble;
        if (!trouble) return std::nullopt;
        return tr("%1 does not answer, so nobody could lock there: %2")
            .arg(engineText(m_space, m_target), troubleText(*trouble));
    }

    void sayPlan(const EngineReport& before) const {
        if (m_plan.json) return;
        const QByteArray from = before.record.settled ? before.record.engine : before.record.from;
        const QString to = engineText(m_space, m_target);
        const QString what = from.isEmpty() || from == m_target
                                 ? tr("switching to %1").arg(to)
                                 : tr("switching from %1 to %2").arg(engineText(m_space, from), to);
        const QString holders = drains() ? tr("holders may finish within %1").arg(inWords(m_space.drainFor))
                                         : tr("holders are told to stop at once");
        QString line =
            tr("%1: %2; %3; nothing is granted for %4").arg(name(), what, holders, inWords(m_space.switchTime()));
        if (!drains() && m_space.mode == SwitchMode::Drain)
            line += tr(", because a process that cannot be told lets its holders finish");
        say(line);
    }

    /// The line of the end, as text or as JSON.
    void tell(const EngineReport& report, const QString& text) const {
        if (!m_plan.json) {
            say(QStringLiteral("%1: %2").arg(name(), text));
            return;
        }
        say(QJsonDocument(statusJson(report)).toJson(QJsonDocument::Compact));
    }

    QCoro::Task<int> follow() {
        const Nanos until = m_runtime.monotonic() + 2 * m_space.switchTime() + kSlack;
        for (;;) {
            const EngineReport now = co_await m_survey.look(3s, m_stop.get_token());
            for (const ManagerChange& change : m_changes.next(now)) {
                if (m_plan.json)
                    say(QJsonDocument(changeJson(change, now)).toJson(QJsonDocument::Compact));
                else
                    say(changeText(change, now));
            }
            if (now.state == State::InUse && now.record.engine == m_target) {
                tell(now, tr("%1 is in use").arg(engineText(m_space, m_target)));
                co_return kFine;
            }
            if (now.state == State::InUse) {
                complain(tr("%1: another switch came first: %2 is in use")
                             .arg(name(), engineText(m_space, now.record.engine)));
                co_return kUnknown;
            }
            if (m_runtime.monotonic() >= until) {
                complain(tr("%1: the switch is decided, but is not through yet; see “lockscope manager … status”")
                             .arg(name()));
                co_return kUnknown;
            }
            co_await m_runtime.sleep(kLook, m_stop.get_token());
        }
    }

    int interrupted(int signal) const override {
        if (m_decided)
            complain(tr("%1: the switch is decided and goes on: every process of the namespace completes it, and the "
                        "next one that starts")
                         .arg(name()));
        return ManagerCommand::interrupted(signal);
    }

    NamespaceConfig m_space;
    int m_engine;
    QByteArray m_target;
    EngineSurvey& m_survey;
    ManagerChanges m_changes;
    bool m_decided = false;
};

} // namespace

std::unique_ptr<ManagerCommand> makeManagerSwitch(ManagerPlan plan, std::size_t engine) {
    return std::make_unique<Switch>(std::move(plan), engine);
}

} // namespace lockscope::cli
