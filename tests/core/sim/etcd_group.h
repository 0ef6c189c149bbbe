// SPDX-License-Identifier: Apache-2.0
// A simulated etcd, and clients that reach it by the wire that production's connections use.
#pragma once
#include "sim/etcd/service.h"
#include "sim/etcd/wire.h"
#include "simulated_ground.h"

namespace lockscope::tests {

struct EtcdGroup : SimulatedGround {
    using Kind = sim::EtcdRequest::Kind;
    using Request = sim::EtcdRequest;
    std::unique_ptr<sim::EtcdService> service;

    /// A client process.
    struct Process {
        std::unique_ptr<VirtualRuntime> runtime;
        trace::EntityId entity = trace::kNoEntity;
        std::unique_ptr<sim::EtcdWire> wire;
    };
    std::vector<std::unique_ptr<Process>> processes;

    explicit EtcdGroup(int members = 1, std::uint64_t seed = 1, bool formed = true) {
        sim::EtcdService::Settings settings;
        settings.ids.clear();
        for (int i = 1; i <= members; ++i)
            settings.ids.push_back("etcd-" + QByteArray::number(i));
        settings.formed = formed;
        service = std::make_unique<sim::EtcdService>(grounds, settings, seed, owner());
        if (formed) run(50ms);
    }
    ~EtcdGroup() {
        for (const auto& process : processes)
            process->runtime->kill();
    }
    static QString urlOptions() { return {}; }

    sim::EtcdServer& at(std::size_t index) { return service->server(index); }
    sim::EtcdServer& leader() {
        sim::EtcdServer* const leading = service->leader();
        if (!leading) qFatal("nobody leads");
        return *leading;
    }
    sim::EtcdServer& follower(int number = 0) {
        for (std::size_t i = 0; i < service->size(); ++i)
            if (&at(i) != service->leader() && number-- == 0) return at(i);
        qFatal("there is no such follower");
    }
    /// Cuts a member off from the others; clients reach it.
    void isolate(const sim::EtcdServer& member, bool cut = true) {
        for (std::size_t i = 0; i < service->size(); ++i) {
            if (&at(i) == &member) continue;
            network.setCut(network.between(member.entity(), at(i).entity()), member.entity(), sim::Network::Ways::Both,
                           cut);
        }
    }

    /// `member`: the only one in its URL; nullptr: all are.
    Process& client(const QByteArray& name, const sim::EtcdServer* member = nullptr,
                    const QString& options = QStringLiteral("?timeout=20s")) {
        processes.push_back(std::make_unique<Process>());
        Process& process = *processes.back();
        process.entity = trace->intern(trace::EntityKind::Client, name);
        process.runtime = std::make_unique<VirtualRuntime>(scheduler, 100 + processes.size());
        const QString all =
            member ? QStringLiteral("etcd://%1:2379").arg(QString::fromUtf8(member->id())) : service->url();
        const auto url = parseConnectionUrl(all + options);
        if (!url) qFatal("%s", qPrintable(url.error()));
        const auto lookup = [this](const Endpoint& endpoint) { return service->at(endpoint); };
        process.wire = std::make_unique<sim::EtcdWire>(grounds, lookup, *process.runtime, process.entity, *url);
        return process;
    }
    /// One raw exchange with one member over a connection of its own: what the server itself says.
    struct Said {
        std::optional<sim::EtcdReply> reply; ///< nullopt: the connection ended
        Nanos after{};
        QByteArray text() const { return !reply ? "(ended)" : reply->ok() ? "ok" : reply->error; }
    };
    Said tell(sim::EtcdServer& member, const Request& request, Nanos limit = 60s) {
        const auto answer = begin(member, request);
        until([&] { return answer->done; }, limit);
        if (!answer->done) qFatal("no answer at all");
        return answer->said;
    }
    struct Exchange {
        Said said;
        bool done = false;
        std::shared_ptr<sim::EtcdSocket> socket;
        std::vector<sim::EtcdNews> news; ///< of watches
        std::vector<Nanos> newsAt;
    };
    std::shared_ptr<Exchange> begin(sim::EtcdServer& member, const Request& request) {
        const auto exchange = std::make_shared<Exchange>();
        const Nanos begun = scheduler.now();
        const trace::EntityId operators = trace->intern(trace::EntityKind::Client, "operator");
        Exchange& raw = *exchange; // kept by the test
        kept.push_back(exchange);
        const auto end = [this, &raw, begun](std::optional<sim::EtcdReply> reply) {
            raw.said = {std::move(reply), scheduler.now() - begun};
            raw.done = true;
        };
        sim::EtcdSocket::ClientEnd client;
        client.accepted = [] {};
        client.answered = [end](std::uint64_t, const sim::EtcdReply& reply) { end(reply); };
        client.told = [this, &raw](const sim::EtcdNews& news) {
            raw.news.push_back(news);
            raw.newsAt.push_back(scheduler.now());
        };
        client.ended = [end] { end(std::nullopt); };
        raw.socket = std::make_shared<sim::EtcdSocket>(grounds, network.between(operators, member.entity()), operators,
                                                       member, std::move(client));
        raw.socket->connect();
        raw.socket->ask(1, request);
        return exchange;
    }
    std::vector<std::shared_ptr<Exchange>> kept;

    static Request put(const QByteArray& key, const QByteArray& value = "v", std::int64_t lease = 0) {
        Request request;
        request.kind = Kind::Put;
        request.range.key = key;
        request.value = value;
        request.lease = lease;
        return request;
    }
    static Request get(const QByteArray& key, bool serializable = false) {
        Request request;
        request.range.key = key;
        request.serializable = serializable;
        return request;
    }
    static Request remove(const QByteArray& key, const QByteArray& end = {}) {
        Request request;
        request.kind = Kind::DeleteRange;
        request.range.key = key;
        request.range.end = end;
        return request;
    }
    static Request lease(Kind kind, std::int64_t id, std::int64_t seconds = 0) {
        Request request;
        request.kind = kind;
        request.lease = id;
        request.seconds = seconds;
        return request;
    }
    static Request watch(const QByteArray& key, std::int64_t revision = 0, const QByteArray& end = {}) {
        Request request;
        request.kind = Kind::Watch;
        request.range.key = key;
        request.range.end = end;
        request.revision = revision;
        request.watch = 1;
        return request;
    }
    bool has(const sim::EtcdServer& member, const QByteArray& key) { return member.store().keys().contains(key); }
    /// How long no member but `gone` leads; kNever: longer than 60 s.
    Nanos untilLeader(const sim::EtcdServer* gone = nullptr) {
        return until([&] { return service->leader() && service->leader() != gone; });
    }
};

} // namespace lockscope::tests
