// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/command_words.h"

#include "theme/mnemonic.h"
#include "transport/command_field.h"

#include <QAction>
#include <QRegularExpression>

namespace lockscope::views {

namespace {

/// Other words for a command, by its id: what people call it elsewhere, in English and Chinese.
struct Synonyms {
    const char* id;
    const char* words;
};
constexpr Synonyms kSynonyms[]{
    {"transport.play", "start run go on continue stop halt 播放 运行 停止"},
    {"transport.restart", "again rewind reset repeat 重来 重置"},
    {"transport.restart-new-seed", "random dice another run 随机"},
    {"transport.seed", "random number 随机数"},
    {"transport.next-event", "step forward 单步"},
    {"transport.previous-event", "step back backward undo 后退"},
    {"transport.next-acquisition", "grant hold hand over 授予"},
    {"transport.previous-acquisition", "grant hold hand over 授予"},
    {"transport.next-violation", "error bug wrong invariant broken 错误 不变式"},
    {"transport.previous-violation", "error bug wrong invariant broken 错误 不变式"},
    {"transport.faster", "speed up quick 速度"},
    {"transport.slower", "speed down slow motion 速度 慢动作"},
    {"transport.normal-speed", "speed real time 速度"},
    {"timeline.zoom-in", "closer larger magnify 放大"},
    {"timeline.zoom-out", "farther smaller 缩小"},
    {"timeline.zoom-fit", "fit whole all everything overview 全部"},
    {"timeline.follow", "scroll along tail 滚动"},
    {"timeline.ghost", "before undo faint compare old future 之前 对比 旧"},
    {"timeline.ghost-older", "before undo faint compare old future earlier history 之前 更早 对比 旧"},
    {"timeline.measure", "ruler distance duration time between 测量 间隔"},
    {"break.pause-client", "gc stop the world freeze suspend sigstop 冻结 停顿"},
    {"break.kill-client", "crash die terminate sigkill 崩溃"},
    {"break.kill-node", "crash server master down fail 崩溃 宕机"},
    {"break.pause-node", "freeze server hang 冻结 挂起"},
    {"break.cut-link", "partition network split disconnect 分区 网络"},
    {"break.delay-link", "latency slow network 延迟 网络"},
    {"break.jump-clock", "time skew drift ntp 时钟 漂移"},
    {"break.lose-reply", "packet loss drop timeout 丢包"},
    {"break.lose-push", "message publish notify pubsub drop 消息 通知 丢失"},
    {"break.hang-work", "stuck deadlock slow loop 卡住 挂起"},
    {"break.restart-node", "reboot start again data disk server 重启 数据"},
    {"break.crash-node", "power loss machine server disk 断电 崩溃"},
    {"break.isolate-node", "partition network server split 隔离 分区"},
    {"break.slow-node", "latency slow server network 延迟 变慢"},
    {"break.jump-node-clock", "time skew drift ntp server 时钟 漂移"},
    {"break.failover", "failover sentinel promote demote master 故障转移 主从切换"},
    {"break.jitter-link", "latency vary random network 抖动 网络"},
    {"break.reset-link", "rst tcp connection disconnect reconnect 连接 重置 断开"},
    {"break.drift-clock", "time ntp oscillator fast slow 时钟 漂移"},
    {"break.evict-key", "memory lru maxmemory expire throw out drop forget 淘汰 内存 逐出"},
    {"break.flush-node", "flushall flush_all empty wipe delete clear data 清空 删除 数据"},
    {"break.plan", "when if trigger later schedule time step lease leader 条件 计划 当 触发"},
    {"break.stop-watchdog", "renewal heartbeat keepalive 续约 心跳"},
    {"break.heal", "repair mend fix recover 修复 恢复"},
    {"file.open", "load import replay 加载 导入"},
    {"file.save-scenario", "export json write 导出"},
    {"file.record", "export capture trace save recording 导出 录制"},
    {"file.close", "end leave welcome 结束"},
    {"file.quit", "exit 退出"},
    {"session.connect", "attach monitor redis server live watch 监控 连接"},
    {"layout.teach", "class lesson simulation 课堂 教学"},
    {"layout.monitor", "on call production table 值班 监控"},
    {"layout.break", "faults chaos failure cluster 故障 演练"},
    {"layout.restore", "default reset arrangement 默认"},
    {"layout.movable", "dock move drag undock 移动 停靠"},
    {"theme.toggle", "night day colour color 夜间 颜色"},
    {"theme.dark", "night black colour color 夜间"},
    {"theme.light", "day white colour color 白天"},
    {"view.full-screen", "presentation projector fullscreen 投影 演示"},
    {"help.shortcuts", "hotkeys help 快捷键 帮助"},
};

QStringList words(const QString& text) {
    static const QRegularExpression between(QStringLiteral("[\\s\\p{P}\\p{S}]+"));
    return text.split(between, Qt::SkipEmptyParts);
}

bool isAscii(const QString& text) {
    return std::ranges::all_of(text, [](QChar c) { return c.unicode() < 0x80; });
}

/// Scripts without spaces have no beginnings of words: there any place will do.
bool eachBeginsAWord(const QStringList& typed, const QString& text) {
    const QStringList there = words(text);
    return std::ranges::all_of(typed, [&](const QString& word) {
        if (!isAscii(word)) return text.contains(word, Qt::CaseInsensitive);
        return std::ranges::any_of(there, [&](const QString& t) { return t.startsWith(word, Qt::CaseInsensitive); });
    });
}

} // namespace

CommandWords wordsOf(const QAction& action) {
    CommandWords words;
    words.name = withoutMnemonic(action.text());
    while (words.name.endsWith(QChar(0x2026)))
        words.name.chop(1);
    words.group = action.property("group").toString();
    const QString id = action.objectName();
    const auto known =
        std::ranges::find_if(kSynonyms, [&](const Synonyms& one) { return id == QLatin1String(one.id); });
    words.also = id; // "break.pause-client": English words, whatever the language
    if (known != std::end(kSynonyms)) words.also += u' ' + QString::fromUtf8(known->words);
    if (id.startsWith(QLatin1String("scenario."))) words.also += QStringLiteral(" scenario story lesson 场景 课程");
    return words;
}

CommandMatch matchOf(const QString& text, const CommandWords& command) {
    const QString typed = text.simplified();
    if (typed.isEmpty() || typed.compare(command.name, Qt::CaseInsensitive) == 0) return CommandMatch::Equal;
    if (command.name.startsWith(typed, Qt::CaseInsensitive)) return CommandMatch::Begins;
    const QStringList parts = words(typed);
    if (parts.isEmpty()) return CommandMatch::None;
    if (eachBeginsAWord(parts, command.name)) return CommandMatch::Words;
    const QString all = command.name + u' ' + command.group + u' ' + command.also;
    if (eachBeginsAWord(parts, all)) return CommandMatch::Also;
    return fuzzyScore(typed, command.name) > 0 ? CommandMatch::Letters : CommandMatch::None;
}

} // namespace lockscope::views
