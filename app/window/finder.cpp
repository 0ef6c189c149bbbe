// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/finder.h"

#include "faults/fault_offers.h"
#include "faults/workload_panel.h"
#include "lesson/glossary.h"
#include "lesson/lesson_file.h"
#include "scenario/user_files.h"
#include "session/shared_run.h"
#include "transport/command_words.h"
#include "welcome/welcome_page.h"
#include "window/help_desk.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/work_area.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QLineEdit>

namespace lockscope::app {
namespace {

using views::CommandField;

struct Finder {
    Q_DECLARE_TR_FUNCTIONS(Finder)
};

constexpr std::size_t kMost = 4; ///< of each sort: the list is short
constexpr qsizetype kLeastLetters = 2;

/// An own lesson may change at any time; reading the course with each letter typed would be felt.
const std::vector<lesson::Lesson>& course() {
    static const std::vector<lesson::Lesson> lessons = [] {
        std::vector<lesson::Lesson> read;
        for (const QString& id : lesson::builtinLessons())
            if (auto one = lesson::loadLesson(id)) read.push_back(std::move(*one)); // a test reads them all
        return read;
    }();
    return lessons;
}

bool means(const QString& typed, const CommandField::Find& find) {
    return matchOf(typed, views::CommandWords{find.name, find.group, find.also}) > views::CommandMatch::Letters;
}

void findLessons(MainWindow* window, const QString& typed, std::vector<CommandField::Find>& found) {
    const QString language = views::WelcomePage::scenarioLanguage();
    std::size_t count = 0;
    const auto offer = [&](const QString& id, const QString& title, const QString& also) {
        CommandField::Find find{title, Finder::tr("Lesson"), "lesson", [window, id] { window->lessons()->begin(id); },
                                id + QStringLiteral(" lesson course 课程 ") + also};
        find.exact = id.compare(typed, Qt::CaseInsensitive) == 0;
        if (count >= kMost || !means(typed, find)) return;
        ++count;
        found.push_back(std::move(find));
    };
    for (const lesson::Lesson& lesson : course()) {
        QStringList words;
        for (const lesson::Texts* texts : {&lesson.title, &lesson.idea})
            words << texts->in(QStringLiteral("en")) << texts->in(QStringLiteral("zh_CN"));
        words << QStringLiteral("第%1课 第 %1 课").arg(lesson.order);
        offer(lesson.id, QStringLiteral("%1 · %2").arg(lesson.order).arg(lesson.title.in(language)), words.join(u' '));
    }
    for (const QString& name : scenario::userFiles(scenario::Shelf::Lessons))
        if (!lesson::builtinLessons().contains(name)) // else the name means the built-in one
            offer(name, Finder::tr("your own: %1").arg(name), {});
}

void findSettings(MainWindow* window, const QString& typed, std::vector<CommandField::Find>& found) {
    const auto* const panel = window->findChild<views::WorkloadPanel*>();
    if (!panel || !window->context()->session()) return;
    struct Words {
        const char *setting, *words;
    };
    static constexpr Words kWords[]{
        {"recipe", "algorithm lock kind redis zookeeper 算法 配方"},
        {"clients", "processes number how many 客户端 数量"},
        {"lease", "ttl expiry time-out seconds 租约 过期 时间"},
        {"watchdog", "renewal heartbeat interval 看门狗 续期 间隔"},
        {"max_hold", "maximum longest hold time bound hung work 最长持有 上限"},
        {"hold", "work duration busy 工作 时长"},
        {"think", "rest pause idle between 间歇 休息"},
        {"token_check", "fencing token resource refuse 栅栏 令牌 检查"},
        {"deadline", "at its own clock stops ignores 截止 期限"},
        {"on_loss", "when lost carry on stop 丢失 失去"},
    };
    for (const QString& setting : panel->settings()) {
        const auto known =
            std::ranges::find_if(kWords, [&](const Words& one) { return setting == QLatin1String(one.setting); });
        CommandField::Find find{panel->label(setting), Finder::tr("Setting"), "settings",
                                [window, setting] {
                                    QDockWidget* const dock = window->needWork()->controls();
                                    dock->show();
                                    dock->raise();
                                    if (QWidget* const field =
                                            window->findChild<views::WorkloadPanel*>()->control(setting)) {
                                        field->setFocus(Qt::ShortcutFocusReason);
                                        // A field that the keyboard was in before selects nothing by itself.
                                        if (auto* text = qobject_cast<QLineEdit*>(field)) text->selectAll();
                                    }
                                },
                                setting + QStringLiteral(" setting workload 设置 ") +
                                    (known == std::end(kWords) ? QString() : QString::fromUtf8(known->words))};
        if (means(typed, find)) found.push_back(std::move(find));
    }
}

void findTerms(MainWindow* window, const QString& typed, std::vector<CommandField::Find>& found) {
    const QString language = views::WelcomePage::scenarioLanguage();
    std::size_t count = 0;
    // As it was typed, as the hyphens of "redis-set" are its own; then without the words that only ask.
    auto terms = lesson::findTerms(typed, language);
    if (terms.empty()) terms = lesson::findTerms(views::withoutLittleWords(typed), language);
    for (const lesson::Term* term : terms) {
        if (++count > kMost) break;
        found.push_back({term->name.in(language), Finder::tr("What is this?"), "info",
                         [window, id = term->id] { window->help()->showTerm(id); },
                         term->id + u' ' + term->name.in(QStringLiteral("en")) + u' ' +
                             term->name.in(QStringLiteral("zh_CN")) + u' ' + term->also,
                         false, true});
    }
}

/// Clients, servers and resources: the lane that is meant comes into sight, chosen.
void findParties(MainWindow* window, const QString& typed, std::vector<CommandField::Find>& found) {
    using trace::EntityKind;
    struct Sort {
        EntityKind kind;
        QString group;
        const char *iconName, *words;
    };
    constexpr std::size_t kLookedAt = 2000;
    const Sort sorts[]{{EntityKind::Thread, Finder::tr("Client"), "client", " client thread process 客户端 线程"},
                       {EntityKind::Node, Finder::tr("Server"), "server", " server node machine 服务器 节点"},
                       {EntityKind::Resource, Finder::tr("Resource"), "diamond", " resource stock writes 资源 库存"}};
    views::ViewContext* const context = window->context();
    if (!context->session()) return;
    const auto trace = context->trace();
    for (const Sort& sort : sorts) {
        std::size_t count = 0;
        const auto& all = context->entities(sort.kind);
        for (std::size_t i = 0; i < std::min(all.size(), kLookedAt) && count < kMost; ++i) {
            CommandField::Find find{trace->displayName(all[i]), sort.group, sort.iconName,
                                    [context, trace, party = all[i]] {
                                        // In another trace the number means something else.
                                        if (context->trace() == trace) context->reveal(context->playhead(), party);
                                    },
                                    QString::fromUtf8(sort.words)};
            if (!means(typed, find)) continue;
            ++count;
            found.push_back(std::move(find));
        }
    }
}

/// Deeds on the client or the server that is named: "kill redis-2". A deed that cannot be done now is left out.
void findDeeds(MainWindow* window, const QString& typed, std::vector<CommandField::Find>& found) {
    using scenario::Action;
    using session::Breakable;
    using trace::EntityKind;
    constexpr std::size_t kLookedAt = 2000, kMostDeeds = 8;
    views::ViewContext* const context = window->context();
    if (!context->session()) return;
    const auto trace = context->trace();
    const QStringList words = typed.split(u' ', Qt::SkipEmptyParts);
    const Breakable::Sight sight = context->sightToActOn();
    std::size_t count = 0;
    const auto offer = [&](const Breakable& target, Action action) {
        const views::FaultOffer deed = views::currentOffer(target, action);
        if (!deed.enabled) return;
        CommandField::Find find{deed.text, Finder::tr("Break"), deed.icon,
                                [context, trace, fault = deed.fault()] {
                                    if (context->trace() == trace) context->breakIt(fault);
                                },
                                QString::fromLatin1(scenario::actionId(action)) + u' ' + target.name()};
        if (count >= kMostDeeds || !means(typed, find)) return;
        ++count;
        found.push_back(std::move(find));
    };
    for (const auto& [kind, actions] :
         {std::pair{EntityKind::Client, std::vector{Action::PauseClient, Action::KillClient, Action::StopWatchdog}},
          {EntityKind::Node, std::vector{Action::KillNode, Action::PauseNode, Action::CutLink, Action::Failover,
                                         Action::SwitchEngine}}}) {
        const auto& all = context->entities(kind);
        for (std::size_t i = 0; i < std::min(all.size(), kLookedAt); ++i) {
            const QString name = trace->displayName(all[i]);
            if (!words.contains(name, Qt::CaseInsensitive)) continue;
            const Breakable target =
                kind == EntityKind::Client ? Breakable::client(sight, all[i]) : Breakable::server(sight, all[i]);
            for (const Action action : actions)
                offer(target, action);
        }
    }
}

} // namespace

std::vector<CommandField::Find> findsIn(MainWindow* window, const QString& typed) {
    std::vector<CommandField::Find> found;
    if (session::looksShared(typed))
        found.push_back(
            {Finder::tr("Open the shared run"), {}, "open", [window, typed] { window->openShared(typed); }, typed});
    if (typed.size() < kLeastLetters) return found;
    findLessons(window, typed, found);
    findSettings(window, typed, found);
    findTerms(window, typed, found);
    findParties(window, typed, found);
    findDeeds(window, typed, found);
    return found;
}

} // namespace lockscope::app
