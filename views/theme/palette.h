// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QBrush>
#include <QColor>
#include <QObject>
#include <QPalette>

namespace lockscope::views {

/// The meaning of a colour. Views name a role, never a colour: one meaning looks alike everywhere, in light and dark.
/// Signal colours are Okabe–Ito's, which stay apart for every kind of colour vision; each is paired with a pattern, an
/// icon or a word wherever it is used.
enum class Role : std::uint8_t {
    // Meaning. X fills shapes and draws lines; XText is X dark (or light) enough to read small text in; XSoft is a tint
    // to lay under XText.
    Holding, ///< believes to hold, and the record of a hold; also the one accent of the window
    HoldingText,
    HoldingSoft,
    Waiting, ///< waits, or is late
    WaitingText,
    WaitingSoft,
    Accepted, ///< accepted, healthy, held true
    AcceptedText,
    AcceptedSoft,
    Violation, ///< violation, loss, damage: nothing else is ever in this colour
    ViolationText,
    ViolationSoft,
    ViolationBand, ///< full-height wash behind lanes while an invariant is broken; translucent
    Fault,         ///< caused by a person or a scenario
    FaultText,
    FaultSoft,
    Paused,      ///< dots over a paused client
    StaleBelief, ///< the hatch of belief without record (see hatchBrush())
    StaleBeliefSoft,
    Record,      ///< the wedge of a lease in the record lane
    RecordTrack, ///< the part of the lease already used up
    Node,        ///< the bar of a living node
    Message,     ///< message arrows
    Unobserved,  ///< the wash over what was not observed

    // The window.
    Accent, ///< = Holding
    Text,
    TextDim,       ///< labels beside values, captions
    TextFaint,     ///< shortcuts, ruler numbers; still 3:1 on Surface
    TextOnColor,   ///< on Holding, Violation, Accepted, Fault
    Surface,       ///< panels, tables, the bar at the top
    SurfaceSunken, ///< behind the lanes of the timeline
    SurfaceRaised, ///< quiet buttons, status bar, chips
    SurfaceHover,  ///< SurfaceRaised under the mouse
    SurfacePressed,
    SectionBand, ///< the strip that a section caption stands on
    Field,       ///< inside line edits and code boxes
    FieldBorder,
    Hairline,
    Grid,       ///< lines of the time grid
    GaugeTrack, ///< the empty part of TTL bars and rings, slider grooves
    Selection,  ///< selected row
    SelectionText,
    Playhead, ///< line and pill of the playhead
    PlayheadText,
    FocusRing,
    Shadow,
    Count_
};

/// Which theme the person wants.
enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// The colour of a role in the theme in use. Cheap: a table look-up. GUI thread only.
QColor color(Role role);
/// The colour of a role in the given theme, for exports and tests.
QColor color(Role role, bool dark);
/// A role's colour with another opacity, 0…1.
QColor color(Role role, double alpha);

/// While one lives, color() answers for the light theme, whatever the window's theme is: for a page that is printed or
/// saved. GUI thread only.
class OnPaper {
public:
    OnPaper();
    ~OnPaper();
    Q_DISABLE_COPY_MOVE(OnPaper)

private:
    const bool m_wasDark;
};

/// Diagonal stripes in a role's colour, "believes without record": 3 px lines 6 px apart, sharp at any scale.
QBrush hatchBrush(Role role = Role::StaleBelief, double devicePixelRatio = 1);
/// Fine dots in a role's colour: "paused".
QBrush dotBrush(Role role = Role::Paused, double devicePixelRatio = 1);

/// Holds the choice and tells when the theme changed. Widgets need only react to QEvent::PaletteChange, which is sent
/// to each of them because the application's palette changes too; others listen to changed().
class Theme : public QObject {
    Q_OBJECT
public:
    static Theme& instance();

    ThemeChoice choice() const { return m_choice; }
    /// Applies palette, fonts and style to the application. Call once after QApplication exists, and on every change.
    void setChoice(ThemeChoice choice);
    bool isDark() const { return m_dark; }
    /// Built from the role table.
    static QPalette palette(bool dark);

Q_SIGNALS:
    void changed();

private:
    Theme() = default;
    bool systemIsDark() const;
    ThemeChoice m_choice = ThemeChoice::System;
    bool m_dark = false;
    bool m_applied = false;
};

} // namespace lockscope::views
