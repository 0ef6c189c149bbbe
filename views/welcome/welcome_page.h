// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QScrollArea>
#include <QStringList>

class QBoxLayout;
class QGridLayout;
class QLineEdit;
class QPushButton;

namespace lockscope::views {

class SectionCaption;

/// The first thing that a person sees: one click to a lock changing hands; then every scenario, and the last files and
/// servers.
class WelcomePage : public QScrollArea {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    void setRecent(const QStringList& files, const QStringList& connections);
    QPushButton* lessonButton() const { return m_lesson; }
    QLineEdit* urlField() const { return m_url; }

    /// The language of scenario titles: "zh_CN" or "" for English; from the translators in use.
    static QString scenarioLanguage();

    /// The built-in scenarios that this page offers: id and title.
    struct Offer {
        QString id, title;
    };
    const QList<Offer>& offers() const { return m_offers; }

Q_SIGNALS:
    void scenarioChosen(QString id);
    void fileChosen(QString path);
    void openRequested();
    /// With what was typed, possibly nothing.
    void connectRequested(QString url);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHero();
    QWidget* makeServers();
    QWidget* makeFiles();
    void makeCards();
    void arrangeCards();
    void fill(QBoxLayout* list, const QStringList& entries, const QString& nothing, bool files);

    QList<Offer> m_offers;
    QPushButton* m_lesson = nullptr;
    QLineEdit* m_url = nullptr;
    QWidget* m_column = nullptr;
    QGridLayout* m_cards = nullptr;
    QList<QWidget*> m_cardWidgets;
    QBoxLayout* m_servers = nullptr;
    QBoxLayout* m_files = nullptr;
    QBoxLayout* m_bottom = nullptr;
    int m_columns = 0;
};

} // namespace lockscope::views
