// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/welcome_page.h"

#include "scenario/scenario_file.h"
#include "scenario/scenario_source.h"
#include "scenario/user_files.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "welcome/chapter_words.h"
#include "welcome/scenario_card.h"
#include "welcome/url_field.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QGridLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

namespace lockscope::views {
namespace {

constexpr int kColumnWidth = 1080;
constexpr qsizetype kShownRecent = 5, kShownSaved = 8;
constexpr const char* kOpeningLesson = "contention";

/// A line of a list that can be pressed: an icon, a name, and where it is in grey.
class RecentRow : public QAbstractButton {
public:
    RecentRow(const char* iconName, const QString& name, const QString& where) : m_icon(iconName), m_where(where) {
        setText(name);
        setAccessibleName(name);
        setAccessibleDescription(where);
        setToolTip(where);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override { return {240, 32}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        if (underMouse() || hasFocus()) {
            painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5) : QPen(Qt::NoPen));
            painter.setBrush(color(Role::SurfaceHover));
            painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
        }
        paintIcon(painter, QRectF(8, 8, 16, 16), m_icon, Role::TextDim);
        QRect room = rect().adjusted(34, 0, -8, 0);
        painter.setPen(color(Role::Text));
        const QString name = painter.fontMetrics().elidedText(text(), Qt::ElideMiddle, room.width());
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, name);
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(name) + 12);
        if (room.width() < 60 || m_where == text()) return;
        painter.setFont(uiFont(-1));
        painter.setPen(color(Role::TextFaint));
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_where, Qt::ElideMiddle, room.width()));
    }

private:
    const char* m_icon;
    QString m_where;
};

struct Words {
    QString title, summary;
    QString inAll; ///< both in every language
    QString chapter, source;
};

/// Only the words: checking a whole scenario against its schema takes longer than showing the window. The file is ours,
/// and it is checked when it is played, as a person's own are.
Words wordsOf(const QString& path, const QString& id, const QString& language) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {id, {}, {}, {}, {}};
    const QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object();
    const auto text = [&](const char* key) {
        const QJsonValue value = scenario[QLatin1String(key)];
        const QJsonObject texts = value.toObject();
        if (value.isString()) return value.toString();
        return texts.contains(language) ? texts[language].toString() : texts[QLatin1String("en")].toString();
    };
    QStringList all;
    for (const char* key : {"title", "summary"})
        for (const QJsonValue texts = scenario[QLatin1String(key)]; const QJsonValue& one : texts.toObject())
            all += one.toString();
    return {text("title"), text("summary"), all.join(u' '), scenario[u"chapter"].toString(),
            scenario::sourceNames(scenario[u"source"].toString())};
}

void clearLayout(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

} // namespace

QString WelcomePage::scenarioLanguage() {
    //: The language code of this translation, e.g. zh_CN. Leave as en for English.
    return QCoreApplication::translate("Language", "en");
}

WelcomePage::WelcomePage(QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Welcome"));

    auto* content = new QWidget;
    auto* outer = new QHBoxLayout(content);
    outer->setContentsMargins(4 * kGrid, 5 * kGrid, 4 * kGrid, 4 * kGrid);
    auto* middle = new QWidget;
    middle->setMaximumWidth(kColumnWidth);
    outer->addStretch(1);
    outer->addWidget(middle, 1000);
    outer->addStretch(1);

    m_column = new QVBoxLayout(middle);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(2 * kGrid);
    m_column->addWidget(makeHero());
    m_column->addStretch(1);
    setWidget(content);
}

const QList<WelcomePage::Offer>& WelcomePage::offers() {
    if (!m_offers.isEmpty()) return m_offers;
    const QString language = scenarioLanguage();
    for (const QString& id : scenario::builtinScenarios()) {
        Words words = wordsOf(QStringLiteral(":/scenarios/%1.json").arg(id), id, language);
        m_offers << Offer{id, words.title, words.summary, false, words.inAll, words.chapter, words.source};
    }
    using scenario::Shelf;
    for (const QString& name : scenario::userFiles(Shelf::Scenarios)) {
        const QString path = scenario::userFile(Shelf::Scenarios, name);
        const Words words = wordsOf(path, name, language);
        // A name that a built-in one has, too, means that one: such a file goes by its path.
        const QString id = scenario::builtinScenarios().contains(name) ? path : name;
        m_offers << Offer{id,
                          tr("Your own: %1").arg(words.title.isEmpty() ? name : words.title),
                          words.summary,
                          true,
                          words.inAll,
                          {},
                          words.source};
    }
    return m_offers;
}

