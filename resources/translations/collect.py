#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects the program's strings anew and keeps every translation that is there.

lupdate files the strings of free functions named tr() under the namespace around them; at run time they are looked up under
the name that the function gives. So it runs into an empty file, contexts get their run-time names, and the translations
come from the old file: by context and text, else by the text alone where all its translations agree.

usage: collect.py LUPDATE SOURCE_FOLDER
"""
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RENAMED = [
    (re.compile(r"lockscope::cli(::\w+)?$"), "cli"),
    (re.compile(r"lockscope::scenario(::\w+)?$"), "scenario"),
    (re.compile(r"lockscope::lesson(::\w+)?$"), "lesson"),
    (re.compile(r"lockscope::sim::World$"), "Faults"),
    (re.compile(r"lockscope::session(::Reader)?$"), "SharedRun"),
    (re.compile(r"std$"), "lockscope::session::Session"),
    (re.compile(r"(lockscope::verdict::)?Words$"), "Verdict"),  # its name for translators stands in a header
]


def run_time_name(context):
    for pattern, name in RENAMED:
        if pattern.match(context):
            return name
    return context


def messages(path):
    """(context, source, comment) -> its <message>, in the file's order."""
    found = {}
    for context in xml.parse(path).getroot().iter("context"):
        name = run_time_name(context.findtext("name"))
        for message in context.iter("message"):
            found.setdefault((name, message.findtext("source"), message.findtext("comment") or ""), message)
    return found


def translated(message):
    translation = message.find("translation")
    forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
    return translation if translation.get("type") is None and all(forms) else None


def adopt(message, translation):
    message.remove(message.find("translation"))
    message.append(translation)


def collect(lupdate, root, language, options):
    path = FOLDER / f"lockscope_{language}.ts"
    old = {key: translated(message) for key, message in messages(path).items()} if path.exists() else {}
    old = {key: translation for key, translation in old.items() if translation is not None}
    by_text = {}
    for (_, source, _), translation in old.items():
        by_text.setdefault(source, []).append(translation)

    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "fresh.ts"
        subprocess.run([lupdate, "-silent", "-recursive", "app", "core", "views", "-locations", "none", "-source-language",
                        "en", "-target-language", language, *options, "-ts", str(fresh)], cwd=root, check=True)
        now = messages(fresh)

    contexts, unfinished = {}, 0
    for key, message in now.items():
        candidates = by_text.get(key[1], [])
        numerus = message.get("numerus") is not None
        candidates = [c for c in candidates if (c.find("numerusform") is not None) == numerus]
        if key in old:
            adopt(message, old[key])
        elif candidates and len({xml.tostring(c).strip() for c in candidates}) == 1:
            adopt(message, candidates[0])
        elif translated(message) is None:
            unfinished += 1
        contexts.setdefault(key[0], []).append(message)

    ts = xml.Element("TS", version="2.1", language=language, sourcelanguage="en")
    for name in sorted(contexts):
        context = xml.SubElement(ts, "context")
        xml.SubElement(context, "name").text = name
        context.extend(contexts[name])
    for element in ts.iter():
        element.tail = None
        if len(element) and not (element.text or "").strip():
            element.text = None
    xml.indent(ts, "    ")
    text = xml.tostring(ts, encoding="unicode").replace("\n    ", "\n")  # as lupdate does: contexts stand at the margin
    path.write_text('<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n' + text + "\n", encoding="utf-8")
    print(f"{path.name}: {len(now)} strings, {unfinished} without a translation")


def main():
    lupdate, root = sys.argv[1:]
    collect(lupdate, root, "zh_CN", [])
    collect(lupdate, root, "en", ["-pluralonly"])


if __name__ == "__main__":
    main()
