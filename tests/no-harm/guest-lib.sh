# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2009,SC2034 # busybox has no pgrep that tells threads of the kernel
# What the guest scripts of this folder share; they start with `. /guest-lib.sh`.

files=/sys/kernel/debug/slab_test

section() { echo "## $*"; }
log() { dmesg | sed -n 's/^\[[^]]*\] //; /^slab_test: /p' | tail -n 1; }
tell() { echo "$*" 2>/dev/null >$files/run; }
wait_until_over() { while grep -q running $files/run; do usleep 5000; done; }
threads() { ps | grep -c '[s]lab_test/'; }
loaded() { [ -d /sys/module/slab_test ] && echo loaded || echo not loaded; }
# a whole number below $1
random() { echo $(($(od -An -N 4 -t u4 /dev/urandom) % $1)); }

# unload: as soon as nobody has a file of the module open
unload() {
	until rmmod slab_test 2>/dev/null; do usleep 1000; done
}

# objects: those of all kmalloc caches, or more: all of a slab that a CPU has taken since it gave its
# slabs back count as allocated
objects() {
	for shrink in /sys/kernel/slab/*/shrink; do echo 1 >"$shrink"; done 2>/dev/null
	awk '/^kmalloc-/ { objects += $2 } END { print objects }' /proc/slabinfo
}

# usage: what the module may leave behind, one figure a line
usage() {
	# for what is freed after a grace period
	sleep 5
	echo "objects $(for try in 1 2 3 4 5; do objects; done | sort -n | head -n 1)"
	echo "caches $(grep -c '^slab_test' /proc/slabinfo)"
	awk '/slab_test/ { areas++ } END { print "vmalloc_areas", areas + 0 }' /proc/vmallocinfo
	awk '/^VmallocUsed:/ { print "vmalloc_kB", $2 }' /proc/meminfo
	echo "threads $(threads)"
	echo "tasks $(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)"
	echo "files $(cut -f 1 /proc/sys/fs/file-nr)"
	echo "debugfs $(find /sys/kernel/debug -maxdepth 1 -name 'slab_test*' | wc -l)"
}
