// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/host_lookup.h"

#include <array>
#include <netdb.h>
#include <thread>

namespace lockscope::sql {

namespace {

/// The addresses, or 0 rows and the resolver's status.
Reply addressesOf(const QByteArray& host, int flags, int& status) {
    addrinfo wanted{};
    wanted.ai_flags = flags;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    Reply reply;
    status = ::getaddrinfo(host.constData(), nullptr, &wanted, &found);
    if (status != 0) return reply;
    for (const addrinfo* each = found; each; each = each->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        const int named =
            ::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
        if (named == 0) reply.rows.push_back(Values(1, QByteArray(text.data())));
    }
    ::freeaddrinfo(found);
    return reply;
}

} // namespace

QString HostTicket::reason() const {
    return QString::fromLocal8Bit(::gai_strerror(status));
}

void lookUpHost(const QString& host, const std::shared_ptr<HostTicket>& ticket, const std::shared_ptr<Post>& post) {
    const QByteArray name = host.toUtf8();
    Reply numeric = addressesOf(name, AI_NUMERICHOST, ticket->status);
    if (ticket->status == 0) {
        ticket->result.emplace(std::move(numeric));
        return ticket->arrive();
    }
    // Nobody waits for it, not even the end of the program: the resolver may take many seconds.
    std::thread([name, ticket, post] {
        ticket->result.emplace(addressesOf(name, AI_ADDRCONFIG, ticket->status));
        post->put(ticket);
    }).detach();
}

} // namespace lockscope::sql
