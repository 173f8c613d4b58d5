#!/usr/bin/env python3
"""Times Catena beside its peers on this machine, in one run.

usage: run.py [--quick] [--models chain7,delta,puma-fall] [--only inverse_dynamics,catena,pinocchio] [--markdown FILE]
       run.py --from benchmarks/results/latest.json [--markdown FILE]     show earlier results again

Three parts: trees (chains and a humanoid), closed chains, and a simulation.

Runs whatever programs are in build/bench (build_peers.sh makes the peers' ones) round by round: every program once, then
every program again, so that a slow moment of the machine hits all of them. A figure is the median over the rounds.
"""
import argparse
import csv
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

import growth_plot

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
MODELS = ["chain6", "chain7", "chain12", "chain30", "chain100", "chain1000", "humanoid"]
COMPUTATIONS = {"inverse_dynamics": "Inverse dynamics", "inertia_matrix": "Inertia matrix",
                "forward_dynamics": "Forward dynamics", "poses_and_jacobians": "Poses and all Jacobians",
                "inverse_derivatives": "Derivatives of inverse dynamics",
                "forward_derivatives": "Derivatives of forward dynamics"}
METHODS = {"inverse_dynamics": "Inverse dynamics by formulation", "forward_dynamics": "Forward dynamics by formulation"}
BATCHES = {"inverse_dynamics": "Inverse dynamics in batches", "inertia_matrix": "Inertia matrix in batches",
           "forward_dynamics": "Forward dynamics in batches",
           "inverse_derivatives": "Derivatives of inverse dynamics in batches",
           "forward_derivatives": "Derivatives of forward dynamics in batches"}
# Pinocchio's own generated code (CppADCodeGen), measured once on another machine: ns, with its general code there.
ELSEWHERE = {"inverse_dynamics": {"chain6": (579, 211), "chain7": (601, 266), "chain12": (1100, 462), "humanoid": (2850, 1536)},
             "inertia_matrix": {"chain6": (382, 172), "chain7": (446, 182), "chain12": (883, 601), "humanoid": (2434, 1878)},
             "forward_dynamics": {"chain6": (1046, 479), "chain7": (1201, 583), "chain12": (2071, 1263), "humanoid": (5899, 3333)}}
BATCH_PROGRAM = [BUILD / "batch_bench", ROOT / "build" / "batch_bench"]
GENERATED = ["generated", "generated in lanes"]
METHOD_MODELS = ["chain6", "chain7", "chain30", "humanoid"]
PROGRAMS = {"catena": [BUILD / "catena_bench", ROOT / "build" / "catena_bench"],
            "pinocchio clang": [BUILD / "pinocchio_bench_clang"], "pinocchio gcc": [BUILD / "pinocchio_bench_gcc"],
            "mujoco": [BUILD / "mujoco_bench"], "kdl": [BUILD / "kdl_bench"]}
SKIP = {("kdl", "humanoid"): "no trees", ("kdl", "chain1000"): "too slow"}
MEMORY = 8 << 30  # bytes a program may take: a benchmark must not bring the machine down
# Closed chains: machines of models/, and two families that grow.
MACHINES = ["four-bar", "five-bar", "planar-3rrr", "delta", "stewart-gough", "knee", "ankle"]
WINDOWS = [1, 3, 10, 30, 100, 300, 1000]  # of the N-four-bar
LINKS = [10, 30, 100, 300, 1000]  # of a chain whose end is held
FAMILIES = {"n-four-bar": WINDOWS, "held-chain": LINKS}
MOST_OF_PINOCCHIO = 100  # beyond, a call takes many milliseconds
LOOP_PROGRAMS = {"catena": [BUILD / "loop_bench", ROOT / "build" / "loop_bench"],
                 "pinocchio clang": [BUILD / "pinocchio_loop_bench_clang"],
                 "pinocchio gcc": [BUILD / "pinocchio_loop_bench_gcc"]}
CLOSED_AGREE = 1e-8  # relative, of accelerations
SIMULATED = "puma-fall"
SIMULATION_PROGRAMS = {"catena": [BUILD / "simulation_bench", ROOT / "build" / "simulation_bench"],
                       "pinocchio clang": [BUILD / "pinocchio_simulation_bench_clang"],
                       "pinocchio gcc": [BUILD / "pinocchio_simulation_bench_gcc"],
                       "mujoco": [BUILD / "mujoco_simulation_bench"]}
