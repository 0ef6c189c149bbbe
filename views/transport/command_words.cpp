// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/command_words.h"

#include "theme/mnemonic.h"
#include "trace/duration.h"
#include "transport/command_field.h"

#include <QAction>
#include <QRegularExpression>
#include <map>

namespace lockscope::views {

namespace {

/// Other words for a command, by its id: what people call it elsewhere, in English and Chinese, and those of its
/// English name that its id lacks, for whoever types them in another language.
struct Synonyms {
    const char* id;
    const char* words;
};
constexpr Synonyms kSynonyms[]{
    {"transport.play", "start run go on continue stop halt resume 播放 运行 停止 继续"},
    {"transport.restart", "same seed again rewind reset repeat 重来 重置"},
    {"transport.restart-new-seed", "random dice another run 随机"},
    {"transport.seed", "type random number 随机数"},
    {"transport.next-event", "step forward 单步"},
    {"transport.previous-event", "step back backward 后退"},
    {"transport.next-acquisition", "grant hold hand over 授予"},
    {"transport.previous-acquisition", "grant hold hand over 授予"},
    {"transport.next-violation", "error bug wrong invariant broken jump go 错误 不变量 不变式 跳到 why 为什么"},
    {"transport.previous-violation", "error bug wrong invariant broken 错误 不变量 不变式"},
    {"transport.faster", "speed up quick 速度"},
    {"transport.slower", "speed down slow motion 速度 慢动作"},
    {"transport.normal-speed", "speed real time 速度"},
    {"timeline.zoom-in", "closer larger magnify 放大 缩放"},
    {"timeline.zoom-out", "farther smaller 缩小 缩放"},
    {"timeline.zoom-fit", "fit whole all everything overview 全部"},
    {"timeline.follow", "keep playhead sight scroll along tail 滚动"},
    {"timeline.ghost", "show run last change before undo faint compare old future 之前 对比 旧"},
    {"timeline.ghost-older",
     "show run one change before undo faint compare old future earlier history 之前 更早 对比 旧"},
    {"timeline.ghost-run",
     "drawn faintly before undo switch swap back restore earlier old future 之前 换回 切换 恢复 旧"},
    {"timeline.ghost-list", "runs before earlier history old futures former choose kept 之前 更早 列表 历史 旧"},
    {"timeline.pin", "lock sight unpin pin keep fix stick top row lane favourite 固定 置顶 泳道"},
    {"timeline.measure", "playhead ruler distance duration time between 测量 间隔"},
    {"break.pause-client", "gc stop the world freeze suspend sigstop holder 冻结 停顿 持有者"},
    {"break.kill-client", "crash die terminate sigkill holder 崩溃 持有者"},
    {"break.kill-node", "crash server master leader down fail redis zookeeper etcd database 崩溃 宕机 服务器"},
    {"break.pause-node", "freeze server hang 冻结 挂起"},
    {"break.cut-link", "partition network split disconnect 分区 网络"},
    {"break.delay-link", "latency slow network 延迟 网络"},
    {"break.jump-clock", "client time skew drift ntp 时钟 漂移"},
    {"break.lose-reply", "next packet loss drop timeout 丢包"},
    {"break.lose-push", "next message publish notify pubsub drop 消息 通知 丢失"},
    {"break.repeat-request", "next retry again twice duplicate driver resend request 重试 重复 请求"},
    {"break.hang-work", "stuck deadlock slow loop 卡住 挂起"},
    {"break.restart-node", "reboot start again data disk server 重启 数据"},
    {"break.crash-node", "power loss machine server disk 断电 崩溃"},
    {"break.isolate-client", "partition network client split 隔离 分区 客户端"},
    {"break.isolate-node", "partition network server split 隔离 分区"},
    {"break.slow-node", "down latency slow server network 延迟 变慢"},
    {"break.jump-node-clock", "time skew drift ntp server 时钟 漂移"},
    {"break.drift-node-clock", "time ntp oscillator fast slow server 时钟 漂移"},
    {"break.failover", "failover sentinel promote demote master 故障转移 主从切换"},
    {"break.jitter-link", "latency vary random network 抖动 网络"},
    {"break.reset-link", "rst tcp connection disconnect reconnect 连接 重置 断开"},
    {"break.drift-clock", "client time ntp oscillator fast slow 时钟 漂移"},
    {"break.evict-key", "lock memory lru maxmemory expire throw out drop forget 淘汰 内存 逐出"},
    {"break.flush-node", "flushall flush_all empty wipe delete clear data 清空 删除 数据"},
    {"break.exhaust-pool", "connections pool exhausted database hikari full 连接池 耗尽 数据库"},
    {"break.stall-disk", "fsync io hang slow storage wal aof server 磁盘 卡住 服务器"},
    {"break.restart-client", "reboot start again process client deploy 重启 客户端 进程"},
    {"break.slow-client", "down latency delay slow client network 延迟 变慢 客户端"},
    {"break.jitter-client", "latency vary random client network 抖动 客户端"},
    {"break.reset-client", "rst tcp connection disconnect reconnect client 连接 重置 客户端"},
    {"break.jitter-node", "latency vary random server network 抖动 服务器"},
    {"break.reset-node", "rst tcp connection disconnect reconnect server 连接 重置 服务器"},
    {"break.switch-engine", "lock manager migrate backend redis zookeeper change 锁管理器 切换 引擎"},
    {"break.restart-node-empty", "reboot start again without data new disk wipe 重启 空 数据 清空"},
    {"break.plan", "condition when if trigger later schedule time step lease leader 条件 计划 当 触发"},
    {"break.stop-watchdog", "renewal heartbeat keepalive 续期 续约 心跳"},
    {"break.heal", "everything repair mend fix recover 修复 恢复"},
    {"file.open", "recording scenario load import replay 加载 导入"},
    {"file.save-scenario", "export json write 导出 保存"},
    {"file.record", "export capture trace save recording 导出 录制 保存"},
    {"record.background", "watched servers background keep last hour always crash recording 后台 录制 最近"},
    {"record.save-hour", "export last hour recording incident capture 保存 最近 录制"},
    {"connection.edit-failing", "password login server url failing repair 密码 登录 服务器 地址 失败 修改 连接"},
    {"stretch.replay", "make scenario happened what if simulate replay reproduce recording 假如 重放 复现"},
    {"stretch.changes", "difference between diff compare two instants 差别 变化 对比"},
    {"timeline.fold", "unfold lanes collapse expand group section hide 折叠 展开 分组"},
    {"timeline.filter", "text search find lane client lock name only 过滤 筛选 泳道 查找"},
    {"timeline.links", "all also those nothing wrong connections network hide show whole every 连接 网络 全部 链路"},
    {"timeline.actors", "have held lock only holders hide waiters clients many filter 持有者 隐藏 筛选"},
    {"file.close", "session end leave welcome 结束"},
    {"file.reopen", "open closed run again undo back lost restore 恢复 找回 撤销"},
    {"file.quit", "exit 退出"},
    {"session.connect", "attach monitor redis server live watch 监控 连接 mysql mariadb postgresql sqlite zookeeper "
                        "etcd memcached database password login 数据库 密码 登录"},
    {"layout.teach", "class lesson simulation 课堂 教学"},
    {"layout.monitor", "on call production table 值班 监控"},
    {"layout.break", "faults chaos failure cluster 故障 演练"},
    {"layout.restore", "default reset arrangement 默认"},
    {"layout.movable", "unlock panels dock move drag undock 移动 停靠"},
    {"theme.toggle", "switch between night day dark light mode colour color 夜间 颜色 深色 浅色"},
    {"theme.dark", "night black mode colour color 夜间 深色 黑色 模式"},
    {"theme.light", "day white mode colour color 白天 浅色 白色 模式"},
    {"view.full-screen", "presentation projector fullscreen 投影 演示"},
    {"transport.find", "search palette command anything 查找 搜索 命令"},
    {"transport.start", "go begin first zero home rewind 开头 起点"},
    {"transport.end", "go last finish latest end 结尾 末尾"},
    {"transport.next-fault", "break failure struck 破坏 故障"},
    {"transport.previous-fault", "break failure struck 破坏 故障"},
    {"transport.restart-without", "was done hand again clean undo everything forget 重来 干净"},
    {"edit.undo", "back take revert mistake 撤销 后悔"},
    {"edit.redo", "again forward repeat 重做"},
    {"editor.scenario", "write edit own make scenario faults author 编写 自编 场景"},
    {"editor.lesson", "write edit own make lesson course author 编写 自编 课程"},
    {"lesson.list", "all course learn teach tutorial chapters start 课程 教程 学习"},
    {"lesson.return", "back resume continue course 继续 课程"},
    {"lesson.leave", "what if try free play sandbox 自由 试试"},
    {"lesson.close", "end stop quit course 结束 课程"},
    {"lesson.note", "add recording write narration text comment 旁白 备注"},
    {"lesson.record-hands", "make lesson teacher demonstrate capture 录制 备课"},
    {"session.compare", "difference side by side two runs versus vs contrast with without 对比 并排 差别 比较"},
    {"session.add-connection", "server attach second more redis zookeeper 服务器 连接"},
    {"session.same-client", "join rule match names across servers 客户端 规则"},
    {"share.copy-run", "link text send colleague clipboard 分享 链接 发送"},
    {"share.paste-run", "copied link text open clipboard received 分享 链接 粘贴"},
    {"share.copy-picture", "screenshot image clipboard png export 截图 图片 导出"},
    {"share.save-picture",
     "screenshot image png svg pdf print export file 截图 图片 导出 打印 evidence page report 证据 报告"},
    {"export.movie", "save animated picture animation webp gif video moving export 动画 视频 导出"},
    {"export.trace", "csv jsonl perfetto jepsen events data save 数据 事件 导出"},
    {"alerts.rules", "thresholds limits warn settings notify 阈值 告警 设置"},
    {"alerts.notify", "desktop while window front notification popup message tray 通知 提醒"},
    {"panel.alerts", "warnings trouble list 告警"},
    {"panel.cluster", "servers nodes topology map network 集群 服务器 拓扑"},
    {"panel.connections", "servers urls health 连接 服务器"},
    {"panel.controls", "workload settings clients lease faults form 设置 负载 租约 故障"},
    {"panel.events", "log history messages list 日志 事件"},
    {"panel.inspector", "detail lock ttl verdict protocol steps 详情 裁决 协议 why reason judge 为什么 原因"},
    {"panel.locks", "table names holders list who holds 锁 列表 谁持有"},
    {"panel.statistics", "charts numbers latency throughput p99 统计 图表 延迟"},
    {"panel.waits", "graph deadlock who waits cycle 等待图 死锁"},
    {"locks.grouped", "tree backend sort 分组 树"},
    {"theme.system", "colour color automatic default desktop 颜色 自动"},
    {"view.larger", "font zoom big bigger size text projector 字号 字体 放大 大字"},
    {"view.smaller", "font zoom small smaller size text 字号 字体 缩小 小字"},
    {"view.usual-text", "font size reset normal default 字号 默认"},
    {"view.hide-names", "anonymous redact privacy projector screenshot secret 匿名 隐藏 名称 投影 截图"},
    {"view.legend", "timeline key meaning signs colours explain 图例 颜色 含义"},
    {"view.presenter", "class projector teacher presentation show slides big 讲课 投影 演示"},
    {"help.what", "what is this explain meaning term word help 含义 解释 帮助"},
    {"help.glossary", "all words dictionary terms meaning help explain 术语 词汇 帮助"},
    {"help.limits", "leaves out simplified simulator differs real servers left out 省略 简化 模拟 真实"},
    {"lock.force", "release delete unlock free break kill holder end 强制 释放 删除 解锁"},
    {"lock.allow", "changes connection write permission read-only rights 允许 更改 只读 权限"},
    {"lock.show", "timeline reveal lane find zoom 显示 时间线 泳道"},
    {"lock.copy", "all about clipboard text report paste 复制 文本 剪贴板"},
    {"help.about", "lockscope version licence license qt help 版本 许可"},
    {"help.shortcuts", "keyboard hotkeys help 快捷键 帮助"},
};

QStringList words(const QString& text) {
    static const QRegularExpression between(QStringLiteral("[\\s\\p{P}\\p{S}]+"));
    return text.split(between, Qt::SkipEmptyParts);
}

bool isAscii(const QString& text) {
    return std::ranges::all_of(text, [](QChar c) { return c.unicode() < 0x80; });
}

/// The words that say what is wanted: "jump to the next violation" has three of them. All, if there are no others.
QStringList wordsThatMatter(const QString& typed) {
    static const QStringList little{
        QStringLiteral("a"),    QStringLiteral("an"),    QStringLiteral("and"),  QStringLiteral("are"),
        QStringLiteral("as"),   QStringLiteral("by"),    QStringLiteral("from"), QStringLiteral("into"),
        QStringLiteral("or"),   QStringLiteral("s"),     QStringLiteral("that"), QStringLiteral("can"),
        QStringLiteral("do"),   QStringLiteral("does"),  QStringLiteral("for"),  QStringLiteral("how"),
        QStringLiteral("i"),    QStringLiteral("in"),    QStringLiteral("is"),   QStringLiteral("it"),
        QStringLiteral("me"),   QStringLiteral("my"),    QStringLiteral("of"),   QStringLiteral("on"),
        QStringLiteral("the"),  QStringLiteral("this"),  QStringLiteral("to"),   QStringLiteral("what"),
        QStringLiteral("with"), QStringLiteral("where"),
    };
    const QStringList all = words(typed);
    QStringList rest;
    for (const QString& word : all) {
        // "pause A" names a client; "how do I …" does not.
        const bool letter = word.size() == 1 && (&word == &all.back() || word.front().isUpper());
        const bool name = letter && (word != QLatin1String("I") || &word == &all.back());
        if (name || !little.contains(word, Qt::CaseInsensitive)) rest << word;
    }
    return rest.isEmpty() ? all : rest;
}

/// "paused" and "pausing" are found by "pause", too: what is left without an ending of English, for long words.
QString stemOf(const QString& word) {
    constexpr qsizetype kLeastStem = 4;
    for (const char* ending : {"ing", "ed", "s", "d"}) {
        const QLatin1String tail(ending);
        if (word.endsWith(tail, Qt::CaseInsensitive) && word.size() - tail.size() >= kLeastStem)
            return word.left(word.size() - tail.size());
    }
    return word;
}

/// Scripts without spaces have no beginnings of words: there any place will do, and two words may stand apart.
bool standsIn(const QString& word, const QString& text) {
    if (text.contains(word, Qt::CaseInsensitive)) return true;
    constexpr qsizetype kWord = 2; // most words of Chinese have two letters
    if (word.size() < 2 * kWord || word.size() % kWord != 0) return false;
    for (qsizetype at = 0; at < word.size(); at += kWord)
        if (!text.contains(QStringView(word).mid(at, kWord), Qt::CaseInsensitive)) return false;
    return true;
}

bool eachBeginsAWord(const QStringList& typed, const QString& text) {
    const QStringList there = words(text);
    return std::ranges::all_of(typed, [&](const QString& word) {
        if (!isAscii(word)) return standsIn(word, text);
        // A letter beside other words is a name: "client B".
        if (word.size() == 1 && typed.size() > 1) return there.contains(word, Qt::CaseInsensitive);
        const QString stem = stemOf(word);
        return std::ranges::any_of(there, [&](const QString& t) { return t.startsWith(stem, Qt::CaseInsensitive); });
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
    if (id.startsWith(QLatin1String("language."))) words.also += QStringLiteral(" language translation 语言 翻译");
    if (id.startsWith(QLatin1String("language.zh"))) words.also += QStringLiteral(" chinese 中文");
    if (id == QLatin1String("language.en")) words.also += QStringLiteral(" english 英文");
    if (const QString more = action.property("also").toString(); !more.isEmpty()) words.also += u' ' + more;
    return words;
}

std::optional<Nanos> timeTyped(const QString& text) {
    static const QRegularExpression clock(QStringLiteral("^(\\d{1,4}):(\\d{1,2}(?:\\.\\d{1,9})?)$"));
    static const QRegularExpression part(QStringLiteral("\\s*(-?[\\d.]+)\\s*([^\\d\\s.]+)\\s*"));
    static const std::map<QString, QString> units{
        {QStringLiteral("小时"), QStringLiteral("h")},  {QStringLiteral("分钟"), QStringLiteral("m")},
        {QStringLiteral("分"), QStringLiteral("m")},    {QStringLiteral("秒"), QStringLiteral("s")},
        {QStringLiteral("毫秒"), QStringLiteral("ms")}, {QStringLiteral("微秒"), QStringLiteral("us")},
        {QStringLiteral("sec"), QStringLiteral("s")},   {QStringLiteral("second"), QStringLiteral("s")},
        {QStringLiteral("min"), QStringLiteral("m")},   {QStringLiteral("minute"), QStringLiteral("m")},
        {QStringLiteral("hour"), QStringLiteral("h")},  {QStringLiteral("seconds"), QStringLiteral("s")},
        {QStringLiteral("hours"), QStringLiteral("h")}, {QStringLiteral("minutes"), QStringLiteral("m")},
    };
    if (const auto shown = clock.match(text.trimmed()); shown.hasMatch())
        return timeTyped(shown.captured(1) + QStringLiteral("m ") + shown.captured(2) + u's');
    std::optional<Nanos> sum;
    qsizetype end = 0;
    for (auto parts = part.globalMatch(text); parts.hasNext();) {
        const QRegularExpressionMatch match = parts.next();
        const auto unit = units.find(match.captured(2));
        const auto time = parseDuration(match.captured(1) + (unit == units.end() ? match.captured(2) : unit->second));
        if (!time || match.capturedStart() != end) return std::nullopt;
        end = match.capturedEnd();
        sum = sum.value_or(Nanos(0)) + *time;
    }
    return end == text.size() ? sum : std::nullopt;
}

std::optional<Nanos> instantAskedFor(const QString& text) {
    static const QRegularExpression asked(QStringLiteral("^(?:go to|goto|jump to|seek|at|跳到|转到|去)\\s*(.+)$"),
                                          QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression bare(QStringLiteral("^\\d+(\\.\\d+)?$"));
    const auto match = asked.match(text.trimmed());
    if (!match.hasMatch()) return std::nullopt;
    const QString when = match.captured(1).trimmed();
    return timeTyped(bare.match(when).hasMatch() ? when + u's' : when);
}

std::optional<double> speedTyped(const QString& text) {
    static const QRegularExpression times(QStringLiteral("^(\\d{1,4}(?:\\.\\d{1,3})?)\\s*[x×倍]速?$"),
                                          QRegularExpression::CaseInsensitiveOption);
    const auto match = times.match(text.trimmed());
    const double speed = match.hasMatch() ? match.captured(1).toDouble() : 0;
    if (speed <= 0) return std::nullopt;
    return speed;
}

QString withoutLittleWords(const QString& typed) {
    return wordsThatMatter(typed).join(u' ');
}

CommandMatch matchOf(const QString& text, const CommandWords& command) {
    const QString typed = text.simplified();
    if (typed.isEmpty() || typed.compare(command.name, Qt::CaseInsensitive) == 0) return CommandMatch::Equal;
    // A story's id is exact: no deed that has some of its words comes before it.
    const QString id = command.also.section(u' ', 0, 0);
    if (id.startsWith(QLatin1String("scenario.")) && id.mid(9).compare(typed, Qt::CaseInsensitive) == 0)
        return CommandMatch::Equal;
    if (command.name.startsWith(typed, Qt::CaseInsensitive)) return CommandMatch::Begins;
    // An id is its name in English, whatever the language: "lease" finds 租约 before all that has to do with leases.
    if (typed.compare(id, Qt::CaseInsensitive) == 0) return CommandMatch::Begins;
    const QStringList parts = wordsThatMatter(typed);
    if (parts.isEmpty()) return CommandMatch::None;
    // "what is a lease" asks for nothing but "lease".
    if (parts.join(u' ').compare(command.name, Qt::CaseInsensitive) == 0) return CommandMatch::Begins;
    if (parts.size() == 1 && command.name.startsWith(stemOf(parts.front()), Qt::CaseInsensitive))
        return CommandMatch::Begins;
    if (eachBeginsAWord(parts, command.group + u' ' + command.name)) return CommandMatch::Words;
    const QString all = command.name + u' ' + command.group + u' ' + command.also;
    if (eachBeginsAWord(parts, all)) return CommandMatch::Also;
    return fuzzyScore(typed, command.name) > 0 ? CommandMatch::Letters : CommandMatch::None;
}

} // namespace lockscope::views
