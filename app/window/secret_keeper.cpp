// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/secret_keeper.h"

#include "ports/url_login.h"

namespace lockscope::app {

using Answer = SecretStore::Answer;

namespace {
/// A name that no connection has: whether it is there does not matter, only whether somebody answers.
QString nameOfTrial() {
    return QStringLiteral("\n");
}
} // namespace

SecretKeeper::SecretKeeper(std::unique_ptr<SecretStore> store, QObject* parent)
    : QObject(parent), m_store(std::move(store)) {
}

void SecretKeeper::serve(views::ConnectDialog& dialog) {
    using Keeping = views::ConnectDialog::Keeping;
    using Saved = views::ConnectDialog::Saved;
    dialog.setRecall([this](const Saved& saved, QObject* caller, views::ConnectDialog::Recalled recalled) {
        m_store->read(saved.name, caller, [saved, recalled = std::move(recalled)](Answer answer, const QString& url) {
            // A password goes to the server that it was kept for, and to no other.
            const bool same = withoutPassword(url) == saved.url;
            recalled(answer == Answer::Failed ? Keeping::Nowhere : Keeping::SecretStore, same ? url : QString());
        });
    });
    m_store->read(nameOfTrial(), &dialog, [&dialog](Answer answer, const QString&) {
        dialog.setKeeping(answer == Answer::Failed ? Keeping::Nowhere : Keeping::SecretStore);
    });
    connect(&dialog, &views::ConnectDialog::forgotten, this, &SecretKeeper::forget);
}

void SecretKeeper::keep(const QString& name, const QString& url) {
    const QString address = withoutPassword(url);
    if (address != url.trimmed()) {
        m_store->write(name, url.trimmed(), this, [this, name](Answer answer) {
            if (answer != Answer::Done) Q_EMIT notKept(name);
        });
        return;
    }
    // Without a password typed, the one that is kept stays, as the store may be slow to tell it; one of another address
    // has no use any more.
    m_store->read(name, this, [this, name, address](Answer answer, const QString& kept) {
        if (answer == Answer::Done && withoutPassword(kept) != address) forget(name);
    });
}

void SecretKeeper::forget(const QString& name) {
    // There may be none, or no store: then nothing is kept either.
    m_store->erase(name, this, [](Answer) {});
}

} // namespace lockscope::app
