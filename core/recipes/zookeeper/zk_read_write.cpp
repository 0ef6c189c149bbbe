// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_read_write.h"

#include "recipes/at_once.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

using zookeeper::CreatedNode;
using zookeeper::Error;
using zookeeper::Layout;
using zookeeper::NodeMode;
using zookeeper::Result;
using Step = ZkQueued::Step;

RecipeInfo zkReadWriteInfo() {
    RecipeInfo info = zooKeeperInfo(
        "zk-rw", Text::tr("Curator's read/write lock, or kazoo's with layout=kazoo: one queue for readers and writers, "
                          "in order"));
    info.steps = stepTexts<Step>({
        {Step::Create, Text::tr("create {name}/_c_{uuid}-__READ__ or -__WRIT__ ephemeral sequential")},
        {Step::Look, Text::tr("children of {name}: a writer before ours, or anybody before our writer?")},
        {Step::Watch, Text::tr("watch the first writer, or the next lower one, until it is gone")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("delete ours")},
    });
    info.workStep = Step::Work;
    info.fair = true;
    info.reentrant = true;
    info.shared = true;
    info.layout = "Curator, kazoo";
    return info;
}

namespace {

bool contends(const ZkChild& child) {
    return child.family == ZkFamily::ReadWrite || child.family == ZkFamily::Kazoo ||
           child.family == ZkFamily::KazooReadWrite;
}

std::optional<ZkBlocker> everybodyBefore(const std::vector<ZkChild>& children, const QByteArray& own) {
    const ZkChild* before = nullptr;
    int lower = 0;
    for (const ZkChild& child : children) {
        if (child.name == own) break;
        if (!contends(child)) continue;
        before = &child;
        ++lower;
    }
    if (!before) return std::nullopt;
    // A writer may read in its own place as well, and go on reading when its writer's node is gone.
    return ZkBlocker{before->name, lower == 1 && !before->writes};
}

// All waiting readers watch the same writer, so that they wake together.
std::optional<ZkBlocker> firstWriterBefore(const std::vector<ZkChild>& children, const QByteArray& own) {
    std::optional<ZkBlocker> first;
    for (const ZkChild& child : children) {
        if (child.name == own) break;
        if (!contends(child) || !child.writes) continue;
        if (first) {
            first->only = false;
            break;
        }
        first = ZkBlocker{child.name, true};
    }
    return first;
}

} // namespace

const RecipeInfo& ZkReadWrite::info() const {
    static const RecipeInfo& mine = *findRecipe("zk-rw");
    return mine;
}

std::optional<LockError> ZkReadWrite::refusal(const std::vector<ZkChild>& children) const {
    const bool kazoos = m_lock.layout == Layout::Kazoo;
    for (const ZkFamily family : familiesOf(children)) {
        const bool fits =
            kazoos ? family == ZkFamily::Kazoo || family == ZkFamily::KazooReadWrite : family == ZkFamily::ReadWrite;
        if (!fits) return foreignFormat(m_lock.path, family);
    }
    return std::nullopt;
}

QByteArray ZkReadWrite::kindOf(bool reads) const {
    if (m_lock.layout == Layout::Kazoo) return reads ? "__rlock__" : "__lock__";
    return reads ? "__READ__" : "__WRIT__";
}

Outcome<std::optional<Grant>> ZkReadWrite::attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                                   std::stop_token stop) {
    const std::shared_ptr<ZkTicket> ticket = mine->newTicket();
    const bool reads = request.mode == Mode::Shared;
    if (std::shared_ptr<ZkHold> writing = reads ? holdOf(request.thread, Mode::Exclusive) : nullptr) {
        std::expected<std::optional<Grant>, LockError> beside =
            co_await readBesideWrite(ticket, request, writing, giveUpAt, stop);
        co_return beside;
    }
    const ZkRule rule = reads ? &firstWriterBefore : &everybodyBefore;
    if (!m_known || request.wait == Nanos(0)) {
        const std::expected<std::vector<ZkChild>, LockError> seen = co_await m_queue.look(stop, giveUpAt);
        if (!seen) co_return std::unexpected(seen.error());
        if (auto refused = refusal(*seen)) co_return std::unexpected(std::move(*refused));
        m_known = true;
        const QByteArray newcomer; // behind everybody
        if (request.wait == Nanos(0) && rule(*seen, newcomer)) co_return std::nullopt;
    }
    const QByteArray prefix = uniquePrefix(m_lock.port.runtime(), m_lock.layout);
    const QByteArray kind = kindOf(reads);
    const std::expected<std::vector<ZkChild>, LockError> children =
        co_await m_queue.join(ticket, prefix, kind, data(request.thread), giveUpAt, stop);
    if (!children) co_return std::unexpected(children.error());
    request.steps.at(Step::Look);
    if (auto refused = refusal(*children)) co_return std::unexpected(std::move(*refused));
    if (m_queue.isFirst(*ticket, *children, rule)) co_return granted(request, ticket);
    co_return co_await holdWhenFirst(mine, *children, rule, request, giveUpAt, stop);
}

