// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

#include <QAction>
#include <QFrame>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <functional>
#include <optional>

class QStandardItemModel;

namespace lockscope::views {

/// How well `text` answers what was typed: 0 = not at all; higher is better. All letters must come in order; starts of
/// words and runs of letters count more.
int fuzzyScore(QStringView typed, QStringView text);

/// "Find or do…": every command of the window, found by a few letters of its name. Ctrl+K goes there, Enter does it.
/// A time ("6.8s", "14:32:07") goes to that instant.
class CommandField : public QLineEdit {
    Q_OBJECT
public:
    /// Pixels that it has at least; they follow the text's size.
    static int leastWidth();

    using Commands = std::function<QList<QAction*>()>;
    /// Something to go to that is no command, such as a lock.
    struct Find {
        QString name, group;
        const char* iconName = nullptr;
        std::function<void()> run;
        QString also{};        ///< other words by which it is found
        bool exact = false;    ///< it is what was typed, whatever it is called
        bool explains = false; ///< it only tells of something: whatever is done comes first, if it is called so, too
    };
    /// Returns the entries that the typed words may mean.
    using Finds = std::function<std::vector<Find>(const QString& typed)>;
    struct Time {
        Nanos at{};
        QString words;
    };
    /// Returns the instant that was typed, nullopt: none was.
    using Times = std::function<std::optional<Time>(const QString& typed)>;
    explicit CommandField(QWidget* parent = nullptr);
    ~CommandField() override;
    /// Asked each time that the list opens, so it is never stale.
    void setCommands(Commands commands) { m_commands = std::move(commands); }
    void setFinds(Finds finds) { m_finds = std::move(finds); }
    /// Without it no time is understood.
    void setTimes(Times times) { m_times = std::move(times); }
    /// Focus, with an empty field and the whole list open.
    void summon();
    /// The width in pixels from which its hint is shown with the key.
    int wholeWidth() const;
    /// For tests: the list, or nullptr while closed.
    QListView* list() const;

Q_SIGNALS:
    /// A time was typed, in ns.
    void goTo(qint64 ns);
    /// The list went away, by whatever way.
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static QString wholeHint();
    void refill();
    void openList();
    void closeList();
    void placeList();
    /// Empties it and gives the focus back.
    void leave();
    void run(const QModelIndex& index);

    Commands m_commands;
    Finds m_finds;
    Times m_times;
    QPointer<QFrame> m_popup;
    QListView* m_list = nullptr;
    QStandardItemModel* m_model = nullptr;
    QPointer<QWidget> m_returnFocus;
};

} // namespace lockscope::views