DURATION = 10  # seconds, as in peers/simulation.hpp
PARTS = {"trees": MODELS, "batches": ["batches"], "closed": MACHINES + [f"{family}-{n}" for family, sizes in FAMILIES.items() for n in sizes],
         "simulation": [SIMULATED]}
EVERY_MODEL = [model for models in PARTS.values() for model in models]
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
    done = subprocess.run([path, model, *options], cwd=BUILD, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    problem = None
    if done.returncode:
        problem = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return lines, problem


def programs_of(table, libraries):
    found = {}
    for name, places in table.items():
        if libraries and name.split()[0] not in libraries and name not in libraries:
            continue
        there = [p for p in places if p.exists()]
        if there:
            found[name] = there[0]
        else:
            print(f"{name}: skipped, {places[0].relative_to(ROOT)} is not built", file=sys.stderr)
    return found


def rounds_of(args, model, programs, arguments, runs, skip=()):
    """Runs every program once per round; `arguments(name)` follow the program's name."""
    failed = set()
    for round_ in range(args.rounds):
        for name, path in programs.items():
            if name in failed or name in skip:
                continue
            if sys.stderr.isatty():
                print(f"\r\033[K{model} round {round_ + 1}/{args.rounds} {name}", end="", file=sys.stderr, flush=True)
            lines, problem = run_program(path, *arguments(name))
            if problem:
                failed.add(name)
                print(f"{name}: {model} failed: {problem}", file=sys.stderr)
            for line in lines:
                runs.setdefault((name, model, line["computation"], line.get("variant", "")), []).append(line)


def held_chain(n):
    """A chain of n links of 0.1 m in a half circle, axes in turn horizontal and vertical; a ball joint holds its end."""
    turn = math.pi / (n // 2)
    x = z = angle = 0
    yield f"name: held-chain-{n}\nbodies:"
    for i in range(n):
        yield f"  - {{name: link{i}, mass: 0.1, com: [0.05, 0, 0], inertia: [1e-5, 8.4e-5, 8.4e-5]}}"
    yield "joints:"
    start = []
    for i in range(n):
        parent, origin, axis = ("world", 0, "y") if i == 0 else (f"link{i - 1}", 0.1, "yz"[i % 2])
        yield (f"  - {{name: joint{i}, type: revolute, parent: {parent}, child: link{i}, axis: {axis}, "
               f"origin: [{origin}, 0, 0]}}")
        q = (0 if i % 2 else turn if i else math.pi / 2 - math.pi + turn / 2)
        angle += q
        start.append(f"joint{i}: {q!r}")
        x, z = x + 0.1 * math.cos(angle), z - 0.1 * math.sin(angle)
    yield f"loops:\n  - {{name: held, type: spherical, bodies: [link{n - 1}, world], origin1: [0.1, 0, 0], origin2: [{x!r}, 0, {z!r}]}}"
    yield f"start: {{{', '.join(start)}}}"


def model_file(name):
    """The model of a closed chain; those that grow are written first."""
    family, _, size = name.rpartition("-")
    if family not in FAMILIES:
        return ROOT / "models" / f"{name}.yaml"
    path = BUILD / "models" / f"{name}.yaml"
    text = "\n".join(held_chain(int(size))) + "\n" if family == "held-chain" else subprocess.run(
        [sys.executable, ROOT / "tools" / "n-four-bar", size], check=True, capture_output=True, text=True).stdout
    path.write_text(text)
    return path


def write_machine(program, model, name, more=()):
    """The file that all programs read; None if it cannot be made."""
    path = BUILD / "models" / f"{name}.machine"
    done = subprocess.run([program, model, "--machine", path, *more], capture_output=True, text=True)
    if done.returncode:
        print(f"{name}: skipped: {done.stderr.strip()}", file=sys.stderr)
    return None if done.returncode else path


def measure_closed(args, models, libraries, options, runs):
    programs = programs_of(LOOP_PROGRAMS, libraries)
    writer = programs_of({"catena": LOOP_PROGRAMS["catena"]}, []).get("catena")
    for name in models if writer else []:
        family, _, size = name.rpartition("-")
        large = family in FAMILIES and int(size) > 60
        path = write_machine(writer, model_file(name), name, ["--states", "4" if large else "64"])
        if not path:
            continue
        skip = [p for p in programs if p != "catena" and family in FAMILIES and int(size) > MOST_OF_PINOCCHIO]
        rounds_of(args, name, programs, lambda p, path=path, name=name: (
            path, [model_file(name), *options] if p == "catena" else options), runs, skip)


def measure_simulation(args, libraries, options, runs):
    programs = programs_of(SIMULATION_PROGRAMS, libraries)
    writer = programs_of({"catena": SIMULATION_PROGRAMS["catena"]}, []).get("catena")
    model = ROOT / "models" / "puma.yaml"
    path = write_machine(writer, model, SIMULATED) if writer else None
    if not path:
        return
    ours, _ = run_program(writer, path, [model, "--reps", "1", "--min-time", "1e-6"])
    accuracy = next(line["error"] for line in ours if line["variant"] == "dormand-prince, spatial")
    rounds_of(args, SIMULATED, programs, lambda p: (
        path, [model, *options] if p == "catena" else [*options, "--accuracy", str(accuracy)] if p == "mujoco" else options), runs)


def measure_batches(args):
    """Times over batch sizes and threads, and how far each kernel is from the processor's limit, as lists of rows."""
    program = programs_of({"batches": BATCH_PROGRAM}, []).get("batches")
    if not program:
        return {}
    sizes, limits = BUILD / "batch-sizes.csv", BUILD / "batch-limits.csv"
    done = subprocess.run([program, BUILD / "models", sizes, limits, str(args.min_time / 10)], capture_output=True, text=True)
    if done.returncode:
        print(f"batches failed: {done.stderr.strip()}", file=sys.stderr)
        return {}
    with open(sizes) as a, open(limits) as b:
        return {"batch_sizes": list(csv.DictReader(a)), "limits": list(csv.DictReader(b)),
                "peak": next((line for line in done.stdout.splitlines() if "GFLOP/s in double" in line), "")}


def measure(args):
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"others are busy on this machine (load {load:.1f}, {os.cpu_count()} cores): expect noise", file=sys.stderr)
    subprocess.run([sys.executable, ROOT / "benchmarks" / "make_models.py", BUILD / "models"], check=True)
    wanted = args.models.split(",")
    only = args.only.split(",") if args.only else []
    computations = [c for c in only if c in COMPUTATIONS]
    libraries = [name for name in only if name not in COMPUTATIONS]
    options = ["--reps", "1", "--min-time", str(args.min_time)]
    of_trees = options + (["--only", ",".join(computations)] if computations else [])

    runs = {}  # (program, model, computation, variant) -> one line per round
    trees = [m for m in wanted if m in PARTS["trees"]]
    programs = programs_of(PROGRAMS, libraries) if trees else {}
    for model in trees:
        skip = [name for name in programs if (name, model) in SKIP]
        rounds_of(args, model, programs, lambda _, model=model: (BUILD / "models" / f"{model}.urdf", of_trees), runs, skip)
    if not computations:
        closed = [m for m in wanted if m in PARTS["closed"]]
        if closed:
            measure_closed(args, closed, libraries, ["--reps", "1", "--min-time", str(args.min_time / 2)], runs)
        if SIMULATED in wanted:
            measure_simulation(args, libraries, options, runs)
    batches = measure_batches(args) if "batches" in wanted and not computations else {}
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)

    measurements = []
    for (name, *_), lines in runs.items():
        ns = [line["ns"] for line in lines]
        measurements.append({**lines[0], "program": name, "ns": round(statistics.median(ns), 1), "rounds": len(ns),
                             "min_ns": min(line["min_ns"] for line in lines), "max_ns": max(ns)})
    return {"machine": machine(measurements, load), "states": 256, "min_time": args.min_time, "rounds": args.rounds,
            **batches, "measurements": measurements}


