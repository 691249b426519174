# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# perf beside a run: it watches all CPUs, because the module's threads are nobody's children. Sourced by
# run.sh, whose $work is a folder for files.

# perf_try ARGUMENT...: ends the script where perf is missing or refuses what these arguments ask for
perf_try() {
	command -v perf >/dev/null 2>&1 || die 9 "no perf here: apt-get install linux-perf"
	perf "$@" -- true >"$work/perf-log" 2>&1 || perf_refuses
}

perf_refuses() { die 9 "perf refuses: $(grep -m 1 '[^[:space:]]' "$work/perf-log" || echo 'without a word')"; }

# perf_begin ARGUMENT...: starts perf, and returns when it watches
perf_begin() {
	rm -f "$work/perf-watches" "$work/perf-status" "$work/perf-over"
	# it ends when it is told to, or when this script is no more
	# shellcheck disable=SC2016
	(
		perf "$@" -- sh -c '
			: >"$1/perf-watches"
			until [ -e "$1/perf-over" ] || ! kill -0 "$2" 2>/dev/null; do sleep 0.1; done
		' sh "$work" $$ >"$work/perf-log" 2>&1 && status=0 || status=$?
		# a script that was stopped has removed the folder
		{ echo "$status" >"$work/perf-status"; } 2>/dev/null
	) &
	until [ -e "$work/perf-watches" ]; do
		[ ! -e "$work/perf-status" ] || perf_refuses
		sleep 0.1
	done
}

# perf_end: the run is over; returns when perf has written what it has
perf_end() {
	: >"$work/perf-over"
	wait
	[ "$(cat "$work/perf-status")" = 0 ] || perf_refuses
}
