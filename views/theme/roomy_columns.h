// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QObject>

class QHeaderView;

namespace lockscope::views {

/// Gives a table's columns widths, and shares what room there is beyond them, or a little that there is too few, in
/// proportion, until a person drags one.
/// Belongs to the header.
class RoomyColumns : public QObject {
    Q_OBJECT
public:
    /// `widths` in pixels, by logical index, one for each column.
    RoomyColumns(QHeaderView* header, QList<int> widths);
    /// The object that belongs to a header; nullptr: none.
    static RoomyColumns* of(const QHeaderView* header);

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

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void share(bool room);
    bool arePlain() const;

    QHeaderView* m_header;
    const QList<int> m_widths;
    bool m_shares = true; ///< nobody has dragged one
    bool m_inside = false;
};

} // namespace lockscope::views
