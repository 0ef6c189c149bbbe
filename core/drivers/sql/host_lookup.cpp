// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/host_lookup.h"

#include "ports/sql/errors.h"

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

void lookUpHost(const QString& host, const QString& where, const std::shared_ptr<Ticket>& ticket,
                const std::shared_ptr<Post>& post) {
    int status = 0;
    const QByteArray name = host.toUtf8();
    Reply numeric = addressesOf(name, AI_NUMERICHOST, status);
    if (status == 0) {
        ticket->result.emplace(std::move(numeric));
        return ticket->arrive();
    }
    // Nobody waits for it, not even the end of the program: the resolver may take many seconds.
    std::thread([name, host, where, ticket, post] {
        int found = 0;
        Reply reply = addressesOf(name, AI_ADDRCONFIG, found);
        if (reply.rows.empty())
            ticket->result.emplace(
                std::unexpected(errors::unknownHost(host, QString::fromLocal8Bit(::gai_strerror(found)), where)));
        else
            ticket->result.emplace(std::move(reply));
        post->put(ticket);
    }).detach();
}

} // namespace lockscope::sql