Outcome<std::optional<Grant>> ZkReadWrite::readBesideWrite(std::shared_ptr<ZkTicket> ticket, Request request,
                                                           std::shared_ptr<ZkHold> writing, Nanos giveUpAt,
                                                           std::stop_token stop) {
    zookeeper::Port& port = m_lock.port;
    const ZkChild own = readZkChild(zookeeper::nameOf(writing->nodes.front()->path));
    const QByteArray number = own.number().toByteArray();
    const QByteArray prefix = uniquePrefix(port.runtime(), m_lock.layout);
    ticket->parent = m_lock.path;
    ticket->prefix = prefix;
    ticket->generation = writing->nodes.front()->generation;
    const QByteArray path = zookeeper::childOf(m_lock.path, prefix + kindOf(true) + number);
    while (holdOf(request.thread, Mode::Exclusive) == writing) {
        // A node requested in this session must not be created in the next one: it would stand before all later writers
        // and keep them out, and no client would know of it.
        if (port.session().state != zookeeper::Session::State::Connected) {
            const Nanos patience = patienceUntil(port, giveUpAt);
            const Result<void> back = co_await port.connected(patience, stop);
            if (!back) co_return std::unexpected(lockError(back.error()));
            continue;
        }
        ticket->asked = true;
        ticket->path = path;
        const Result<CreatedNode> made =
            co_await port.create(path, data(request.thread), NodeMode::Ephemeral, Nanos(0), stop);
        if (!made && made.error().kind == Error::Kind::ConnectionLoss) continue; // its name is its own: ask again
        if (!made && made.error().kind != Error::Kind::NodeExists) co_return std::unexpected(lockError(made.error()));
        if (made) {
            ticket->czxid = made->stat.czxid;
        } else { // made by the first of two tries
            const Result<std::optional<zookeeper::NodeStat>> stat = co_await port.exists(path, std::nullopt, stop);
            if (!stat && stat.error().outcomeUnknown()) continue;
            if (!stat) co_return std::unexpected(lockError(stat.error()));
            if (!*stat) continue;
            ticket->czxid = (*stat)->czxid;
        }
        // Somebody may have freed the writing by force, and another may write by now: then this node is before that
        // one's, and was not there when it looked.
        const ZkTicket& beside = *writing->nodes.front();
        const Result<std::optional<zookeeper::NodeStat>> stays = co_await port.exists(beside.path, std::nullopt, stop);
        if (!stays && stays.error().outcomeUnknown()) continue;
        if (!stays) co_return std::unexpected(lockError(stays.error()));
        if (!*stays || (beside.czxid != 0 && (*stays)->czxid != beside.czxid)) break;
        if (port.session().generation == ticket->generation) co_return granted(request, ticket);
    }
    co_return std::unexpected(notOwner(m_lock));
}

Outcome<std::optional<Grant>> ZkReadWrite::acquire(Request request, std::stop_token stop) {
    if (auto more = again(request)) return atOnce(std::move(*more));
    if (request.mode != Mode::Shared && holdOf(request.thread, Mode::Shared)) {
        return atOnce(std::unexpected(LockError{
            LockError::Kind::NotSupported,
            QCoreApplication::translate("LockError", "This thread reads under “%1” and would wait for itself before it "
                                                     "could write. Release the shared hold first.")
                .arg(QString::fromUtf8(m_lock.path))}));
    }
    return tryUntilDecided(std::move(request), std::move(stop));
}

Outcome<bool> ZkReadWrite::forceRelease(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    if (auto refused = refusal(*children)) co_return std::unexpected(std::move(*refused));
    // The holders: the first node, and if it reads, all readers up to the first writer. A writer's own readers share
    // its number.
    bool freed = false;
    for (const ZkChild& child : *children) {
        const ZkChild& first = children->front();
        if (first.writes ? child.number() != first.number() : child.writes) break;
        const std::expected<bool, LockError> removed = co_await removeHolder(m_lock, m_lock.path, child.name, stop);
        if (!removed) co_return std::unexpected(removed.error());
        freed = freed || *removed;
    }
    co_return freed;
}

Outcome<bool> ZkReadWrite::isLocked(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    if (auto refused = refusal(*children)) co_return std::unexpected(std::move(*refused));
    co_return !familiesOf(*children).empty(); // a queue's first always holds, or is about to
}

/// The queue's first writer, or the readers before the first writer.
Outcome<std::vector<HolderInfo>> ZkReadWrite::holders(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    if (auto refused = refusal(*children)) co_return std::unexpected(std::move(*refused));
    std::vector<HolderInfo> holders;
    for (const ZkChild& child : *children) {
        if (child.family == ZkFamily::Condition) continue;
        if (child.writes && !holders.empty()) break;
        const std::expected<std::optional<HolderInfo>, LockError> holder = co_await m_queue.holderAt(child.name, stop);
        if (!holder) co_return std::unexpected(holder.error());
        if (!*holder) continue; // it was gone between the two looks
        holders.push_back(**holder);
        holders.back().mode = child.writes ? Mode::Exclusive : Mode::Shared;
        if (child.writes) break;
    }
    co_return holders;
}

} // namespace lockscope::recipes
