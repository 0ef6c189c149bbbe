// SPDX-License-Identifier: Apache-2.0
#include "ports/zookeeper/options.h"

#include "trace/duration.h"

#include <QCoreApplication>

namespace lockscope::zookeeper {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConnectionUrl)
};

} // namespace

std::expected<UrlOptions, QString> urlOptions(const ConnectionUrl& url) {
    UrlOptions options;
    if (const QString session = url.option("session"); !session.isEmpty()) {
        const std::optional<Nanos> duration = parseDuration(session);
        if (!duration || *duration <= Nanos(0) || *duration > 24h)
            return std::unexpected(
                Text::tr("The option “session=%1” is no duration; write for example session=10s.").arg(session));
        options.driver.session = *duration;
    }
    if (const QString layout = url.option("layout"); !layout.isEmpty()) {
        if (layout != u"curator" && layout != u"kazoo" && layout != u"both")
            return std::unexpected(Text::tr("The option “layout” is curator, kazoo or both: whose names locks have on "
                                            "the server, and so which libraries see them."));
        if (layout == u"kazoo") options.layout = Layout::Kazoo;
        if (layout == u"both") options.layout = Layout::Both;
    }
    if (const QString acl = url.option("acl"); !acl.isEmpty()) {
        if (acl != u"creator" && acl != u"read" && acl != u"open")
            return std::unexpected(Text::tr("The option “acl” is creator, read or open: whether others may do nothing, "
                                            "look, or do everything with the nodes that are made."));
        if (acl != u"open" && url.user.isEmpty())
            return std::unexpected(Text::tr("The option “acl=%1” needs a login, whose nodes they are to be; write "
                                            "zookeeper://user:password@host, or acl=open.")
                                       .arg(acl));
        options.driver.acl = acl == u"creator" ? Acl::Creator : acl == u"read" ? Acl::Read : Acl::Open;
    }
    return options;
}

} // namespace lockscope::zookeeper