def disagreements(results):
    """Measurements whose result at the fixed check state is not that of the others: their timing means nothing."""
    groups = {}
    for m in results["measurements"]:
        if m["computation"] == "closed_forward" and not m["error"] <= CLOSED_AGREE:
            yield f"{m['program']}: {m['variant']} of {m['model']} is off by {m['error']:.2g} of the accelerations"
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
        if name != computation or m["model"] not in METHOD_MODELS or method.startswith(("batch", "generated")):
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


def generated_table(results, computation):
    """Code generated for one robot, one state at a time and in lanes, beside the general code and Pinocchio's."""
    ours, peer = {}, {}
    for m in results["measurements"]:
        name, _, method = m["computation"].partition(".")
        if name != computation:
            continue
        if m["program"] == "catena" and method in ("", *GENERATED):
            ours.setdefault(m["model"], {})[method] = m["ns"]
        elif m["program"].startswith("pinocchio"):
            peer[m["model"]] = min(peer.get(m["model"], math.inf), m["ns"])
    rows = []
    for model, times in ours.items():
        if GENERATED[0] in times:
            theirs = peer.get(model)
            rows.append([model, readable(theirs), readable(times.get(""))] +
                        [f"{readable(times.get(x))} ({theirs / times[x]:.2f} ×)" if x in times and theirs else readable(times.get(x))
                         for x in GENERATED])
    return ["model", "pinocchio", "general", *GENERATED], rows


