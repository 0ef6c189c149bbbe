// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/language.h"

#include "recipes/translate_recipes.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <memory>
#include <vector>

namespace lockscope::app {

QStringList languages() {
    return {QStringLiteral("en"), QStringLiteral("zh_CN")};
}

QString languageName(const QString& language) {
    // In its own language, so that who is lost in the wrong one finds the way back: not to be translated.
    return language == QLatin1String("zh_CN") ? QStringLiteral("简体中文") : QStringLiteral("English");
}

QString resolvedLanguage(const QString& wanted) {
    if (languages().contains(wanted)) return wanted;
    for (const QString& name : QLocale::system().uiLanguages())
        if (name.startsWith(QLatin1String("zh")))
            return QStringLiteral("zh_CN");
        else if (name.startsWith(QLatin1String("en")))
            break;
    return QStringLiteral("en");
}

void speak(const QString& language) {
    static std::vector<std::unique_ptr<QTranslator>> installed;
    for (const auto& translator : installed)
        QCoreApplication::removeTranslator(translator.get());
    installed.clear();
    const auto install = [](const QString& file, const QString& folder) {
        auto translator = std::make_unique<QTranslator>();
        if (!translator->load(file, folder)) return;
        QCoreApplication::installTranslator(translator.get());
        installed.push_back(std::move(translator));
    };
    if (language != QLatin1String("en"))
        install(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(QStringLiteral("lockscope_") + language, QStringLiteral(":/translations"));
    QLocale::setDefault(QLocale(language));
    recipes::translateRecipes();
}

} // namespace lockscope::app
