// SPDX-License-Identifier: Apache-2.0
#include "source_tree.h"

#include <QLibraryInfo>
#include <QRegularExpression>
#include <QTest>
#include <map>
#include <set>

using namespace lockscope::rules;

namespace {

/// The CMake lists name, for each room, the rooms that it may include. The compiler holds to that for headers reached
/// through a room's door; this looks at what the text says, so that a link that came along transitively is no excuse.
class Rooms {
public:
    explicit Rooms(const QString& list, const QString& function, const QString& prefix) {
        QFile file(kRoot + list);
        if (!file.open(QIODevice::ReadOnly)) return;
        QString text = QString::fromUtf8(file.readAll());
        text.remove(QRegularExpression(QStringLiteral("#[^\n]*")));
        collectVariables(text);
        const QRegularExpression call(QLatin1Char('\n') + function + QStringLiteral("\\(([^)]*)\\)"));
        for (auto it = call.globalMatch(text); it.hasNext();) {
            const QStringList words = expand(it.next().captured(1));
            if (words.isEmpty() || words[0].startsWith(QLatin1Char('$'))) continue;
            std::set<QString>* links = &m_links[words[0]];
            for (const QString& word : words.mid(1)) {
                if (word == QLatin1String("PRIVATE")) links = &m_private[words[0]];
                if (word.startsWith(prefix)) links->insert(word.mid(prefix.size()));
                if (word.startsWith(QLatin1String("lockscope_"))) links->insert(word.mid(10));
            }
        }
    }
    bool has(const QString& room) const { return m_links.contains(room); }
    std::size_t count() const { return m_links.size(); }
    bool allows(const QString& room, const QString& other) const { return m_links.at(room).contains(other); }
    /// Whether the room's .cpp files may include the other one, and its headers may not.
    bool allowsInside(const QString& room, const QString& other) const {
        const auto inside = m_private.find(room);
        return inside != m_private.end() && inside->second.contains(other);
    }
    const std::map<QString, std::set<QString>>& links() const { return m_links; }
    /// Also the links for .cpp files alone.
    std::map<QString, std::set<QString>> allLinks() const {
        std::map<QString, std::set<QString>> all = m_links;
        for (const auto& [room, others] : m_private)
            all[room].insert(others.begin(), others.end());
        return all;
    }

private:
    void collectVariables(const QString& text) {
        const QRegularExpression set(QStringLiteral("\\bset\\((\\w+) ([^)]*)\\)"));
        for (auto it = set.globalMatch(text); it.hasNext();) {
            const auto match = it.next();
            m_variables[match.captured(1)] = match.captured(2);
        }
    }
    QStringList expand(QString text) const {
        for (const auto& [name, value] : m_variables)
            text.replace(QStringLiteral("${%1}").arg(name), value);
        return text.split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
    }
    std::map<QString, QString> m_variables;
    std::map<QString, std::set<QString>> m_links, m_private;
};

struct Include {
    QString where; ///< "core/sim/network.cpp:12"
    QString what;
    bool angled = false;
};

std::vector<Include> includesOf(const SourceFile& file) {
    static const QRegularExpression kInclude(QStringLiteral("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]"));
    std::vector<Include> includes;
    for (qsizetype i = 0; i < file.lines.size(); ++i) {
        const auto match = kInclude.match(file.lines[i]);
        if (!match.hasMatch() || match.captured(2).startsWith(QLatin1String("moc_")))
            continue; // generated from its own
        includes.push_back(
            {QStringLiteral("%1:%2").arg(file.path).arg(i + 1), match.captured(2), match.captured(1) == u"<"});
    }
    return includes;
}

/// The Qt module of a header, empty when it is not one of Qt's.
QString qtModule(const QString& header) {
    static const QDir kHeaders(QLibraryInfo::path(QLibraryInfo::HeadersPath));
    if (header.startsWith(QLatin1String("Qt")) && header.contains(QLatin1Char('/')))
        return header.section(QLatin1Char('/'), 0, 0);
    static const QStringList kModules = kHeaders.entryList({QStringLiteral("Qt*")}, QDir::Dirs, QDir::Name);
    for (const QString& module : kModules) {
        if (QFile::exists(kHeaders.filePath(module + QLatin1Char('/') + header))) return module;
    }
    return {};
}

/// The public headers in core/include, as a list of links names them.
const QString kPublic = QStringLiteral("public");

/// "core/ports/redis/port.h" → "ports"
QString roomOf(const QString& path) {
    return path.section(QLatin1Char('/'), 1, 1);
}

} // namespace