def elsewhere_table(results, computation):
    """Our generated code beside Pinocchio's, whose time elsewhere is scaled as that of its general code."""
    rows = []
    for model, (general, generated) in ELSEWHERE[computation].items():
        here = {m["computation"]: m["ns"] for m in results["measurements"] if m["model"] == model and m["program"] == "catena"}
        pinocchio = min((m["ns"] for m in results["measurements"] if m["model"] == model and m["computation"] == computation and
                         m["program"].startswith("pinocchio")), default=None)
        ours = here.get(f"{computation}.generated")
        if ours and pinocchio:
            scaled = generated * pinocchio / general
            rows.append([model, readable(generated), readable(general), f"{scaled:.0f}", readable(ours), f"{scaled / ours:.2f}"])
    return ["model", "its generated code, there", "its general code, there", "scaled to here", "catena, generated", "scaled / catena"], rows


def sizes_table(results):
    """Times per state over the size of a batch, by one thread and by all."""
    rows = results.get("batch_sizes", [])
    threads = sorted({int(r["threads"]) for r in rows})
    times = {(r["model"], r["computation"], int(r["states"]), int(r["threads"])): float(r["ns_per_state"]) for r in rows}
    out = []
    for model, computation in dict.fromkeys((r["model"], r["computation"]) for r in rows):
        for n in sorted({k[2] for k in times if k[:2] == (model, computation)}):
            if n in (1, 8, 64, 256, 1024, 4096, 16384, 65536):
                line = [times.get((model, computation, n, t)) for t in threads]
                out.append([model, computation, str(n), *(short(t) for t in line), *(f"{line[0] / t:.2f}" for t in line[1:])])
    return ["model", "computation", "states", *(f"{t} thread{'s' * (t > 1)}" for t in threads),
            *(f"gain of {t}" for t in threads[1:])], out


def limits_table(results):
    rows = [[r["model"], r["computation"], r["scalar"], f"{float(r['operations']):.0f}", short(float(r["ns_per_state"])),
             f"{float(r['gflops']):.1f}", f"{float(r['percent_of_peak']):.0f} %"] for r in results.get("limits", [])]
    return ["model", "computation", "scalar", "operations", "ns per state", "GFLOP/s", "of the limit"], rows


def over_n(results, computation):
    """name -> [(n, ns)] of chains: one state at a time, in batches, and Pinocchio."""
    lines = {}
    for m in results["measurements"]:
        name, _, method = m["computation"].partition(".")
        if name != computation or not m["model"].startswith("chain") or method not in ("", "batch", "generated"):
            continue
        who = "pinocchio" if m["program"].startswith("pinocchio") else f"catena {method}".strip() if m["program"] == "catena" else None
        if who:
            n, line = int(m["model"][5:]), lines.setdefault(who, {})
            line[n] = min(line.get(n, math.inf), m["ns"])
    return {name: sorted(line.items()) for name, line in lines.items() if len(line) > 1}


def over_sizes(results, model):
    lines = {}
    for r in results.get("batch_sizes", []):
        if r["model"] == model and r["computation"] in ("inverse dynamics", "forward dynamics", "derivatives of inverse dynamics"):
            lines.setdefault(f"{r['computation'].replace('derivatives of inverse dynamics', 'derivatives')}, {r['threads']}", []).append(
                (int(r["states"]), float(r["ns_per_state"])))
    return lines


