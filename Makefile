# Every command of the course. `make` alone lists them. GNU make 3.81 (macOS) is enough.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
ASSIGNMENT ?= lesson-14
PY     := $(VENV)/bin/python
# In a container everybody is root, and Jupyter wants to be told.
AS_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)

# What is set in a person's shell must not reach what runs here.
unexport PYTHONHOME PYTHONSTARTUP PYTHONWARNINGS PYTHONOPTIMIZE PYTHONINSPECT PYTHONSAFEPATH
unexport PYTHONHASHSEED PYTEST_ADDOPTS PYTEST_PLUGINS MATPLOTLIBRC MPLBACKEND IPYTHONDIR
unexport PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT
export PYTHONPATH := $(CURDIR)

.DEFAULT_GOAL := help
.PHONY: help lesson-14 test lint lab render release student autograde formgrader feedback report bench torch clean
.DELETE_ON_ERROR:

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

lesson-14: $(VENV)/.lessons ## set up if need be, run and check the whole of Lesson 14
	@"$(PY)" scripts/run_lesson.py lesson-14

test: $(VENV)/.tests ## lint, then run all tests and all lessons
	@lint=0; "$(MAKE)" lint || lint=1; \
	MPLBACKEND=agg "$(PY)" -m pytest --nbval --nbval-cell-timeout=60 --timeout=300 -n 2 --dist loadfile \
	    tests notebooks $(ARGS) && exit $$lint

lint: $(VENV)/.tests ## check style (ruff), layout (ruff format) and types (mypy)
	@status=0; \
	"$(PY)" -m ruff check . || status=1; \
	"$(PY)" -m ruff format --check . || status=1; \
	"$(PY)" -m mypy || status=1; \
	exit $$status

lab: $(VENV)/.lessons ## open the lessons in JupyterLab
	@"$(PY)" -m jupyterlab --ServerApp.root_dir=. \
	    --LabApp.default_url=/lab/tree/notebooks/lesson-14 $(AS_ROOT) $(ARGS)

render: $(VENV)/.lessons ## run the lessons and write their outputs [NOTEBOOKS=… ARGS=--check]
	@"$(PY)" scripts/render_notebooks.py $(ARGS) $(NOTEBOOKS)

release: $(VENV)/.grading ## turn the solutions into the students' exercises [ARGS=--check]
	@"$(PY)" scripts/release_exercises.py lesson-14 $(ARGS)

student: release ## pack what a student needs into dist/lesson-14-student.zip
	@"$(PY)" scripts/student_bundle.py lesson-14

autograde: $(if $(SCHEDULER),$(VENV)/.cluster,$(VENV)/.grading) ## grade submitted/ behind the wall [JOBS=n SCHEDULER=tcp://… ASSIGNMENT=… ARGS=…]
	@PATH="$(abspath $(VENV))/bin:$$PATH" "$(PY)" -m course_lib.grading autograde "$(ASSIGNMENT)" \
	    $(if $(JOBS),--jobs "$(JOBS)") $(if $(SCHEDULER),--scheduler "$(SCHEDULER)") $(ARGS)

feedback: $(VENV)/.grading ## write a page for each student and notebook [JOBS=n ASSIGNMENT=… ARGS=…]
	@"$(PY)" -m course_lib.grading.feedback "$(ASSIGNMENT)" $(if $(JOBS),--jobs "$(JOBS)") $(ARGS)

report: $(VENV)/.grading ## write the class report into dist/report [ASSIGNMENT=… ARGS=…]
	@"$(PY)" -m course_lib.grading.class_report "$(ASSIGNMENT)" $(ARGS)

formgrader: $(VENV)/.grading ## open nbgrader's formgrader in a browser [ARGS=--port=8890]
	@PATH="$(abspath $(VENV))/bin:$$PATH" "$(PY)" -m jupyter_server --ServerApp.default_url=/formgrader \
	    --ServerApp.root_dir=. $(AS_ROOT) $(ARGS)

bench: $(VENV)/.lessons $(VENV)/.grading ## time the engines and the judge beside their peers [ARGS=--quick]
	@"$(PY)" -m benchmarks $(ARGS)
	@"$(PY)" -m benchmarks judge $(filter --quick --check,$(ARGS))

torch: $(VENV)/.lessons ## add PyTorch and transformers, for the lesson that compares with them
	@sh scripts/environment.sh "$(VENV)" "$(PYTHON)" lessons,checkpoints,torch

clean: ## remove the environment and all that was built
	rm -rf "$(VENV)" build dist .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment is finished when its stamp is newer than what it was made from.
$(VENV)/.lessons: $(PY) pyproject.toml constraints.txt
	@sh scripts/environment.sh "$(VENV)" "$(PYTHON)" lessons,checkpoints
	@touch "$@"

$(VENV)/.grading: $(PY) pyproject.toml constraints.txt
	@sh scripts/environment.sh "$(VENV)" "$(PYTHON)" lessons,grading
	@touch "$@"

$(VENV)/.cluster: $(PY) pyproject.toml constraints.txt
	@sh scripts/environment.sh "$(VENV)" "$(PYTHON)" lessons,grading,cluster
	@touch "$@"

$(VENV)/.tests: $(PY) pyproject.toml constraints.txt
	@sh scripts/environment.sh "$(VENV)" "$(PYTHON)" lessons,checkpoints,grading,cluster,postgresql,test,browser
	@touch "$@"

# Missing also where the Python it was made with is gone.
$(PY):
	@sh scripts/environment.sh "$(VENV)" "$(PYTHON)"
