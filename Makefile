# Everything a user or a contributor asks for, in one place; CMake does the work. `make help` lists it.
PREFIX ?= /usr/local
BUILD ?= build
BUILD_TYPE ?= Release
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
BENCH_ARGS ?=

CTEST = ctest --output-on-failure --parallel $(JOBS)

.DEFAULT_GOAL := build
.PHONY: build configure dependencies demo test python test-python bench bench-python install format format-check asan tsan clean help

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo "  variables: PREFIX=$(PREFIX) BUILD=$(BUILD) BUILD_TYPE=$(BUILD_TYPE) JOBS=$(JOBS) CMAKE_ARGS= BENCH_ARGS="

# Installs Debian packages that are missing; finds out in a moment that there are none.
dependencies: ## install the Debian packages that are missing (root or sudo)
	@tools/install-dependencies

configure: dependencies
	@test -f $(BUILD)/build.ninja -a -z "$(CMAKE_ARGS)" || \
	  cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) $(CMAKE_ARGS)

build: configure ## the program, at build/catena (the default)
	@cmake --build $(BUILD) --parallel $(JOBS) --target catena

demo: build ## torques of PUMA and Stanford arms (out/demo), and the papers reproduced (out/papers/report.html)
	@tools/demo $(BUILD)/catena out/demo out/papers

test: configure ## build everything and run all tests
	@cmake --build $(BUILD) --parallel $(JOBS)
	@cd $(BUILD) && $(CTEST)

# In a virtual environment; the second time only what has changed is built. PyPI is needed the first time.
VENV = $(BUILD)/.venv
PYTHON ?= python3

python: dependencies ## the Python package, in a virtual environment at build/.venv
	@tools/python-package $(PYTHON) $(VENV) $(CMAKE_ARGS)

test-python: python ## the Python tests and notebooks, beside Pinocchio and MuJoCo
	@$(VENV)/bin/python -m pytest

bench-python: python ## calls from Python beside Pinocchio's
	@$(VENV)/bin/python benchmarks/python.py

bench: configure ## our times beside those of the peers (BENCH_ARGS=--quick for a look)
	@cmake --build $(BUILD) --parallel $(JOBS) --target catena_bench batch_bench loop_bench simulation_bench
	@benchmarks/build_peers.sh
	@benchmarks/run.py $(BENCH_ARGS)

install: configure ## library, headers, program and models into PREFIX
	@cmake --build $(BUILD) --parallel $(JOBS) --target install_parts
	@cmake --install $(BUILD) --prefix $(PREFIX)

format: ## format all C++ sources
	@tools/list-sources | xargs clang-format -i

format-check: ## say which C++ sources are not formatted
	@tools/check-format

asan: dependencies ## all tests under the address and undefined-behaviour sanitizers
	@test -f build-asan/build.ninja || cmake -S . -B build-asan -G Ninja -DCMAKE_BUILD_TYPE=Debug \
	  -DCATENA_SANITIZE=address,undefined -DCATENA_BUILD_BENCHMARK=OFF $(CMAKE_ARGS)
	@cmake --build build-asan --parallel $(JOBS)
	@cd build-asan && LSAN_OPTIONS=suppressions=$(CURDIR)/tools/leaks.txt:print_suppressions=0 $(CTEST)

# What uses threads: batches and the constraint-force method.
tsan: dependencies ## what uses threads under the thread sanitizer
	@test -f build-tsan/build.ninja || cmake -S . -B build-tsan -G Ninja -DCMAKE_BUILD_TYPE=Debug \
	  -DCATENA_SANITIZE=thread -DCATENA_BUILD_BENCHMARK=OFF -DCATENA_BUILD_CLI=OFF $(CMAKE_ARGS)
	@cmake --build build-tsan --parallel $(JOBS) --target test_batch test_formulations
	@build-tsan/tests/test_batch && build-tsan/tests/test_formulations --gtest_filter='ConstraintForce.*'

clean: ## remove what was built
	@rm -rf $(BUILD) build-asan build-tsan out
