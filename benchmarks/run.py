#!/usr/bin/env python3
"""Times Catena beside its peers on this machine, in one run.

usage: run.py [--quick] [--models chain7,humanoid] [--only inverse_dynamics,catena,pinocchio] [--markdown FILE]
       run.py --from benchmarks/results/latest.json [--markdown FILE]     show earlier results again

Runs whatever programs are in build/bench (build_peers.sh makes the peers' ones) round by round: every program once, then
every program again, so that a slow moment of the machine hits all of them. A figure is the median over the rounds.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
MODELS = ["chain6", "chain7", "chain12", "chain30", "chain100", "chain1000", "humanoid"]
COMPUTATIONS = {"inverse_dynamics": "Inverse dynamics", "inertia_matrix": "Inertia matrix",
                "forward_dynamics": "Forward dynamics", "poses_and_jacobians": "Poses and all Jacobians"}
METHODS = {"inverse_dynamics": "Inverse dynamics by formulation", "forward_dynamics": "Forward dynamics by formulation"}
BATCHES = {"inverse_dynamics": "Inverse dynamics in batches", "inertia_matrix": "Inertia matrix in batches",
           "forward_dynamics": "Forward dynamics in batches"}
METHOD_MODELS = ["chain6", "chain7", "chain30", "humanoid"]
PROGRAMS = {"catena": [BUILD / "catena_bench", ROOT / "build" / "catena_bench"],
            "pinocchio clang": [BUILD / "pinocchio_bench_clang"], "pinocchio gcc": [BUILD / "pinocchio_bench_gcc"],
            "mujoco": [BUILD / "mujoco_bench"], "kdl": [BUILD / "kdl_bench"]}
SKIP = {("kdl", "humanoid"): "no trees", ("kdl", "chain1000"): "too slow"}
MEMORY = 8 << 30  # bytes a program may take: a benchmark must not bring the machine down
AGREE = 1e-6  # relative: MuJoCo diagonalises the inertias it reads and keeps about 9 digits


def machine(measurements, load):
    cpu = platform.processor()
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": cpu, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}",
            "date": datetime.date.today().isoformat(), "load_before": round(load, 2),
            "compilers": sorted({m["compiler"] for m in measurements} - {"as packaged"}),
            "flags": "-O3 -march=native -DNDEBUG"}


def run_program(path, model, options):
    """The measurements of one program on one model, and what it complained about if it failed."""
    done = subprocess.run([path, BUILD / "models" / f"{model}.urdf", *options], cwd=BUILD, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    problem = None
    if done.returncode:
        problem = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return lines, problem


def measure(args):
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"others are busy on this machine (load {load:.1f}, {os.cpu_count()} cores): expect noise", file=sys.stderr)
    subprocess.run([sys.executable, ROOT / "benchmarks" / "make_models.py", BUILD / "models"], check=True)
    only = args.only.split(",") if args.only else []
    computations = [c for c in only if c in COMPUTATIONS]
    libraries = [name for name in only if name not in COMPUTATIONS]
    options = ["--reps", "1", "--min-time", str(args.min_time)]
    if computations:
        options += ["--only", ",".join(computations)]
    programs = {}
    for name, places in PROGRAMS.items():
        if libraries and name.split()[0] not in libraries and name not in libraries:
            continue
        found = [p for p in places if p.exists()]
        if found:
            programs[name] = found[0]
        else:
            print(f"{name}: skipped, {places[0].relative_to(ROOT)} is not built", file=sys.stderr)

    runs = {}  # (program, model, computation, variant) -> one line per round
    for model in args.models.split(","):
        failed = set()
        for round_ in range(args.rounds):
            for name, path in programs.items():
                if name in failed or (name, model) in SKIP:
                    continue
                if sys.stderr.isatty():
                    print(f"\r\033[K{model} round {round_ + 1}/{args.rounds} {name}", end="", file=sys.stderr, flush=True)
                lines, problem = run_program(path, model, options)
                if problem:
                    failed.add(name)
                    print(f"{name}: {model} failed: {problem}", file=sys.stderr)
                for line in lines:
                    runs.setdefault((name, model, line["computation"], line.get("variant", "")), []).append(line)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)

    measurements = []
    for (name, *_), lines in runs.items():
        ns = [line["ns"] for line in lines]
        measurements.append({**lines[0], "program": name, "ns": round(statistics.median(ns), 1), "rounds": len(ns),
                             "min_ns": min(line["min_ns"] for line in lines), "max_ns": max(ns)})
    return {"machine": machine(measurements, load), "states": 256, "min_time": args.min_time, "rounds": args.rounds,
            "measurements": measurements}


def disagreements(results):
    """Measurements whose result at the fixed check state is not that of the others: their timing means nothing."""
    groups = {}
    for m in results["measurements"]:
        if "check" in m:
            groups.setdefault((m["model"], m["computation"].split(".")[0]), []).append(m)
    for (model, computation), group in groups.items():
        expected = statistics.median_low([m["check"] for m in group])
        for m in group:
            if not math.isclose(m["check"], expected, rel_tol=AGREE):
                yield f"{m['program']}: {computation} of {model} gives {m['check']!r}, the others {expected!r}"


def table(results, computation):
    """Header and rows; times in ns; the better variant of each program; ratios > 1 mean Catena is faster."""
    best = {}
    for m in results["measurements"]:
        if m["computation"] == computation:
            key = (m["program"], m["model"])
            best[key] = min(best.get(key, math.inf), m["ns"])
    columns = [p for p in PROGRAMS if any(program == p for program, _ in best)]
    models = [m for m in dict.fromkeys(x["model"] for x in results["measurements"]) if any(k[1] == m for k in best)]
    rows = []
    for model in models:
        times = {p: best.get((p, model)) for p in columns}
        ours = times.get("catena")
        peers = {p: t for p, t in times.items() if p != "catena" and t}
        pinocchio = min((t for p, t in peers.items() if p.startswith("pinocchio")), default=None)
        fastest = min(peers.values(), default=None)
        rows.append([model, *(readable(times[p]) for p in columns),
                     *(f"{t / ours:.2f}" if ours and t else "-" for t in (pinocchio, fastest))])
    return ["model", *columns, "pinocchio / catena", "fastest peer / catena"], rows


def method_table(results, computation):
    """Our formulations beside Pinocchio's recursive algorithm for the same question."""
    ours, peer = {}, {}
    for m in results["measurements"]:
        name, _, method = m["computation"].partition(".")
        if name != computation or m["model"] not in METHOD_MODELS or method.startswith("batch"):
            continue
        if m["program"] == "catena":
            ours.setdefault(m["model"], {})[method or "spatial"] = m["ns"]
        elif m["program"].startswith("pinocchio"):
            peer[m["model"]] = min(peer.get(m["model"], math.inf), m["ns"])
    methods = list(dict.fromkeys(method for times in ours.values() for method in times))
    if len(methods) < 2:
        return [], []
    rows = []
    for model, times in ours.items():
        theirs = peer.get(model)
        cells = [f"{readable(times[x])} ({theirs / times[x]:.2f} ×)" if x in times and theirs else readable(times.get(x))
                 for x in methods]
        rows.append([model, readable(theirs), *cells])
    return ["model", "pinocchio", *methods], rows


