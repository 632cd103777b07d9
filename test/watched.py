# SPDX-License-Identifier: BSD-3-Clause
"""watched.py - is what ORIEL_STATS and ORIEL_TRACE wrote what watched_job.c
did?  PATHS STATS TRACE..."""
import collections
import json
import sys

RANKS = 3
failed = False


def check(what, got, want):
    global failed
    if got != want:
        print(f"{what}: {got}, not {want}")
        failed = True


# Calls of each rank on the first window: how many, how many of them moved
# data, bytes.
FIRST = {
    "MPI_Put": (14, 12, 96),
    "MPI_Get": (3, 3, 48),
    "MPI_Accumulate": (2, 2, 32),
    "MPI_Fetch_and_op": (2, 2, 8),
    "MPI_Compare_and_swap": (2, 2, 8),
    "MPI_Win_lock_all": (1,),
    "MPI_Win_unlock_all": (1,),
    "MPI_Win_flush": (1,),
    "Oriel_Rflush": (1,),
    "Oriel_Notify_wait": (1,),
    "Oriel_Notify_test": (2,),
    "MPI_Win_fence": (2,),
}
path = {"direct,cma": "direct", "cma": "cma", "software": "software"}[
    sys.argv[1]]
remote = path == "software"
with open(sys.argv[2], encoding="utf-8") as lines:
    windows = [json.loads(line) for line in lines]
check("windows", [w["window"] for w in windows], [1, 2, 3])
check("names", [w["name"] for w in windows], ['a "window"\nü ÿ', "", ""])
check("made by", [w["made_by"] for w in windows],
      ["MPI_Win_allocate", "MPI_Win_create_dynamic", "MPI_Win_allocate"])
check("ranks", [len(w["ranks"]) for w in windows], [RANKS, RANKS, 1])
for rank in windows[0]["ranks"]:
    me = f"rank {rank['rank']}"
    check(me, set(rank["calls"]), set(FIRST))
    for name, want in FIRST.items():
        call = rank["calls"][name]
        check(f"{me}, {name}", call["calls"], want[0])
        check(f"{me}, {name}, time",
              0 < call["longest"] <= call["seconds"] < 60, True)
        if len(want) > 1:
            check(f"{me}, {name}", call["paths"],
                  {path: {"calls": want[1], "bytes": want[2]}})
    check(f"{me}, targets", rank["targets"],
          [{"rank": (rank["rank"] + 1) % RANKS, "calls": 21, "bytes": 192}])
    check(f"{me}, bytes", rank["bytes"], 4096)
    check(f"{me}, messages", rank["messages"] > 0, remote)
    check(f"{me}, round trips", rank["round_trips"] > 0, remote)
    check(f"{me}, by the owner", rank["owner"], 6 if remote else 0)
for rank in windows[1]["ranks"]:
    want = {"direct": {"calls": 1, "bytes": 8},
            "cma": {"calls": 1, "bytes": 4}}
    if path != "direct":
        want = {path: {"calls": 2, "bytes": 12}}
    check("dynamic", rank["calls"]["MPI_Put"]["paths"], want)

counts = collections.Counter()
seen = set()
check("traces", len(sys.argv[3:]), RANKS)
for name in sys.argv[3:]:
    with open(name) as file:
        for event in json.load(file):
            if event["ph"] != "X":
                continue
            seen.add(event["pid"])
            check("time", event["dur"] >= 0 and event["ts"] > 1e15, True)
            if event["args"]["window"] == 1:
                counts[event["name"]] += 1
            if event["name"] == "MPI_Get":
                check("get", (event["args"]["bytes"], event["args"]["target"]),
                      (16, (event["pid"] + 1) % RANKS))
want = {name: RANKS * calls[0] for name, calls in FIRST.items()}
want["MPI_Put"] = 12 * RANKS
want["MPI_Rput"] = want["Oriel_Put_notify"] = RANKS
for name in "fetch_and_op", "compare_and_swap":
    want[f"MPI_{name.capitalize()}"] = want[f"Oriel_R{name}"] = RANKS
del want["Oriel_Notify_test"]  # they find nothing
check("events", dict(counts), want)
check("ranks that were traced", seen, set(range(RANKS)))
sys.exit(failed)
