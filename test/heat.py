# SPDX-License-Identifier: BSD-3-Clause
"""heat.py - does the picture of ORIEL_STATS show what watched_job.c did?"""
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
# By pair of ranks: two windows that were freed, and rank 0's part of another.
WANT = {
    "bytes": {(0, 1): 205, (1, 2): 204, (2, 0): 204},
    "calls": {(0, 1): 24, (1, 2): 23, (2, 0): 23},
}
SIDE = 512 / 3
failed = False
root = xml.parse(sys.argv[1]).getroot()
for picture in root.iter(SVG + "g"):
    unit = picture.get("id")
    got = {}
    for cell in picture.iter(SVG + "rect"):
        title = cell.find(SVG + "title")
        if title is None:
            continue
        at = re.fullmatch(r"rank (\d+) to rank (\d+): (\d+) " + unit,
                          title.text)
        origin, target, value = map(int, at.groups())
        got[origin, target] = value
        place = round(float(cell.get("y")) / SIDE), round(
            float(cell.get("x")) / SIDE)
        failed |= place != (origin, target)
        # The most is darkest.
        failed |= (cell.get("fill") == "#540026") != ((origin, target)
                                                      == (0, 1))
    if got != WANT.pop(unit):
        print(f"{unit}: {got}")
        failed = True
text = "".join(root.itertext())
# The scale says what is darkest, and of what unit.
scale = "205 bytes" in text and "24 calls" in text
if WANT or "of 3 ranks in 3 windows" not in text or not scale:
    print(f"missing: {WANT}, {text}")
    failed = True
sys.exit(failed)
