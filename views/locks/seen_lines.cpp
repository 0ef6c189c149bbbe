// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/seen_lines.h"

#include "inspect/kept_by.h"
#include "models/view_context.h"
#include "trace/text.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonObject>
#include <algorithm>
#include <array>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(SeenLines)
};

/// A content's own characters, in quotation marks; numbers as they are.
QString quoted(const QJsonValue& value) {
    if (value.isDouble()) return QString::number(value.toDouble(), 'g', 17);
    return QStringLiteral("“%1”").arg(value.toString());
}

void addContent(QStringList& lines, const inspect::RawKey& key) {
    const auto add = [&lines](const QString& line) { lines += QStringLiteral("  ") + line; };
    const QJsonValue value = key.value.json();
    if (value.isObject()) {
        const QJsonObject fields = value.toObject();
        for (auto field = fields.begin(); field != fields.end(); ++field)
            add(QStringLiteral("“%1” → %2").arg(field.key(), quoted(field.value())));
    } else if (value.isArray()) {
        int place = 0;
        for (const QJsonValue& item : value.toArray())
            add(QStringLiteral("%1 %2").arg(++place).arg(quoted(item)));
    } else if (value.isNull()) {
        add(Words::tr("not read"));
    } else {
        add(quoted(value));
    }
    if (key.more > 0) add(Words::tr("and %n more", "elements of a key", int(key.more)));
}

} // namespace

QStringList seenLines(const inspect::SeenContent& content, const QString& name, const QString& backend) {
    static constexpr std::array kWithoutKeys{"ZooKeeper", "MariaDB", "PostgreSQL", "SQLite"};
    const auto isIt = [&backend](const char* product) { return backend == QLatin1String(product); };
    if (content.keys.empty() && std::ranges::any_of(kWithoutKeys, isIt))
        return {Words::tr("nobody holds “%1”").arg(name)};
    if (content.keys.empty()) return {Words::tr("no key “%1”").arg(name)};
    QStringList lines;
    for (const inspect::RawKey& key : content.keys) {
        if (key.type == inspect::kServerEntry) {
            //: The server on which a lock lies.
            lines += Words::tr("on %1").arg(QString::fromUtf8(key.key));
            continue;
        }
        if (key.type == inspect::kClientEntry) {
            //: A holder or waiter, and what the server knows of it: address, program, statement.
            lines += Words::tr("client %1: %2").arg(QString::fromUtf8(key.key), key.value.json().toString());
            continue;
        }
        if (key.type == inspect::kGoneEntry) {
            //: A holder whose connections have all ended, while its lock is still there.
            lines += Words::tr("client %1 has no connection any more").arg(QString::fromUtf8(key.key));
            continue;
        }
        QString line = QStringLiteral("%1 %2").arg(QString::fromUtf8(key.key), QString::fromUtf8(key.type));
        // PTTL is Redis's word; -1 there says that the key never expires. Other servers tell no such end.
        static constexpr std::array kOfRedis{"string", "hash", "list", "set", "zset", "stream"};
        if (key.ttlMs || std::ranges::any_of(kOfRedis, [&key](const char* type) { return key.type == type; }))
            line += QStringLiteral(" pttl %1").arg(key.ttlMs ? QString::number(*key.ttlMs) : QStringLiteral("-1"));
        lines += line;
        addContent(lines, key);
    }
    if (content.moreKeys > 0) lines += Words::tr("and %n more keys", "", int(content.moreKeys));
    if (content.cut) lines += Words::tr("long texts are cut");
    return lines;
}

QString unwrittenWords(const LockFacts& facts, const ViewContext& context) {
    const auto trace = context.trace();
    const auto record = context.state().records.find(facts.lock);
    const bool told = record != context.state().records.end() && record->second.format != trace::kNoEntity;
    const trace::EntityId format = told ? record->second.format : trace->entity(facts.lock).other;
    const bool known = facts.known() && trace->entity(format).kind == trace::EntityKind::Text;
    const QByteArray name = known ? trace->entity(format).name : QByteArray();
    const QString holder = namesOf({facts.owner}, *trace);
    if (inspect::keptBy(name) == inspect::KeptBy::Transaction)
        return facts.held() ? Words::tr("the transaction of %1 has locked its row, until it ends").arg(holder)
                            : Words::tr("no transaction has locked its row");
    if (inspect::endsWith(name) == inspect::EndsWith::Session)
        return facts.held() ? Words::tr("the session of %1 has it, in the server's memory").arg(holder)
                            : Words::tr("no session has it");
    return Words::tr("nobody has looked yet at what the server holds of it");
}

} // namespace lockscope::views
