# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A memory cgroup for what is to be charged to it. Sourced; plain enough for busybox.

cgroup='' cgroup_made='' cgroup_enabled=''

# cgroup_make NAME: makes the memory cgroup NAME at the top, or takes the one that is there, and sets
# $cgroup to its folder. Returns 1 where that cannot be, and says why on standard error.
cgroup_make() {
	folder=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if ! grep -qsw memory "$folder/cgroup.controllers"; then
		folder=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
		[ -n "$folder" ] || {
			echo "--cgroup: no memory controller (needs CONFIG_MEMCG, no cgroup_disable=memory, and cgroup2 mounted)" >&2
			return 1
		}
	elif ! grep -qw memory "$folder/cgroup.subtree_control"; then
		echo +memory >"$folder/cgroup.subtree_control" || {
			echo "--cgroup: cannot enable the memory controller in $folder/cgroup.subtree_control" >&2
			return 1
		}
		cgroup_enabled=$folder
	fi
	cgroup=$folder/$1
	[ ! -d "$cgroup" ] || return 0
	mkdir "$cgroup" 2>/dev/null || {
		echo "--cgroup: cannot make $cgroup" >&2
		return 1
	}
	cgroup_made=yes
}

# in_cgroup COMMAND...: runs it in the cgroup, where one was made. A writer of 0 moves itself: here
# the shell of the parentheses.
in_cgroup() {
	(
		[ -z "$cgroup" ] || echo 0 >"$cgroup/cgroup.procs" || {
			echo "--cgroup: cannot enter $cgroup" >&2
			exit 1
		}
		"$@"
	)
}

# cgroup_remove: undoes what cgroup_make did. A cgroup that is in use, or was there before, stays.
cgroup_remove() {
	if [ -n "$cgroup_made" ] && ! rmdir "$cgroup" 2>/dev/null; then
		# somebody who left it may still be on the way out
		sleep 1
		rmdir "$cgroup" || true
	fi
	[ -z "$cgroup_enabled" ] || echo -memory >"$cgroup_enabled/cgroup.subtree_control" || true
}
