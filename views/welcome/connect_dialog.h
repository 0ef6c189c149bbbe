// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <functional>
#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace lockscope::views {

class UrlPartsForm;

/// Asks for a server's address and whether it may be changed. Says while one types what is wrong with the address.
class ConnectDialog : public QDialog {
    Q_OBJECT
public:
    /// Empty = fine; otherwise a sentence with the error and its remedy.
    using Check = std::function<QString(const QString& url)>;

    /// Tries an address and calls back with what came of it, as long as the returned object lives.
    using Trial = std::function<std::unique_ptr<QObject>(const QString& url,
                                                         std::function<void(bool good, const QString& sentence)> done)>;
    /// A connection to be chosen again: its name and address, without a password.
    struct Saved {
        QString name, url;
        bool changes = false;
        friend bool operator==(const Saved&, const Saved&) = default;
    };
    /// Where the passwords of saved connections are.
    enum class Keeping : std::uint8_t { NotKnown, Asking, SecretStore, Nowhere };
    /// Takes a saved connection's address with its passwords; empty: none are kept.
    using Recalled = std::function<void(Keeping keeping, const QString& url)>;
    /// Asks for it; answers later, while `caller` lives.
    using Recall = std::function<void(const Saved& saved, QObject* caller, Recalled done)>;

    /// `recent`: earlier addresses to choose from, without passwords.
    ConnectDialog(Check check, const QStringList& recent, QWidget* parent = nullptr);

    void setUrl(const QString& url);
    /// Fills all fields with a connection that exists.
    void setConnection(const Saved& connection);
    /// Shows the parts of the address, with the cursor where the password is typed.
    void askForPassword();
    /// The address, with the names that are wanted as its options match= and ignore=, and what else is a lock or finds
    /// some.
    QString url() const;
    bool changesAllowed() const;
    /// Offers to try an address before it is used.
    void setTrial(Trial trial);
    void setSaved(const QList<Saved>& saved);
    /// Chooses the saved connection that has this address; false: there is none.
    bool chooseSaved(const QString& url);
    /// Fills in the passwords of saved connections. Without it they are asked for each time.
    void setRecall(Recall recall);
    /// Says where passwords are kept.
    void setKeeping(Keeping keeping);
    /// The name to save this connection by; empty: it is not to be saved.
    QString name() const;
    /// The error in the present address; empty = none.
    QString complaint() const;

Q_SIGNALS:
    /// The user does not want to see this saved connection any more.
    void forgotten(QString name);

private:
    void validate();
    void tryIt();
    void take(int saved);
    void recall(const Saved& chosen);
    Check m_check;
    Trial m_trial;
    Recall m_recall;
    std::unique_ptr<QObject> m_running; ///< the trial at hand
    QList<Saved> m_savedOnes;
    QWidget* m_savedRow;
    QComboBox* m_saved; ///< the first entry stands for a new connection
    QLineEdit* m_name;
    QPushButton* m_try;
    QComboBox* m_url;
    QToolButton* m_showParts;
    UrlPartsForm* m_parts; ///< of the address: each follows the other
    QLabel* m_keeping;     ///< where passwords are kept
    QLineEdit* m_names;    ///< globs with commas between them; "!" in front: not these
    QWidget* m_stringsRow;
    QLineEdit* m_strings; ///< globs of string keys that are locks; for a Redis only
    QCheckBox* m_list;    ///< a memcached may list all its keys
    QWidget* m_tableRow;
    QLineEdit* m_table; ///< a lock table of the user's own and its columns; for databases only
    QLabel* m_complaint;
    QCheckBox* m_changes;
    QPushButton* m_connect;
};

} // namespace lockscope::views
