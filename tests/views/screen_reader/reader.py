#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads Lockscope's window through AT-SPI, as a screen reader does, and goes through the first steps of a lesson by the
buttons that it finds. Ends with an error if the words are not there, or stay as they were from one step to the next."""
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PATIENCE = 40  # s
DEEPEST, WIDEST = 40, 400


def window():
    desktop = Atspi.get_desktop(0)
    apps = [desktop.get_child_at_index(i) for i in range(desktop.get_child_count())]
    return next((app for app in apps if app and "ockscope" in (app.get_name() or "")), None)


def parts(node, depth=0):
    """All parts in sight; those that go away meanwhile are left out."""
    if node is None or depth > DEEPEST:
        return
    try:
        if node.get_state_set().contains(Atspi.StateType.SHOWING):
            yield node
        children = [node.get_child_at_index(i) for i in range(min(node.get_child_count(), WIDEST))]
    except GLib.Error:
        return
    for child in children:
        yield from parts(child, depth + 1)


def read():
    """(timeline's words, narration, answers, button "Next"), "" or None where there is none."""
    timeline = narration = ""
    answers, onward = [], None
    for part in parts(window()):
        try:
            name, words, role = part.get_name() or "", part.get_description() or "", part.get_role()
        except GLib.Error:
            continue
        if name == "Timeline" and words.startswith("At "):
            timeline = words
        elif role == Atspi.Role.LABEL and words.startswith("Look at: "):
            narration = name
        elif name.startswith("Answer "):
            answers.append(name)
        elif name == "Next" and role == Atspi.Role.PUSH_BUTTON:
            onward = part
    return timeline, narration, answers, onward


def until(what, wanted):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        seen = read()
        if wanted(*seen):
            return seen
        time.sleep(0.1)  # the events of AT-SPI tell that something changed, not that the step is whole
    sys.exit(f"reader: {what} is not told; heard last: {seen[:3]}")


def press(button):
    if not Atspi.Action.do_action(button, 0):
        sys.exit("reader: the button cannot be pressed")


# A part of each step's own words, of the lesson and of the run at the instant at which the step stops.
timeline, narration, answers, onward = until(
    "the first step", lambda t, n, a, b: "whole process stops" in n and "is paused" in t and b)
for told in ("B holds it", "on the server it is held by B, lease ", "A waits"):
    if told not in timeline:
        sys.exit(f"reader: the timeline does not say “{told}”: {timeline}")
press(onward)
second, _, _, onward = until(
    "the second step", lambda t, n, a, b: "The lease of" in n and "still believes it holds the lock" in t and b)
if second == timeline:
    sys.exit("reader: the timeline's words did not change")
press(onward)
_, _, answers, _ = until("the question", lambda t, n, a, b: "C works" in n and len(a) == 3)
if not answers[0].startswith("Answer 1: only C"):
    sys.exit(f"reader: the answers are not told: {answers}")
print("reader: three steps heard")