void WelcomePage::finish() {
    m_finished = true;
    auto* rest = new QWidget;
    auto* column = new QVBoxLayout(rest);
    column->setContentsMargins(0, 2 * kGrid, 0, 0);
    column->setSpacing(2 * kGrid);
    m_bottom = new QBoxLayout(QBoxLayout::LeftToRight);
    m_bottom->setSpacing(4 * kGrid);
    m_bottom->addWidget(makeServers(), 1);
    m_bottom->addWidget(makeFiles(), 1);
    column->addLayout(m_bottom);
    column->addSpacing(kGrid);
    m_shelves = new QVBoxLayout;
    m_shelves->setSpacing(4 * kGrid);
    column->addLayout(m_shelves);
    makeCards();
    fillRecent();
    m_column->insertWidget(1, rest);
}

bool WelcomePage::eventFilter(QObject* watched, QEvent* event) {
    // The part as a whole, as a button in it may be out of sight. The base class watches the contents by this way, too.
    if (watched == m_hero && event->type() == QEvent::Paint) {
        m_hero->removeEventFilter(this);
        QTimer::singleShot(0, this, &WelcomePage::finish);
    }
    return QScrollArea::eventFilter(watched, event);
}

QWidget* WelcomePage::makeHero() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4 * kGrid);
    auto* words = new QVBoxLayout;
    words->setSpacing(kGrid / 2);
    auto* name = new Paragraph(tr("See what a distributed lock really does"));
    name->setFont(uiFont(11, QFont::DemiBold));
    name->setRole(Role::Text);
    auto* sentence = new Paragraph(tr("Who holds it, who waits, what time is left, and what happens when something "
                                      "breaks: on a time axis, in a simulator or on your own servers."));
    words->addWidget(name);
    words->addWidget(sentence);
    words->addSpacing(2 * kGrid);
    m_lesson = new QPushButton(icon("play", Role::TextOnColor), tr("Watch a lock change hands"));
    m_lesson->setObjectName(QStringLiteral("welcome.lesson"));
    m_lesson->setIconSize({20, 20});
    m_lesson->setMinimumSize(m_lesson->sizeHint().width() + 2 * kGrid, 48); // larger than any other, with air around
    QPalette onAccent = m_lesson->palette();
    onAccent.setColor(QPalette::ButtonText, color(Role::TextOnColor));
    m_lesson->setPalette(onAccent);
    m_lesson->setCursor(Qt::PointingHandCursor);
    makePrimary(m_lesson);
    m_hero = box;
    m_hero->installEventFilter(this); // once it is painted, the rest follows
    connect(m_lesson, &QPushButton::clicked, this,
            [this] { Q_EMIT scenarioChosen(QString::fromLatin1(kOpeningLesson)); });
    auto* lessons = new QPushButton(tr("Lessons"));
    lessons->setObjectName(QStringLiteral("welcome.lessons"));
    lessons->setMinimumSize(lessons->sizeHint().width() + 2 * kGrid, 48);
    lessons->setCursor(Qt::PointingHandCursor);
    lessons->setToolTip(tr("A course: bet on what happens to a lock, and watch"));
    connect(lessons, &QPushButton::clicked, this, &WelcomePage::lessonsRequested);
    auto* action = new QHBoxLayout;
    action->setSpacing(2 * kGrid);
    action->addWidget(m_lesson);
    action->addWidget(lessons);
    auto* note =
        new Paragraph(tr("Four clients, one lock, one simulated Redis: pause the holder and see. New to locks? "
                         "Take the lessons: they start from nothing."));
    action->addWidget(note, 1);
    words->addLayout(action);
    row->addLayout(words, 1);
    return box;
}

QWidget* WelcomePage::makeServers() {
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(new SectionCaption(tr("Look at a running server")));
    auto* row = new QHBoxLayout;
    m_url = new UrlField;
    m_url->setPlaceholderText(QStringLiteral("redis://127.0.0.1:6379"));
    m_url->setAccessibleName(tr("Address of the server"));
    auto* button = new QPushButton(icon("connect"), tr("Connect…"));
    row->addWidget(m_url, 1);
    row->addWidget(button);
    layout->addLayout(row);
    const auto go = [this] { Q_EMIT connectRequested(m_url->text().trimmed()); };
    connect(button, &QPushButton::clicked, this, go);
    connect(m_url, &QLineEdit::returnPressed, this, go);
    m_servers = new QVBoxLayout;
    m_servers->setSpacing(0);
    layout->addLayout(m_servers);
    layout->addStretch(1);
    return box;
}

QWidget* WelcomePage::makeFiles() {
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(new SectionCaption(tr("Recordings and scenario files")));
    auto* row = new QHBoxLayout;
    auto* hint = new DimLabel(tr("Drop a file here, or choose one."));
    auto* button = new QPushButton(icon("open"), tr("Open…"));
    row->addWidget(hint, 1);
    row->addWidget(button);
    layout->addLayout(row);
    connect(button, &QPushButton::clicked, this, &WelcomePage::openRequested);
    m_files = new QVBoxLayout;
    m_files->setSpacing(0);
    layout->addLayout(m_files);
    layout->addStretch(1);
    return box;
}

