// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QObject>
#include <QStringList>

class QHeaderView;

namespace lockscope::views {

/// Gives a table's columns widths, and shares what room there is beyond them, or a little that there is too few, in
/// proportion, until a person drags one. Columns of high rank give way first where there is too little room, and no
/// column stays narrower than its words while another has room to spare.
/// Belongs to the header.
class RoomyColumns : public QObject {
    Q_OBJECT
public:
    /// A column's widths, in pixels.
    struct Width {
        int wanted = 0;
        int least = 0; ///< at which it can still be read
        int rank = 0;  ///< columns of a higher rank give way first; 0: its words are never cut
        /// Where there is too little room even so, columns leave the picture, the highest ones first; 0: never.
        int leaves = 0;
        int keeps = 0; ///< columns leave before it is narrower than its words, up to so many pixels; 0: never for it
    };
    /// `widths`: wanted ones in pixels, by logical index, one for each column.
    RoomyColumns(QHeaderView* header, const QList<int>& widths);
    RoomyColumns(QHeaderView* header, QList<Width> widths);
    /// The object that belongs to a header; nullptr: none.
    static RoomyColumns* of(const QHeaderView* header);

    /// The titles of the columns that have left for lack of room.
    QStringList left() const;

    /// How much the words of each column take, in pixels, by logical index. Needs only grow, so that columns do not
    /// move with every tick of what they tell.
    void need(const QList<int>& pixels);
    /// The table tells of something else by now.
    void forgetNeeds();

    /// Shares no room while it lives: what is read or set meanwhile are the plain widths.
    class Plain {
    public:
        explicit Plain(const QHeaderView* header);
        ~Plain();
        Plain(const Plain&) = delete;
        Plain& operator=(const Plain&) = delete;

    private:
        RoomyColumns* m_columns;
    };

Q_SIGNALS:
    /// left() differs.
    void leftChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void share(bool room);
    /// Whether no column right of it is shown: the header stretches it by itself.
    bool isLastShown(int column) const;
    QList<int> shared(int room) const;
    /// The least width of a column; where columns may leave, one that stays has its title whole.
    int leastOf(int column) const;
    /// Takes columns out of the picture until the others fit into `room`, and brings back those that fit again.
    void leave(int room);
    bool arePlain() const;

    QHeaderView* m_header;
    const QList<Width> m_widths;
    QList<int> m_left;    ///< logical indexes of the columns that have left
    QList<int> m_needs;   ///< by logical index; empty: not told
    bool m_shares = true; ///< nobody has dragged one
    bool m_inside = false;
};

} // namespace lockscope::views