class tst_import_rules : public QObject {
    Q_OBJECT
    const Rooms m_core{QStringLiteral("core/CMakeLists.txt"), QStringLiteral("core_room"),
                       QStringLiteral("lockscope_")};
    const Rooms m_views{QStringLiteral("views/CMakeLists.txt"), QStringLiteral("view_room"),
                        QStringLiteral("lockscope_views_")};

    /// A sentence for each link of a room to one of which no file of it includes anything.
    QStringList linkedInVain(const QString& folder, const Rooms& rooms) const {
        std::map<QString, std::set<QString>> included;
        for (const SourceFile& file : filesBelow({folder}, {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            for (const Include& include : includesOf(file)) {
                const QString other = include.what.section(QLatin1Char('/'), 0, 0);
                if (!include.angled) included[roomOf(file.path)].insert(other);
                if (include.angled && other == u"lockscope") included[roomOf(file.path)].insert(kPublic);
            }
        }
        QStringList vain;
        for (const auto& [room, links] : rooms.allLinks()) {
            for (const QString& link : links) {
                const bool isRoom = rooms.has(link) || m_core.has(link) || link == kPublic; // else: texts
                if (isRoom && (link == room || !included[room].contains(link)))
                    vain += QStringLiteral("%1/%2 links %3 and includes nothing of it").arg(folder, room, link);
            }
        }
        return vain;
    }

private Q_SLOTS:
    void theListsAreUnderstood() {
        QVERIFY(m_core.count() >= 10);
        QVERIFY(m_views.count() >= 10);
        QVERIFY(m_core.allows(QStringLiteral("recipes"), QStringLiteral("ports")));
        QVERIFY(m_core.allowsInside(QStringLiteral("client"), QStringLiteral("drivers")));
        QVERIFY(!m_core.allows(QStringLiteral("client"), QStringLiteral("drivers")));
        QVERIFY(m_views.allows(QStringLiteral("timeline"), QStringLiteral("models")));
        QVERIFY(m_views.allows(QStringLiteral("timeline"), QStringLiteral("trace")));
        QCOMPARE(qtModule(QStringLiteral("QWidget")), QStringLiteral("QtWidgets"));
        QCOMPARE(qtModule(QStringLiteral("QtGui/QImage")), QStringLiteral("QtGui"));
        QCOMPARE(qtModule(QStringLiteral("vector")), QString());
    }

    void roomsOfCoreIncludeOnlyWhatTheyLink() {
        QStringList wrong;
        for (const SourceFile& file :
             filesBelow({QStringLiteral("core")}, {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            if (file.path.count(QLatin1Char('/')) < 2) continue; // the precompiled header
            const QString room = roomOf(file.path);
            if (room == QLatin1String("cmake") || room == QLatin1String("include")) continue; // no rooms
            if (!m_core.has(room)) wrong += file.path + QStringLiteral(" is in a folder that no list names");
            for (const Include& include : includesOf(file)) {
                QString other = include.what.section(QLatin1Char('/'), 0, 0);
                const bool isPublic = include.angled && other == u"lockscope";
                if (isPublic) other = kPublic;
                if ((include.angled && !isPublic) || !m_core.has(room) || other == room) continue;
                const bool inside = file.path.endsWith(QLatin1String(".cpp")) && m_core.allowsInside(room, other);
                if (!(m_core.has(other) || isPublic) || !(m_core.allows(room, other) || inside))
                    wrong += include.where + QStringLiteral(" includes ") + include.what;
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    /// ARCHITECTURE.md lists the rooms so that each stands below those that it uses: there is no circle.
    void roomsOfCoreLinkOnlyRoomsAboveThem() {
        QFile page(kRoot + QStringLiteral("ARCHITECTURE.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(page.readAll());
        static const QRegularExpression kRow(QStringLiteral("\n\\| `core/(\\w+)"));
        std::map<QString, int> place;
        for (auto it = kRow.globalMatch(text); it.hasNext();)
            place.emplace(it.next().captured(1), int(place.size()));
        QStringList wrong;
        for (const auto& [room, links] : m_core.links()) {
            if (!place.contains(room)) wrong += room + QStringLiteral(" is not in ARCHITECTURE.md");
            for (const auto& [other, its] : m_core.links()) {
                const bool linked = m_core.allows(room, other) || m_core.allowsInside(room, other);
                if (linked && place[other] >= place[room]) wrong += room + QStringLiteral(" links ") + other;
            }
        }
        QCOMPARE(place.size(), m_core.count());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void roomsOfViewsIncludeOnlyWhatTheyLink() {
        QStringList wrong;
        for (const SourceFile& file :
             filesBelow({QStringLiteral("views")}, {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            if (file.path.count(QLatin1Char('/')) < 2) continue;
            const QString room = roomOf(file.path);
            if (!m_views.has(room)) wrong += file.path + QStringLiteral(" is in a folder that no list names");
            for (const Include& include : includesOf(file)) {
                const QString other = include.what.section(QLatin1Char('/'), 0, 0);
                if (include.angled || !m_views.has(room) || other == room) continue;
                // "verdict" is a room of core and one of views; either link will do for the name.
                if (!m_views.allows(room, other)) wrong += include.where + QStringLiteral(" includes ") + include.what;
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    /// A list that names more rooms than a room includes says nothing.
    void roomsLinkOnlyWhatTheyInclude() {
        QStringList wrong = linkedInVain(QStringLiteral("core"), m_core);
        wrong += linkedInVain(QStringLiteral("views"), m_views);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void coreKnowsNoScreen() {
        const QSet<QString> allowed{QStringLiteral("QtCore"), QStringLiteral("QtNetwork"), QStringLiteral("QtSql")};
        QStringList wrong;
        int qtHeaders = 0;
        for (const SourceFile& file :
             filesBelow({QStringLiteral("core")}, {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            for (const Include& include : includesOf(file)) {
                const QString module = include.angled ? qtModule(include.what) : QString();
                qtHeaders += module.isEmpty() ? 0 : 1;
                if (!module.isEmpty() && !allowed.contains(module)) {
                    wrong +=
                        include.where + QStringLiteral(" includes ") + include.what + QStringLiteral(" of ") + module;
                }
            }
        }
        QVERIFY(qtHeaders > 50);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void nobodyClimbsOutOfItsFolder() {
        QStringList wrong;
        for (const SourceFile& file : cppFiles()) {
            for (const Include& include : includesOf(file)) {
                if (include.what.contains(QLatin1String("..")))
                    wrong += include.where + QStringLiteral(" includes ") + include.what;
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void noLibraryIncludesTheProgram() {
        const QStringList rooms = QDir(kRoot + QStringLiteral("app")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(rooms.contains(QStringLiteral("cli")));
        QStringList wrong;
        for (const SourceFile& file : filesBelow({QStringLiteral("core"), QStringLiteral("views")},
                                                 {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            for (const Include& include : includesOf(file)) {
                if (!include.angled && rooms.contains(include.what.section(QLatin1Char('/'), 0, 0))) {
                    wrong += include.where + QStringLiteral(" includes ") + include.what;
                }
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_APPLESS_MAIN(tst_import_rules)
#include "tst_import_rules.moc"
