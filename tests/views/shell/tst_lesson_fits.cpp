// SPDX-License-Identifier: GPL-3.0-or-later
// Each step of each lesson on a projector and on a small screen: the three truths, why, and the words stand whole, and
// nobody has to scroll.
#include "lesson/lesson_file.h"
#include "lessons/choice_button.h"
#include "lessons/key_row.h"
#include "lessons/lesson_panel.h"
#include "theme/widgets.h"
#include "timeline/paint_kit.h"
#include "timeline/scene.h"
#include "timeline/timeline_view.h"
#include "timeline/zoom.h"
#include "transport/verdict_banner.h"
#include "transport/why_line.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <set>

using namespace lockscope;
using tests::WindowScene;
using views::LaneKind;
using views::LessonGuide;

namespace {

/// With more clients than that nobody expects each to have a lane in sight.
constexpr int kFewClients = 8;

struct Class : WindowScene {
    QStringList wrong;
    QString where;

    LessonGuide& guide() const { return *window->lessons()->guide(); }
    views::LessonPanel& panel() const { return *window->lessons()->panel(); }
    void complain(const QString& what) { wrong += QStringLiteral("%1: %2").arg(where, what); }

    /// Parts come to rest over some turns of the event loop: looks again until all is whole, or for as long.
    void look() {
        // Lanes come with the rows, which another thread folds in: only then the room can be divided.
        const auto* const view = window->findChild<views::TimelineView*>();
        const auto drawn = [&] { return view->loader()->rows() >= context()->trace()->size(); };
        if (!QTest::qWaitFor(drawn, 20'000)) complain(QStringLiteral("lanes are missing"));
        QStringList found;
        const auto whole = [&] { return (found = cutNow()).isEmpty(); };
        (void)QTest::qWaitFor(whole, 1500);
        for (const QString& one : found)
            complain(one);
    }

private:
    QStringList cutNow() const { return cutLanes() + cutNotes() + cutWords() + cutWhy() + wordsOnWords(); }

    QStringList wordsOnWords() const;

    /// Right of where the step has stopped there is room for how its lanes stand.
    QStringList cutNotes() const {
        const auto* const view = window->findChild<views::TimelineView*>();
        const auto& [from, to] = std::pair{view->zoom()->from(), view->zoom()->to()};
        const double playhead = double(context()->playhead().count() - from) / double(to - from);
        constexpr double kLeast = 0.15; // of the whole width: "holds #2"
        if (!context()->spotlight() || playhead <= 0 || playhead > 1 || 1 - playhead >= kLeast) return {};
        return {QStringLiteral("no room for notes: the playhead stands at %1").arg(playhead)};
    }

    QStringList cutLanes() const {
        QStringList cut;
        const auto* const view = window->findChild<views::TimelineView*>();
        const auto& rows = view->layoutOfLanes().rows();
        const auto beliefs =
            std::ranges::count_if(rows, [](const auto& row) { return row.lane->kind == LaneKind::Belief; });
        std::set<LaneKind> there, litKinds, below;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const LaneKind kind = rows[i].lane->kind;
            const auto& spotlight = context()->spotlight();
            const bool lit =
                spotlight && std::ranges::find(spotlight->lanes, rows[i].lane->entity) != spotlight->lanes.end();
            if (lit) litKinds.insert(kind);
            if (kind == LaneKind::Copy || kind == LaneKind::Node) below.insert(kind);
            const bool truth = kind == LaneKind::Record || kind == LaneKind::Effect ||
                               (kind == LaneKind::Belief && beliefs <= kFewClients);
            if (!truth && !(lit && beliefs <= kFewClients)) continue;
            there.insert(kind);
            const QRect place = view->rowRect(int(i));
            constexpr int kLine = 2; // between lanes
            if (place.top() < 0 || place.bottom() >= view->viewport()->height() + kLine)
                cut += QStringLiteral("lane %1 at %2..%3 of %4")
                           .arg(view->rowWords(int(i)))
                           .arg(place.top())
                           .arg(place.bottom())
                           .arg(view->viewport()->height());
        }
        // Half a lane at the lower edge, of servers that nobody speaks of, only draws the eye.
        for (const LaneKind kind : below)
            if (window->presenter()->isOn() && context()->spotlight() && !litKinds.contains(kind))
                cut += QStringLiteral("lanes of kind %1, though none is lit").arg(int(kind));
        for (const LaneKind kind : {LaneKind::Record, LaneKind::Effect})
            if (!there.contains(kind)) cut += QStringLiteral("no lane of kind %1").arg(int(kind));
        return cut;
    }

    QStringList cutWords() const {
        QStringList cut;
        const auto* const area = panel().findChild<QScrollArea*>();
        for (const QWidget* part : area->widget()->findChildren<QWidget*>()) {
            const QRect place(part->mapTo(area->viewport(), QPoint()), part->size());
            constexpr int kAbove = 4; // a line's room above its letters
            if (part->isVisible() && !area->viewport()->rect().adjusted(0, -kAbove, 0, 0).contains(place))
                cut += QStringLiteral("%1 needs scrolling: %2..%3 of %4")
                           .arg(part->accessibleName().isEmpty() ? part->objectName() : part->accessibleName())
                           .arg(place.top())
                           .arg(place.bottom())
                           .arg(area->viewport()->height());
        }
        for (const QLabel* label : panel().findChildren<QLabel*>()) {
            if (!label->isVisible() || label->text().isEmpty()) continue;
            const int needed = label->hasHeightForWidth() ? label->heightForWidth(label->width()) : 0;
            if (label->height() < needed || (!label->wordWrap() && label->width() < label->sizeHint().width()))
                cut += QStringLiteral("cut: %1").arg(label->text());
        }
        for (const QAbstractButton* button : panel().findChildren<QAbstractButton*>())
            if (button->isVisible() && button->width() < button->minimumSizeHint().width())
                cut += QStringLiteral("cut button: %1").arg(button->text());
        for (const auto* key : window->findChildren<views::KeyButton*>()) {
            if (key->isVisible() != window->presenter()->isOn()) cut += QStringLiteral("key %1").arg(key->text());
            if (key->isVisible() && key->width() < key->sizeHint().width())
                cut += QStringLiteral("cut key: %1").arg(key->text());
        }
        for (const QWidget* one :
             {static_cast<const QWidget*>(panel().nextButton()), static_cast<const QWidget*>(area)})
            if (!window->rect().contains(QRect(one->mapTo(window.get(), QPoint()), one->size())))
                cut += QStringLiteral("out of the window: %1").arg(one->objectName());
        return cut;
    }

    QStringList cutWhy() const {
        QStringList cut;
        if (const auto* why = window->findChild<views::WhyLine*>(); why->isVisible() && !why->isWhole())
            cut += QStringLiteral("cut: %1").arg(why->sentence());
        for (const auto* banner : window->findChildren<views::VerdictBanner*>())
            if (banner->isVisible() && banner->width() < banner->minimumSizeHint().width())
                cut += QStringLiteral("cut: %1").arg(banner->text());
        return cut;
    }
};

/// Words of the lanes that stand on other words, as they are painted.
QStringList Class::wordsOnWords() const {
    auto* const view = window->findChild<views::TimelineView*>();
    std::vector<views::WrittenWords> written;
    QImage picture(view->viewport()->size(), QImage::Format_RGB32);
    {
        QPainter painter(&picture);
        const std::lock_guard lock(view->loader()->data()->mutex());
        views::paintLanes(painter, picture.size(), view->scene(), &written);
    }
    QStringList found;
    for (std::size_t i = 0; i < written.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const QRectF both = written[i].place & written[j].place;
            // Letters seldom fill their line: it may be touched.
            if (both.width() < 3 || both.height() < written[i].place.height() / 2) continue;
            found += QStringLiteral("“%1” stands on “%2”").arg(written[i].words, written[j].words);
        }
    }
    return found;
}

} // namespace