def closed_times(results):
    """model -> {program or method: ns}, of closed chains; the fastest settings of a peer."""
    times = {}
    for m in results["measurements"]:
        if m["computation"] == "closed_forward":
            column = m["variant"] if m["program"] == "catena" else m["program"]
            row = times.setdefault(m["model"], {})
            row[column] = min(row.get(column, math.inf), m["ns"])
    return times


def closed_table(results):
    times = {model: row for model, row in closed_times(results).items() if model in MACHINES}
    peers = [p for p in LOOP_PROGRAMS if p != "catena" and any(p in row for row in times.values())]
    methods = list(dict.fromkeys(c for row in times.values() for c in row if c not in peers))
    rows = []
    for model, row in times.items():
        ours, theirs = min((row[m] for m in methods if m in row), default=None), min((row[p] for p in peers if p in row), default=None)
        rows.append([model, *(readable(row.get(c)) for c in methods + peers), f"{theirs / ours:.2f}" if ours and theirs else "-"])
    return ["model", *methods, *peers, "pinocchio / catena"], rows


def growth(results, family):
    """name -> [(size, ns)] of a family: the fastest of ours and of Pinocchio's."""
    lines = {"catena": [], "pinocchio": []}
    for model, row in closed_times(results).items():
        name, _, size = model.rpartition("-")
        if name != family or size not in map(str, FAMILIES[family]):
            continue
        theirs = [ns for column, ns in row.items() if column.startswith("pinocchio")]
        ours = [ns for column, ns in row.items() if not column.startswith("pinocchio")]
        for line, ns in (("catena", ours), ("pinocchio", theirs)):
            if ns:
                lines[line].append((int(size), min(ns)))
    return {name: sorted(line) for name, line in lines.items() if line}


def growth_table(results, family):
    lines = {name: dict(line) for name, line in growth(results, family).items()}
    ours, theirs = lines.get("catena", {}), lines.get("pinocchio", {})
    rows = [[str(n), readable(ours[n]), f"{ours[n] / n:.0f}", readable(theirs.get(n)), f"{theirs[n] / ours[n]:.1f}" if n in theirs else "-"]
            for n in sorted(ours)]
    return ["N", "catena", "catena / N", "pinocchio", "pinocchio / catena"], rows


def simulation_table(results):
    lines = [m for m in results["measurements"] if m["computation"] == "simulation"]
    ours = min((m["ns"] for m in lines if m["program"] == "catena" and m["variant"].startswith("dormand-prince,")), default=None)
    rows = [[m["program"], m["variant"], f"{DURATION / (m['ns'] * 1e-9):.0f}", str(m["evaluations"]), f"{m['error']:.1e}",
             f"{m['ns'] / ours:.2f}" if ours else "-"] for m in lines]
    return ["program", "method", "simulated s per s", "evaluations", "error at the end, rad", "time / catena's Dormand-Prince"], rows


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
    for computation in ("inverse_dynamics", "inertia_matrix", "forward_dynamics"):
        yield (f"{COMPUTATIONS[computation]}, generated code", *generated_table(results, computation))
    for computation in ELSEWHERE:
        yield (f"{COMPUTATIONS[computation]}, generated code beside Pinocchio's own", *elsewhere_table(results, computation))
    yield ("Batches over their size", *sizes_table(results))
    yield ("Batches beside the limit of the processor", *limits_table(results))
    for computation, title in METHODS.items():
        yield (title, *method_table(results, computation))
    yield ("Closed chains: forward dynamics", *closed_table(results))
    yield ("Closed chains: N windows side by side", *growth_table(results, "n-four-bar"))
    yield ("Closed chains: a chain of N links held at its end", *growth_table(results, "held-chain"))
    yield ("Simulation: free fall of the PUMA", *simulation_table(results))


