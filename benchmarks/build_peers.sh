#!/usr/bin/env bash
# Builds the peers' benchmark programs into build/bench. Run it again at any time: only what changed is built.
#
# usage: benchmarks/build_peers.sh
#
# Installs missing Debian packages (as root or through sudo) and Pinocchio's wheel into build/bench/venv.
# A peer that cannot be had is skipped and said so. Environment: PIN='pin>=3.7,<4' chooses Pinocchio's version.
set -u
cd "$(dirname "$0")/.." || exit 1
out=build/bench
src=benchmarks/peers
common="-std=c++20 -O3 -DNDEBUG -w"
mkdir -p "$out"

say() { echo "build_peers: $*"; }

# packages NAME...: true if all are installed in the end.
packages() {
  local missing=() as_root=()
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  say "installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}" >"$out/apt.log" 2>&1
}

# compile PROGRAM SOURCE COMPILER FLAGS...: builds when the source, the harness, the compiler or the flags changed.
compile() {
  local program=$out/$1 source=$src/$2
  shift 2
  local key
  key=$(cat "$source" $src/*.hpp | cksum; "$1" --version | head -n 1; echo "$@")
  if [ -x "$program" ] && [ "$key" = "$(cat "$program.key" 2>/dev/null)" ]; then
    say "$program is up to date"
    return 0
  fi
  say "compiling $program"
  local compiler=$1
  shift
  if "$compiler" "$source" -o "$program.new" "$@" 2>"$program.log"; then
    mv "$program.new" "$program"
    echo "$key" >"$program.key"
  else
    say "$program skipped: $compiler failed, see $program.log"
    rm -f "$program"
  fi
}

packages g++ pkg-config libeigen3-dev || say "g++, pkg-config or Eigen is missing, see $out/apt.log"
eigen=$(pkg-config --cflags eigen3 2>/dev/null)

# MuJoCo and KDL: as packaged. Their algorithms are in their libraries, so -march=native would change nothing.
if packages libmujoco-dev; then
  compile mujoco_bench mujoco_bench.cpp g++ $common -lmujoco
  compile mujoco_simulation_bench mujoco_simulation_bench.cpp g++ $common -lmujoco
else
  say "MuJoCo skipped: libmujoco-dev cannot be installed, see $out/apt.log"
fi
if packages liborocos-kdl-dev libkdl-parser-dev; then
  compile kdl_bench kdl_bench.cpp g++ $common $eigen -lorocos-kdl -lkdl_parser
else
  say "KDL skipped: liborocos-kdl-dev or libkdl-parser-dev cannot be installed, see $out/apt.log"
fi

# Pinocchio: headers from its wheel, compiled here for this machine with both compilers.
pinocchio() {
  local venv=$out/venv pin=${PIN:-pin>=3.7,<4}
  local fitting='cmeel-urdfdom<5 cmeel-tinyxml2<11'  # what it links; newer ones cannot be loaded
  if ! packages liburdfdom-dev python3-venv; then
    say "Pinocchio skipped: liburdfdom-dev or python3-venv cannot be installed, see $out/apt.log"
    return
  fi
  if [ "$pin" != "$(cat "$venv/installed" 2>/dev/null)" ]; then
    say "installing $pin into $venv"
    if ! { python3 -m venv --clear "$venv" && "$venv/bin/pip" install -q "$pin" $fitting; } >"$out/pip.log" 2>&1; then
      say "Pinocchio skipped: pip cannot install $pin, see $out/pip.log"
      return
    fi
    echo "$pin" >"$venv/installed"
    rm -f "$out"/pinocchio_*.key
  fi
  local headers clang flags
  headers=$(echo "$venv"/lib/python3*/site-packages/cmeel.prefix/include)
  flags="$common -march=native -isystem $headers $eigen -lurdfdom_model"
  # all_of NAME COMPILER FLAGS...: every program with one compiler
  all_of() {
    local name=$1
    shift
    for program in pinocchio_bench pinocchio_loop_bench pinocchio_simulation_bench; do
      compile "${program}_$name" "$program.cpp" "$@"
    done
  }
  all_of gcc g++ $flags &
  clang=$(compgen -c clang++ | grep -E '^clang\+\+(-[0-9]+)?$' | sort -uV | tail -n 1)
  if [ -z "$clang" ] && packages clang-16; then clang=clang++-16; fi
  if [ -n "$clang" ]; then
    all_of clang "$clang" $flags
  else
    say "Pinocchio with clang skipped: no clang++ found, and clang-16 cannot be installed"
    say "  beware: Pinocchio built with g++ alone is up to 2 times slower than it can be"
  fi
  wait
}
pinocchio
say "ready:" $(find "$out" -maxdepth 1 -type f -executable -printf '%f\n' | sort)