class tst_lesson_fits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { app::speak(QStringLiteral("en")); }

    // One function each: QTest gives each function five minutes, with all its rows.
    void onAProjector_data() { languages(); }
    void onAProjector() { nobodyHasToScroll({1024, 768}, Shown::Alone); }
    void onAProjectorForAClass_data() { languages(); }
    void onAProjectorForAClass() { nobodyHasToScroll({1024, 768}, Shown::ToAClass); }
    void onASmallScreen_data() { languages(); }
    void onASmallScreen() { nobodyHasToScroll({1280, 720}, Shown::Alone); }

    void onASmallScreenForAClass_data() { languages(); }
    void onASmallScreenForAClass() { nobodyHasToScroll({1280, 720}, Shown::ToAClass); }

private:
    enum class Shown : std::uint8_t { Alone, ToAClass };
    static void languages() {
        QTest::addColumn<QString>("language");
        for (const QString& language : app::languages())
            QTest::newRow(qPrintable(language)) << language;
    }
    static void nobodyHasToScroll(QSize size, Shown shown) {
        QFETCH(QString, language);
        const bool presents = shown == Shown::ToAClass;
        app::speak(language);
        Class s;
        s.window->resize(size);
        int looks = 0;
        const QStringList course = lesson::builtinLessons();
        QVERIFY(course.size() >= 16);
        for (const QString& id : course) {
            s.window->lessons()->open(id, 0, LessonGuide::Arrival::AtOnce);
            if (presents) s.window->presenter()->setOn(true);
            QCOMPARE(s.window->presenter()->isOn(), presents);
            const int told = int(s.guide().lesson()->steps.size());
            for (int step = 0; step < told; ++step) {
                QCOMPARE(s.guide().step(), step);
                if (!s.guide().arrived()) s.guide().skip();
                QTRY_VERIFY_WITH_TIMEOUT(s.guide().arrived(), 20'000);
                s.where = QStringLiteral("%1, step %2").arg(id).arg(step + 1);
                s.look();
                ++looks;
                if (!s.guide().question().isEmpty()) {
                    s.guide().goOn(); // asks for the bet
                    s.where += QStringLiteral(", bet first");
                    s.look();
                    s.guide().choose(0);
                    s.guide().lock();
                    s.where += QStringLiteral(", locked");
                    s.look();
                }
                s.guide().skip();
            }
            if (s.guide().phase() == LessonGuide::Phase::Turn) {
                s.where = QStringLiteral("%1, your turn").arg(id);
                s.look();
                s.guide().skip();
            }
            QCOMPARE(s.guide().phase(), LessonGuide::Phase::End);
        }
        QCOMPARE(s.window->size(), size);
        QVERIFY2(looks >= 75, qPrintable(QString::number(looks)));
        for (const QString& one : s.wrong)
            qWarning().noquote() << one; // a message of QTest would be cut
        QCOMPARE(s.wrong.size(), 0);
    }
};

QTEST_MAIN(tst_lesson_fits)
#include "tst_lesson_fits.moc"
