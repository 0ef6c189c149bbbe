// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "welcome/connect_dialog.h"

#include <QScrollArea>
#include <QStringList>

class QBoxLayout;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace lockscope::views {

class SectionCaption;

/// The first thing that a person sees: one click to a lock changing hands; then servers and files, the last ones
/// listed; then every scenario, chapter by chapter.
///
/// The part below the first button is built right after the first picture, too soon to be noticed, because its
/// cards of text cost more than the rest of the program's start.
class WelcomePage : public QScrollArea {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    void setRecent(const QStringList& files, const QStringList& connections);
    /// Connections that a person has given names to: they stand before the recent ones.
    void setSaved(const QList<ConnectDialog::Saved>& connections);
    QPushButton* lessonButton() const { return m_lesson; }
    /// Null until the rest is built.
    QLineEdit* urlField() const { return m_url; }

    /// The language of scenario titles: "zh_CN" or "" for English; from the translators in use.
    static QString scenarioLanguage();

    /// The scenarios that this page offers: the built-in ones, then the person's own.
    struct Offer {
        QString id, title, summary;
        bool own = false;
        QString inAll{};   ///< title and summary in every language, to be found by
        QString chapter{}; ///< as chapterWords() takes it; empty: none
        QString source{};  ///< the reports that tell of it, without their addresses; empty: none
    };
    const QList<Offer>& offers();
    /// Reads the person's own scenarios again.
    void refreshOffers();

Q_SIGNALS:
    void scenarioChosen(QString id);
    void lessonsRequested();
    void fileChosen(QString path);
    void openRequested();
    /// `url`: the typed text, possibly empty.
    void connectRequested(QString url);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHero();
    /// Builds what stands below it.
    void finish();
    QWidget* makeServers();
    QWidget* makeFiles();
    void makeCards();
    void addShelf(const QString& name);
    void arrangeCards();
    void fillRecent();
    /// An entry of a list below a caption.
    struct Entry {
        const char* icon;
        QString name, where;
        QString chosen; ///< what is opened: a path, an address
    };
    /// Presses of the rows go to `choose`; without a row, the list says `nothing`.
    void fill(QBoxLayout* list, const QList<Entry>& entries, const QString& nothing,
              void (WelcomePage::*choose)(QString));

    QList<Offer> m_offers;
    QStringList m_recentFiles, m_recentConnections;
    QList<ConnectDialog::Saved> m_saved;
    QWidget* m_hero = nullptr; ///< the first part
    QPushButton* m_lesson = nullptr;
    QLineEdit* m_url = nullptr;
    QVBoxLayout* m_column = nullptr;
    struct Shelf {
        QWidget* box;
        QGridLayout* grid;
        QList<QWidget*> cards;
    };
    QVBoxLayout* m_shelves = nullptr;
    QList<Shelf> m_chapters;
    QBoxLayout* m_servers = nullptr;
    QBoxLayout* m_files = nullptr;
    QBoxLayout* m_bottom = nullptr;
    int m_columns = 0;
    bool m_finished = false;
};

} // namespace lockscope::views