def text(results):
    for title, header, rows in tables(results):
        if not rows:
            continue
        width = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        yield f"\n{title}" + ("" if title.startswith("Simulation") else " (ns per call)")
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
    yield "- By formulation, and for generated code: in brackets how many times Pinocchio's time is ours."
    yield "- Generated code is compiled by cc for this processor; in lanes, a time is that of one of the 256 states done in one call on one core."
    yield "- Pinocchio's own generated code (CppADCodeGen) is not built here: its times are from another machine and scaled by what its general code takes here and there."
    if results.get("peak"):
        yield (f"- The limit of the processor is what twelve independent fused sums reach on one core, in the same run: {results['peak']}. Operations are counted by the "
               "counting scalar, those with a structural zero included; a sine and cosine are 46. Batches of 256 states, wall-clock time, the least of 15 rounds.")
    yield from CLOSED_NOTES
    for title, header, rows in tables(results):
        if rows:
            yield from ["", f"## {title}", "", f"| {' | '.join(header)} |", "|---" + "|--:" * (len(header) - 1) + "|"]
            yield from (f"| {' | '.join(row)} |" for row in rows)
            for picture in pictures_of(title):
                yield from ["", f"![{title}](images/{picture})"]


PICTURES = {"Closed chains: N windows side by side": ("n-four-bar", "n-four-bar.svg", "windows N"),
            "Closed chains: a chain of N links held at its end": ("held-chain", "held-chain.svg", "links N")}


def pictures_of(title):
    if title in PICTURES:
        yield PICTURES[title][1]
    for computation, name in COMPUTATIONS.items():
        if title == name:
            yield f"{computation}-over-n.svg"
    if title == "Batches over their size":
        yield from ("batches-chain7.svg", "batches-humanoid.svg")


CLOSED_NOTES = [
    "- Closed chains: machines of `models/`, 64 random closed states; every result was compared with an independent method first, to 1e-8 of",
    "  the accelerations. Pinocchio's `constraintDynamics` has 3D constraints, one or two joints for a universal one, and the fastest of several",
    "  proximal settings that give 1e-8. Its welds (6D) would hold revolute loops fast. The last ratio is the faster build over the fastest of our methods.",
    "- N windows: the N-four-bar (2N + 1 links, N loops). Held chain: N revolute joints, one ball joint to the ground. Pinocchio up to 100.",
    "- Simulation: the PUMA falls from rest for 10 s, tolerances 1e-9. The loop around Pinocchio's `aba` is C++ with the same Dormand-Prince 5(4)",
    "  tableau, norm and step control; MuJoCo's RK4 has the largest step that is as accurate at the end as Catena's Dormand-Prince; errors are against",
    "  a run of order 8 at 1e-14.",
]


def draw_pictures(results, folder):
    for title, (family, file, label) in PICTURES.items():
        lines = growth(results, family)
        if lines:
            growth_plot.draw(folder / file, title, label, lines)
    for computation, title in COMPUTATIONS.items():
        lines = over_n(results, computation)
        if lines:
            growth_plot.draw(folder / f"{computation}-over-n.svg", f"{title} of chains, per state", "joints n", lines)
    for model in ("chain7", "humanoid"):
        lines = over_sizes(results, model)
        if lines:
            growth_plot.draw(folder / f"batches-{model}.svg", f"{model}: time per state, by threads", "states in the batch", lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 rounds of 0.02 s: a look, not a result; saved only with -o")
    parser.add_argument("--models", default=",".join(EVERY_MODEL), help="comma list of models, or trees, batches, closed, simulation (default: all)")
    parser.add_argument("--only", help="comma list of computations and libraries (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--min-time", type=float, default=0.2, help="seconds per measurement and round")
    parser.add_argument("--from", dest="source", type=pathlib.Path, help="show these results, measure nothing")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write the tables as markdown, too")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="default: benchmarks/results/latest.json, for a full run")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.min_time = 3, 0.02
    args.models = ",".join(m for name in args.models.split(",") for m in PARTS.get(name, [name]))
    known = {"--models": EVERY_MODEL, "--only": [*COMPUTATIONS, *PROGRAMS, "pinocchio"]}
    for option, value in (("--models", args.models), ("--only", args.only)):
        for name in value.split(",") if value else []:
            if name not in known[option]:
                parser.error(f"{option}: '{name}' is not one of {', '.join(known[option])}")

    if args.source:
        results = json.loads(args.source.read_text())
    else:
        results = measure(args)
        full = not (args.quick or args.only or args.models != ",".join(EVERY_MODEL))
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
        (args.markdown.parent / "images").mkdir(exist_ok=True)
        draw_pictures(results, args.markdown.parent / "images")
    wrong = list(disagreements(results))
    for line in wrong:
        print("DISAGREES", line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
