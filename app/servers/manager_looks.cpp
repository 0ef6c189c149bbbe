// SPDX-License-Identifier: GPL-3.0-or-later
// `lockscope manager CONFIG check`, `status` and `watch`: looks that change nothing.
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "servers/manager_command.h"
#include "servers/manager_words.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace lockscope::cli {

namespace {

using State = EngineReport::State;

void sayJson(const QJsonObject& object) {
    say(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

QJsonObject allJson(const QString& file, const std::vector<EngineReport>& reports) {
    QJsonArray spaces;
    for (const EngineReport& report : reports)
        spaces += statusJson(report);
    return {{QStringLiteral("config"), file}, {QStringLiteral("namespaces"), spaces}};
}

class Check final : public ManagerCommand {
public:
    using ManagerCommand::ManagerCommand;

private:
    QCoro::Task<int> work() override {
        const std::vector<EngineReport> reports = co_await lookAtAll();
        if (m_plan.json) {
            QJsonObject object = allJson(m_plan.file, reports);
            object[QStringLiteral("mistakes")] = QJsonArray();
            sayJson(object);
        }
        bool all = true;
        for (const EngineReport& report : reports) {
            all = all &&
                  std::ranges::none_of(report.engines, [](const auto& one) { return one.trouble.has_value(); }) &&
                  std::ranges::none_of(report.copies, [](const auto& one) { return one.trouble.has_value(); });
            for (const QString& line : m_plan.json ? QStringList() : checkText(report))
                say(line);
        }
        if (all && !m_plan.json) say(tr("the configuration is right, and all its servers answer"));
        if (!all) complain(tr("the configuration is right, but not all its servers answer"));
        co_return all ? kFine : kUnreachable;
    }
};

class Status final : public ManagerCommand {
public:
    using ManagerCommand::ManagerCommand;

private:
    QCoro::Task<int> work() override {
        const std::vector<EngineReport> reports = co_await lookAtAll();
        if (m_plan.json) sayJson(allJson(m_plan.file, reports));
        int status = kFine;
        for (const EngineReport& report : reports) {
            if (report.state == State::Unreadable) status = kUnreachable;
            for (const QString& line : m_plan.json ? QStringList() : statusText(report))
                say(line);
        }
        co_return status;
    }
};

class Watch final : public ManagerCommand {
public:
    explicit Watch(ManagerPlan plan) : ManagerCommand(std::move(plan)), m_changes(m_surveys.size()) {}

private:
    /// All namespaces are watched at the pace of the one that is checked most often.
    Nanos pace() const {
        Nanos pace = 1s;
        for (const NamespaceConfig& space : m_plan.config.namespaces)
            pace = std::min(pace, space.healthEvery);
        return std::max<Nanos>(pace, 50ms);
    }
    QCoro::Task<int> work() override {
        for (;;) {
            const std::vector<EngineReport> reports = co_await lookAtAll();
            for (std::size_t i = 0; i < reports.size(); ++i) {
                for (const ManagerChange& change : m_changes[i].next(reports[i])) {
                    if (m_plan.json)
                        sayJson(changeJson(change, reports[i]));
                    else
                        say(changeText(change, reports[i]));
                }
            }
            co_await m_runtime.sleep(pace(), m_stop.get_token());
        }
    }
    int interrupted(int) const override { return kFine; } // Ctrl+C is how a watch ends

    std::vector<ManagerChanges> m_changes; ///< by namespace
};

} // namespace

std::unique_ptr<ManagerCommand> makeManagerCheck(ManagerPlan plan) {
    return std::make_unique<Check>(std::move(plan));
}

std::unique_ptr<ManagerCommand> makeManagerStatus(ManagerPlan plan) {
    return std::make_unique<Status>(std::move(plan));
}

std::unique_ptr<ManagerCommand> makeManagerWatch(ManagerPlan plan) {
    return std::make_unique<Watch>(std::move(plan));
}

} // namespace lockscope::cli
