# Builds tables with make, a process for each pair, or class with cows in hand, as many side by side as -j says:
#
#     make -j2 -f scripts/build.mk RULES=gar MAX_COWS=12 TABLES=tables
#     make -j2 -f scripts/build.mk RULES=gar WHAT=--game TABLES=tables
#
# `check` holds the tables, once they are there, against a manifest:
#
#     make -f scripts/build.mk check MAX_COWS=8 TABLES=tables MANIFEST=tables/shipped.manifest
#
# The graph is what `morabase plan --needs` prints. Each of them is built by a process of its own from the tables that are
# there, so an interrupted run goes on when it is started again. Memory: -j times what `morabase plan` says of the largest pairs.

MORABASE ?= morabase
RULES    ?= gar
MAX_COWS ?= 8
# What to build, as `morabase build` takes it.
WHAT     ?= --max-cows $(MAX_COWS)
TABLES   ?= tables
# Threads of each process.
THREADS  ?= 1

# For `check`: what `morabase manifest` wrote.
MANIFEST ?= tables/shipped.manifest

.DELETE_ON_ERROR:
.PHONY: all check
all:

check: all
	$(MORABASE) verify --manifest '$(MANIFEST)' --rules '$(RULES)' --tables '$(TABLES)'

# One word a pair, as make knows no lines: `4-4:/3-3/4-3`.
GRAPH := $(shell $(MORABASE) plan --rules '$(RULES)' $(WHAT) --tables '$(TABLES)' --needs | tr ' ' '/')
ifeq ($(GRAPH),)
$(error no plan: is MORABASE, which is '$(MORABASE)', right?)
endif

# The rule of a pair: its name, and the pairs it needs.
define pair
.PHONY: $(1)
all: $(1)
$(1): $(2)
	$$(MORABASE) build --class $(1) --only --rules '$$(RULES)' --tables '$$(TABLES)' --threads $$(THREADS) --quiet
endef

$(foreach line,$(GRAPH),$(eval $(call pair,$(firstword $(subst :, ,$(line))),$(subst /, ,$(word 2,$(subst :, ,$(line)))))))