def batch_table(results, computation):
    """Our time per state of a batch beside Pinocchio's time for one state; all by one thread."""
    times, peer = {}, {}
    for m in results["measurements"]:
        name, _, method = m["computation"].partition(".")
        if name != computation:
            continue
        if m["program"] == "catena":
            times.setdefault(m["model"], {})[method] = m["ns"]
        elif m["program"].startswith("pinocchio"):
            peer[m["model"]] = min(peer.get(m["model"], math.inf), m["ns"])
    rows = []
    for model, ours in times.items():
        if "batch" not in ours:
            continue
        theirs, one, many, single = peer.get(model), ours.get(""), ours["batch"], ours.get("batch-float")
        rows.append([model, readable(theirs), readable(one), short(many), short(single),
                     *(f"{t / many:.2f}" if t else "-" for t in (one, theirs)), f"{theirs / single:.2f}" if theirs and single else "-"])
    return ["model", "pinocchio", "catena, one state", "batch", "batch, float", "one state / batch", "pinocchio / batch",
            "pinocchio / batch, float"], rows


def short(ns):
    return f"{ns:.1f}" if ns is not None and ns < 1000 else readable(ns)


def readable(ns):
    if ns is None:
        return "-"
    return f"{ns:.0f}" if ns < 1e5 else f"{ns / 1e3:.0f} µs" if ns < 1e7 else f"{ns / 1e6:.0f} ms"


