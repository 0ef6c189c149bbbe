// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "welcome/connect_dialog.h"
#include "window/secret_store.h"

namespace lockscope::app {

/// Keeps the passwords of saved connections in a secret store, by the connections' names: the settings have the rest.
class SecretKeeper : public QObject {
    Q_OBJECT
public:
    explicit SecretKeeper(std::unique_ptr<SecretStore> store, QObject* parent = nullptr);

    /// Lets the dialogue ask for the passwords of saved connections, and forgets those of connections that it forgets.
    void serve(views::ConnectDialog& dialog);
    /// Keeps the passwords of a connection. An address without any leaves those that are kept for it alone, and forgets
    /// those of another address.
    void keep(const QString& name, const QString& url);
    /// Forgets the passwords of a connection.
    void forget(const QString& name);

Q_SIGNALS:
    /// The passwords of this connection could not be kept: they are to be asked for each time.
    void notKept(QString name);

private:
    std::unique_ptr<SecretStore> m_store;
};

} // namespace lockscope::app
