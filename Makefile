# SPDX-License-Identifier: GPL-2.0-only
#
# What a person types. kbuild reads Kbuild; the scripts do the work and run without make as well.

KDIR ?= /lib/modules/$(shell uname -r)/build

# What root built for somebody is theirs.
GIVE_BACK = test -z "$$SUDO_UID" || chown -R "$$SUDO_UID:$$SUDO_GID" build

.PHONY: help modules install setup demo check check-all check-debug check-studies deb fuzz plots clean

help:
	@echo 'slab_test: what kmalloc and kfree cost, before and after a change of the allocator'
	@echo
	@echo '  sudo make demo    two kernels in QEMU, a table and a picture of the difference'
	@echo '  sudo make check   the tests'
	@echo
	@echo '  make modules      build slab_test.ko for the running kernel, or KDIR=<built tree>'
	@echo '  sudo make install install it where modprobe finds it (INSTALL_MOD_PATH=<root> for a package)'
	@echo '  sudo make setup   install the Debian packages for all of this'
	@echo '  sudo make check-all   the tests, also those that take long'
	@echo '  sudo make check-debug the module under a kernel that looks for mistakes, which is built first'
	@echo '  make check-studies    runs all studies: an hour, the first time two, for their kernels'
	@echo '  sudo make deb     Debian packages: the module for DKMS, the scripts as the command slab-test'
	@echo '  make plots        the pictures of the demo again, from its records'
	@echo '  make fuzz         feed the readers of compare.sh with damaged input for a while'
	@echo '  make clean        remove what make modules built; fetched kernels and records below build/ stay'
	@echo
	@echo 'Each script in scripts/ and plot/ has --help.'

modules:
	@test -d "$(KDIR)" || { echo "no kernel headers in $(KDIR): install linux-headers-$$(uname -r) or say KDIR=<built tree>" >&2; exit 1; }
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules

install: modules
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules_install

setup:
	scripts/setup.sh demo check build arm64

demo:
	scripts/setup.sh demo
	@# 1: a row is slower, which is an answer and no failure
	scripts/study.sh run demo || [ $$? = 1 ]; code=$$?; $(GIVE_BACK); exit $$code

check:
	scripts/setup.sh demo check build arm64
	tests/run; code=$$?; $(GIVE_BACK); exit $$code

check-all:
	scripts/setup.sh demo check arm64 long
	tests/run --all; code=$$?; $(GIVE_BACK); exit $$code

check-debug:
	scripts/setup.sh demo check build
	tests/run tests/debug/*.bats; code=$$?; $(GIVE_BACK); exit $$code

deb:
	scripts/setup.sh deb
	scripts/deb.sh; code=$$?; $(GIVE_BACK); exit $$code

check-studies:
	scripts/setup.sh demo plot build
	@# the selfcheck is of the machine and no study of a change
	code=0; for study in studies/*/study.conf; do \
		study=$$(basename $$(dirname $$study)); \
		test $$study != selfcheck || continue; \
		result=0; scripts/study.sh run $$study || result=$$?; \
		case $$result in \
		0 | 1) ;; \
		3) echo "$$study: of a part of it nothing could be told" >&2 ;; \
		*) echo "$$study: exit code $$result" >&2; code=1 ;; \
		esac; \
	done; $(GIVE_BACK); exit $$code

plots:
	scripts/setup.sh plot
	scripts/study.sh compare demo || [ $$? = 1 ]; code=$$?; $(GIVE_BACK); exit $$code

fuzz:
	scripts/compare/fuzz.sh

clean:
	@! test -d "$(KDIR)" || $(MAKE) -C "$(KDIR)" M="$(CURDIR)" clean
