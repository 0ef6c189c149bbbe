// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/settings.h"

#include "ports/url_login.h"

#include <QFileInfo>
#include <QUrl>
#include <utility>

namespace lockscope::app {
namespace {

const QString kTheme = QStringLiteral("look/theme");
const QString kLanguage = QStringLiteral("look/language");
const QString kLayout = QStringLiteral("window/layout");
const QString kRect = QStringLiteral("window/rect");
const QString kMaximized = QStringLiteral("window/maximized");
const QString kTables = QStringLiteral("window/tables/");
const QString kLessons = QStringLiteral("lessons/");
const QString kAlerts = QStringLiteral("alerts/");
const QString kNotify = QStringLiteral("alerts-on-desktop");
const QString kTextScale = QStringLiteral("look/text-scale");
const QString kFiles = QStringLiteral("recent/files");
const QString kSaved = QStringLiteral("connections");
const QString kClientRules = QStringLiteral("same-client");
const QString kConnections = QStringLiteral("recent/connections");

constexpr std::array kThemeIds{"system", "light", "dark"};

QString dockKey(Layout layout) {
    return QStringLiteral("window/state-v%1/%2").arg(QString::number(Settings::stateVersion(layout)), layoutId(layout));
}

/// A group of its own for each connection; an address has slashes, which would be groups in it.
QString alertsKey(const QString& connection, const char* part) {
    return kAlerts + QString::fromLatin1(QUrl::toPercentEncoding(connection)) + QLatin1Char('/') + QLatin1String(part);
}

} // namespace

QString layoutId(Layout layout) {
    switch (layout) {
    case Layout::Teach:
        return QStringLiteral("teach");
    case Layout::Monitor:
        return QStringLiteral("monitor");
    case Layout::Break:
        return QStringLiteral("break");
    case Layout::Lesson:
        return QStringLiteral("lesson");
    case Layout::Task:
        return QStringLiteral("task");
    case Layout::Plain:
        return QStringLiteral("plain");
    }
    return {};
}

Settings::Settings(QObject* parent) : QObject(parent) {
    forgetPasswords();
}

Settings::Settings(const QString& iniFile, QObject* parent) : QObject(parent), m_store(iniFile, QSettings::IniFormat) {
    forgetPasswords();
}

/// Removes the passwords that an earlier version kept.
void Settings::forgetPasswords() {
    const QStringList kept = m_store.value(kConnections).toStringList();
    QStringList clean;
    for (const QString& url : kept)
        clean += withoutPassword(url);
    clean.removeDuplicates();
    if (clean != kept) m_store.setValue(kConnections, clean);
}

bool Settings::store(const QString& key, const QVariant& value) {
    if (m_store.contains(key) && m_store.value(key) == value) return false;
    m_store.setValue(key, value);
    return true;
}

views::ThemeChoice Settings::theme() const {
    if (m_themeForNow) return *m_themeForNow;
    const QString id = m_store.value(kTheme).toString();
    for (std::size_t i = 0; i < kThemeIds.size(); ++i)
        if (id == QLatin1String(kThemeIds[i])) return views::ThemeChoice(i);
    return views::ThemeChoice::System;
}

void Settings::setTheme(views::ThemeChoice choice) {
    const bool other = std::exchange(m_themeForNow, std::nullopt).value_or(choice) != choice;
    if (store(kTheme, QString::fromLatin1(kThemeIds[std::size_t(choice)])) || other) Q_EMIT themeChanged(choice);
}

QString Settings::language() const {
    return m_languageForNow.value_or(m_store.value(kLanguage).toString());
}

void Settings::setLanguage(const QString& language) {
    const bool other = language != this->language();
    m_languageForNow.reset();
    if (language != this->language()) m_store.setValue(kLanguage, language);
    if (other) Q_EMIT languageChanged(language);
}

Layout Settings::layout() const {
    const QString id = m_store.value(kLayout).toString();
    for (Layout layout : kLayouts)
        if (layoutId(layout) == id) return layout;
    return Layout::Teach;
}

void Settings::setLayout(Layout layout) {
    store(kLayout, layoutId(layout));
}
WindowPlace Settings::place() const {
    using Size = WindowPlace::Size;
    return {m_store.value(kRect).toRect(), m_store.value(kMaximized).toBool() ? Size::Maximized : Size::Normal};
}
void Settings::setPlace(const WindowPlace& place) {
    store(kRect, place.rect);
    store(kMaximized, place.size == WindowPlace::Size::Maximized);
}
QByteArray Settings::dockState(Layout layout) const {
    return m_store.value(dockKey(layout)).toByteArray();
}

void Settings::setDockState(Layout layout, const QByteArray& state) {
    if (state.isEmpty())
        m_store.remove(dockKey(layout));
    else
        store(dockKey(layout), state);
}

QByteArray Settings::table(const QString& name) const {
    return m_store.value(kTables + name).toByteArray();
}

void Settings::setTable(const QString& name, const QByteArray& state) {
    store(kTables + name, state);
}

KeptLesson Settings::lesson(const QString& id) const {
    KeptLesson kept;
    kept.step = std::max(0, m_store.value(kLessons + id + QStringLiteral("/step")).toInt());
    kept.done = m_store.value(kLessons + id + QStringLiteral("/done")).toBool();
    // An older version kept only that the lesson was done.
    kept.solved = m_store.value(kLessons + id + QStringLiteral("/solved"), kept.done).toBool();
    for (const QString& bet : m_store.value(kLessons + id + QStringLiteral("/bets")).toStringList())
        kept.bets[bet.section(u':', 0, 0).toInt()] = bet.section(u':', 1).toInt();
    if (const QVariant old = m_store.value(kLessons + id + QStringLiteral("/old")); old.isValid())
        kept.old = old.toBool();
    return kept;
}

void Settings::setLesson(const QString& id, const KeptLesson& lesson) {
    store(kLessons + id + QStringLiteral("/step"), lesson.step);
    store(kLessons + id + QStringLiteral("/done"), lesson.done);
    store(kLessons + id + QStringLiteral("/solved"), lesson.solved);
    QStringList bets;
    for (const auto& [step, choice] : lesson.bets)
        bets += QStringLiteral("%1:%2").arg(step).arg(choice);
    store(kLessons + id + QStringLiteral("/bets"), bets);
    const QString old = kLessons + id + QStringLiteral("/old");
    if (lesson.old)
        store(old, *lesson.old);
    else
        m_store.remove(old);
}

int Settings::oldBets() const {
    return m_store.value(kLessons + QStringLiteral("old-bets")).toInt();
}

void Settings::setOldBets(int asked) {
    store(kLessons + QStringLiteral("old-bets"), asked);
}

KeptAlerts Settings::alerts(const QString& connection) const {
    KeptAlerts kept;
    const QString rules = alertsKey(connection, "rules");
    if (m_store.contains(rules)) kept.rules = m_store.value(rules).toStringList();
    kept.mutes = m_store.value(alertsKey(connection, "mutes")).toStringList();
    return kept;
}

void Settings::setAlerts(const QString& connection, const KeptAlerts& alerts) {
    if (alerts.rules)
        store(alertsKey(connection, "rules"), *alerts.rules);
    else
        m_store.remove(alertsKey(connection, "rules"));
    store(alertsKey(connection, "mutes"), alerts.mutes);
}

bool Settings::notifiesOfAlerts() const {
    return m_store.value(kNotify, true).toBool();
}

void Settings::setNotifiesOfAlerts(bool on) {
    store(kNotify, on);
}

double Settings::textScale() const {
    return std::clamp(m_store.value(kTextScale, 1.0).toDouble(), kLeastTextScale, kLargestTextScale);
}

void Settings::setTextScale(double scale) {
    store(kTextScale, std::clamp(scale, kLeastTextScale, kLargestTextScale));
}

void Settings::prepend(const QString& key, const QString& entry) {
    QStringList entries = m_store.value(key).toStringList();
    if (!entries.isEmpty() && entries.first() == entry) return;
    entries.removeAll(entry);
    entries.prepend(entry);
    while (entries.size() > kMostRecent)
        entries.removeLast();
    m_store.setValue(key, entries);
    Q_EMIT recentChanged();
}

void Settings::drop(const QString& key, const QString& entry) {
    QStringList entries = m_store.value(key).toStringList();
    if (entries.removeAll(entry) == 0) return;
    m_store.setValue(key, entries);
    Q_EMIT recentChanged();
}

QStringList Settings::recentFiles() const {
    return m_store.value(kFiles).toStringList();
}
void Settings::addRecentFile(const QString& path) {
    prepend(kFiles, QFileInfo(path).absoluteFilePath());
}
void Settings::removeRecentFile(const QString& path) {
    drop(kFiles, path);
}
QList<views::ConnectDialog::Saved> Settings::savedConnections() const {
    QList<views::ConnectDialog::Saved> saved;
    for (const QString& line : m_store.value(kSaved).toStringList()) {
        const QStringList parts = line.split(QLatin1Char('\n'));
        if (parts.size() == 3) saved.append({parts[0], parts[1], parts[2] == QLatin1String("changes")});
    }
    return saved;
}

void Settings::saveConnection(const views::ConnectDialog::Saved& connection) {
    QList<views::ConnectDialog::Saved> all = savedConnections();
    all.removeIf([&](const views::ConnectDialog::Saved& each) { return each.name == connection.name; });
    all.append({connection.name, withoutPassword(connection.url), connection.changes});
    std::ranges::sort(all, {}, &views::ConnectDialog::Saved::name);
    keepConnections(all);
}

void Settings::forgetConnection(const QString& name) {
    QList<views::ConnectDialog::Saved> all = savedConnections();
    if (all.removeIf([&](const views::ConnectDialog::Saved& each) { return each.name == name; }) > 0)
        keepConnections(all);
}

void Settings::keepConnections(const QList<views::ConnectDialog::Saved>& all) {
    QStringList lines;
    for (const views::ConnectDialog::Saved& one : all)
        lines +=
            QStringList{one.name, one.url, one.changes ? QStringLiteral("changes") : QString()}.join(QLatin1Char('\n'));
    if (store(kSaved, lines)) Q_EMIT recentChanged();
}

std::vector<inspect::ClientRule> Settings::clientRules() const {
    if (!m_store.contains(kClientRules)) return inspect::usualClientRules();
    std::vector<inspect::ClientRule> rules;
    for (const QString& text : m_store.value(kClientRules).toStringList())
        if (const auto rule = inspect::parseClientRule(text))
            rules.push_back(*rule); // one of a later version says nothing
    return rules;
}

void Settings::setClientRules(const std::vector<inspect::ClientRule>& rules) {
    QStringList texts;
    for (const inspect::ClientRule& rule : rules)
        texts << rule.text;
    store(kClientRules, texts);
}

QStringList Settings::recentConnections() const {
    return m_store.value(kConnections).toStringList();
}
void Settings::addRecentConnection(const QString& url) {
    prepend(kConnections, withoutPassword(url));
}

} // namespace lockscope::app