void WelcomePage::makeCards() {
    QString chapter;
    for (const Offer& offer : offers()) {
        // A person's own scenarios are the last, whatever chapters they name.
        const QString name = offer.own ? tr("Your own scenarios") : chapterWords(offer.chapter);
        if (m_chapters.isEmpty() || name != chapter) {
            chapter = name;
            addShelf(name);
        }
        auto* card = new ScenarioCard(offer.id, offer.title, offer.summary, offer.source);
        connect(card, &QAbstractButton::clicked, this, [this, id = offer.id] { Q_EMIT scenarioChosen(id); });
        m_chapters.last().cards << card;
    }
    arrangeCards();
}

void WelcomePage::addShelf(const QString& name) {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2 * kGrid);
    auto* caption = new SectionCaption(name);
    if (m_chapters.isEmpty()) caption->setHint(tr("all scenarios run in the built-in simulator: no server needed"));
    column->addWidget(caption);
    auto* grid = new QGridLayout;
    grid->setSpacing(2 * kGrid);
    column->addLayout(grid);
    m_shelves->addWidget(box);
    m_chapters << Shelf{box, grid, {}};
}

void WelcomePage::refreshOffers() {
    m_offers.clear();
    if (!m_finished) return;
    for (const Shelf& shelf : m_chapters)
        delete shelf.box;
    m_chapters.clear();
    m_columns = 0;
    makeCards();
}

void WelcomePage::arrangeCards() {
    const int room = std::min(viewport()->width() - 8 * kGrid, kColumnWidth);
    const int columns = room < 520 ? 1 : room < 820 ? 2 : 3;
    m_bottom->setDirection(columns == 1 ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    if (columns == m_columns) return;
    m_columns = columns;
    for (const Shelf& shelf : m_chapters) {
        for (QWidget* card : shelf.cards)
            shelf.grid->removeWidget(card);
        for (int column = 0; column < 3; ++column)
            shelf.grid->setColumnStretch(column, column < columns ? 1 : 0);
        for (qsizetype i = 0; i < shelf.cards.size(); ++i)
            shelf.grid->addWidget(shelf.cards[i], int(i) / columns, int(i) % columns);
    }
}

void WelcomePage::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    if (m_finished) arrangeCards();
}

void WelcomePage::fill(QBoxLayout* list, const QList<Entry>& entries, const QString& nothing,
                       void (WelcomePage::*choose)(QString)) {
    clearLayout(list);
    if (entries.isEmpty()) {
        auto* hint = new DimLabel(nothing);
        hint->setRole(Role::TextFaint);
        hint->setWordWrap(true);
        list->addWidget(hint);
    }
    for (const Entry& entry : entries) {
        auto* row = new RecentRow(entry.icon, entry.name, entry.where);
        connect(row, &QAbstractButton::clicked, this, [this, choose, what = entry.chosen] { (this->*choose)(what); });
        list->addWidget(row);
    }
}

void WelcomePage::setRecent(const QStringList& files, const QStringList& connections) {
    m_recentFiles = files;
    m_recentConnections = connections;
    if (m_finished) fillRecent();
}

void WelcomePage::setSaved(const QList<ConnectDialog::Saved>& connections) {
    m_saved = connections;
    if (m_finished) fillRecent();
}

void WelcomePage::fillRecent() {
    QList<Entry> servers, files;
    for (const ConnectDialog::Saved& one : m_saved.first(std::min(m_saved.size(), kShownSaved)))
        servers += {"connect", one.name, one.url, one.url};
    for (const QString& url : std::as_const(m_recentConnections)) {
        if (servers.size() >= std::max(kShownRecent, std::min(m_saved.size(), kShownSaved))) break;
        const bool named = std::ranges::find(m_saved, url, &ConnectDialog::Saved::url) != m_saved.end();
        if (!named) servers += {"server", url, url, url};
    }
    for (const QString& path : m_recentFiles.first(std::min(m_recentFiles.size(), kShownRecent))) {
        const QFileInfo file(path);
        files += {path.endsWith(QLatin1String(".json")) ? "scenario" : "recording", file.fileName(),
                  file.absolutePath(), path};
    }
    fill(m_servers, servers,
         tr("Servers that you connect to will be listed here, without passwords. Nothing is changed on them unless you "
            "allow it."),
         &WelcomePage::connectRequested);
    fill(m_files, files, tr("Files that you open or save will be listed here."), &WelcomePage::fileChosen);
}

} // namespace lockscope::views