def tables(results):
    """(title, header, rows) of every table that has rows."""
    for computation, title in COMPUTATIONS.items():
        yield (title, *table(results, computation))
    for computation, title in BATCHES.items():
        yield (title, *batch_table(results, computation))
    for computation, title in METHODS.items():
        yield (title, *method_table(results, computation))


def text(results):
    for title, header, rows in tables(results):
        if not rows:
            continue
        width = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        yield f"\n{title} (ns per call)"
        for row in [header, *rows]:
            yield "  " + "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, width)))


def markdown(results):
    m = results["machine"]
    versions = sorted({f"{x['library']} {x['version']}" for x in results["measurements"]})
    yield "# Benchmarks"
    yield ""
    yield "Written by `benchmarks/run.py`; the data is in `benchmarks/results/latest.json`."
    yield ""
    yield f"- {m['date']}, {m['cores']} cores of {m['cpu']}, {m['system']}; {'; '.join(m['compilers'])}; `{m['flags']}`;"
    yield f"  load before the run {m['load_before']}."
    yield f"- {', '.join(versions)}; MuJoCo and KDL as packaged. Pinocchio is compiled from its headers with both compilers."
    yield (f"- One thread, double, one call at a time over {results['states']} random states; median of {results['rounds']} "
           f"interleaved rounds of {results['min_time']} s of processor time. Each library's better variant counts. Catena and Pinocchio write one triangle of the inertia matrix.")
    yield "- chainN: fixed base, N revolute joints. humanoid: free base, 30 revolute joints, 36 velocities."
    yield "- Times in ns per call unless marked. Ratios are peer over Catena: above 1, Catena is faster."
    yield "- By formulation: in brackets how many times Pinocchio's time is ours."
    for title, header, rows in tables(results):
        if rows:
            yield from ["", f"## {title}", "", f"| {' | '.join(header)} |", "|---" + "|--:" * (len(header) - 1) + "|"]
            yield from (f"| {' | '.join(row)} |" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 rounds of 0.02 s: a look, not a result; saved only with -o")
    parser.add_argument("--models", default=",".join(MODELS), help="comma list (default: all)")
    parser.add_argument("--only", help="comma list of computations and libraries (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--min-time", type=float, default=0.2, help="seconds per measurement and round")
    parser.add_argument("--from", dest="source", type=pathlib.Path, help="show these results, measure nothing")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write the tables as markdown, too")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="default: benchmarks/results/latest.json, for a full run")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.min_time = 3, 0.02
    known = {"--models": MODELS, "--only": [*COMPUTATIONS, *PROGRAMS, "pinocchio"]}
    for option, value in (("--models", args.models), ("--only", args.only)):
        for name in value.split(",") if value else []:
            if name not in known[option]:
                parser.error(f"{option}: '{name}' is not one of {', '.join(known[option])}")

    if args.source:
        results = json.loads(args.source.read_text())
    else:
        results = measure(args)
        full = not (args.quick or args.only or args.models != ",".join(MODELS))
        output = args.output or (ROOT / "benchmarks" / "results" / "latest.json" if full else None)
        if output and results["measurements"]:
            output.parent.mkdir(parents=True, exist_ok=True)
            rows = ",\n".join("  " + json.dumps(m) for m in results.pop("measurements"))
            head = json.dumps(results, indent=1)[:-2]
            output.write_text(f'{head},\n "measurements": [\n{rows}\n ]\n}}\n')
            results = json.loads(output.read_text())
    if not results["measurements"]:
        sys.exit("nothing was measured: run benchmarks/build_peers.sh and build catena_bench first")
    print("\n".join(text(results)))
    if args.markdown:
        args.markdown.parent.mkdir(parents=True, exist_ok=True)
        args.markdown.write_text("\n".join(markdown(results)) + "\n")
    wrong = list(disagreements(results))
    for line in wrong:
        print("DISAGREES", line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
