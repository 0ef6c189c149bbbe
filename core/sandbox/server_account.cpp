// SPDX-License-Identifier: Apache-2.0
#include "sandbox/server_account.h"

#include <algorithm>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockscope::sandbox {

namespace {

struct Account {
    uid_t user;
    gid_t group;
};

/// The account that the server runs as, when it may not run as this user.
std::optional<Account> otherAccount() {
    if (::geteuid() != 0) return std::nullopt;
    const passwd* const entry = ::getpwnam("postgres");
    if (!entry) return std::nullopt;
    return Account{entry->pw_uid, entry->pw_gid};
}

} // namespace

// By setpriv, which becomes the program: what is signalled is the server itself. The kernel forgets at a change of user
// that it should end with us, so it is told again.
QStringList asServerAccount(const QString& program, const QStringList& arguments) {
    const auto other = otherAccount();
    if (!other) return QStringList{program} + arguments;
    return QStringList{QStringLiteral("setpriv"),
                       QStringLiteral("--reuid=%1").arg(other->user),
                       QStringLiteral("--regid=%1").arg(other->group),
                       QStringLiteral("--clear-groups"),
                       QStringLiteral("--pdeathsig=KILL"),
                       QStringLiteral("--"),
                       program} +
           arguments;
}

bool giveToServerAccount(const QString& directory, const QStringList& files) {
    const auto other = otherAccount();
    if (!other) return true;
    const bool passes = ::chmod(directory.toLocal8Bit().constData(), 0711) == 0;
    return passes && std::ranges::all_of(files, [&](const QString& file) {
               return ::chown(file.toLocal8Bit().constData(), other->user, other->group) == 0;
           });
}

} // namespace lockscope::sandbox
