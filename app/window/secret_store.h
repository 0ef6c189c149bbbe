// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <functional>
#include <memory>

class QObject;

namespace lockscope::app {

/// Keeps secrets by name. Nothing here waits: answers come from the event loop, and only while `caller` lives.
class SecretStore {
public:
    virtual ~SecretStore() = default;
    enum class Answer : std::uint8_t {
        Done,    ///< it was read, written or erased
        Missing, ///< there is none of this name, or the keyring is locked: GNOME's does not say which
        Failed,  ///< there is no such store here, or it is locked and stays so
    };
    using Read = std::function<void(Answer answer, const QString& secret)>;
    using Done = std::function<void(Answer answer)>;
    virtual void read(const QString& name, QObject* caller, Read done) = 0;
    /// Replaces a secret of this name.
    virtual void write(const QString& name, const QString& secret, QObject* caller, Done done) = 0;
    virtual void erase(const QString& name, QObject* caller, Done done) = 0;
};

/// The desktop's own store: GNOME's keyring or KDE's wallet. Secrets are never written to a file instead.
std::unique_ptr<SecretStore> desktopSecrets();

} // namespace lockscope::app
