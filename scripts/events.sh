# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the allocator did beside being timed: the slab memory before and after a run, and the events
# that the kernel counts in each test. Written as the metrics of a record. Sourced, after cgroup.sh;
# plain enough for busybox.

sys_slab=${sys_slab:-/sys/kernel/slab}
lock_stat=${lock_stat:-/proc/lock_stat}
slabinfo=${slabinfo:-/proc/slabinfo}

# slab_memory before|after: of each size of kmalloc, all its variants (dma-kmalloc-64, kmalloc-cg-64,
# kmalloc-rnd-07-64, …) together, and of all caches. Nothing where the kernel does not tell.
slab_memory() {
	awk -v when="$1" '
		function tell(cache, pages) {
			printf "slab/%s/%s\tKiB\tlower\t1\t%d\n", cache, when, pages * page_size
		}
		$1 == "KernelPageSize:" { page_size = $2; nextfile }
		!page_size || !/ : slabdata / { next }
		{
			total += $6 * $15
			size = $1
			sub(/.*-/, "", size)
			if ($1 !~ /^(dma-)?kmalloc-/ || size !~ /^[0-9]+[kM]?$/)
				next
			if (!(size in pages))
				sizes[++count] = size
			pages[size] += $6 * $15
		}
		END {
			for (i = 1; i <= count; i++)
				tell("kmalloc-" sizes[i], pages[sizes[i]])
			if (total)
				tell("all", total)
		}' /proc/self/smaps "$slabinfo" 2>/dev/null || true
}

# events_line: the line of a record's header that says what of this kernel counts events
events_line() {
	words=
	! grep -qs '^[0-9]' "$sys_slab"/kmalloc-*/alloc_slowpath || words=SLUB_STATS
	! grep -qs '^lock_stat version' "$lock_stat" || words="$words${words:+, }LOCK_STAT"
	echo "# events: ${words:-none, needs a kernel with CONFIG_SLUB_STATS or CONFIG_LOCK_STAT}"
}

# caches_of SIZE: the folders of the caches that kmalloc(SIZE) may use, each once, whatever its aliases
caches_of() {
	class=$(for folder in "$sys_slab"/kmalloc-[0-9]*; do echo "${folder##*-}"; done |
		awk -v size="$1" '
			{ bytes = $1 * ($1 ~ /k$/ ? 1024 : $1 ~ /M$/ ? 1048576 : 1) }
			bytes >= size && (!least || bytes < least) { least = bytes; class = $1 }
			END { print class }')
	[ -n "$class" ] || return 0
	for folder in "$sys_slab/kmalloc-$class" "$sys_slab"/kmalloc-*-"$class" "$sys_slab/dma-kmalloc-$class"; do
		[ ! -d "$folder" ] || readlink -f "$folder"
	done | sort -u
}

# counters SIZE: what is counted now, a line each: FOLDER/EVENT:COUNT and what may follow. Of the caches
# of kmalloc(SIZE) and of the module's own; list_lock and the like are those of all caches.
counters() {
	for folder in $(caches_of "$1") "$sys_slab/slab_test"; do
		grep -s . "$folder"/alloc_* "$folder"/free_* "$folder"/cpuslab_flush "$folder"/deactivate_* \
			"$folder"/order_fallback "$folder"/cmpxchg_double_* "$folder"/cpu_partial_* \
			"$folder"/sheaf_* "$folder"/barn_* | grep -v '/[a-z]*_calls:' || true
	done
	# the name of the lock, which is n of SLUB, parent or ptr of SLAB, then how often it was contended
	# (second) and acquired (eighth)
	awk '/lock debugging disabled/ { exit }
		match($0, /^ *&\(?&?((n|parent|ptr)->list_lock|barn->lock)\)?(->rlock)?[^ ]*: /) {
			name = index($1, "barn") ? "barn_lock" : "list_lock"
			split(substr($0, RLENGTH + 1), number)
			contentions[name] += number[2]
			acquisitions[name] += number[8]
		}
		END {
			for (name in acquisitions) {
				printf "lock/%s_contentions:%.0f\n", name, contentions[name]
				printf "lock/%s_acquisitions:%.0f\n", name, acquisitions[name]
			}
		}' "$lock_stat" 2>/dev/null || true
}

# changes TEST SIZE OBJECTS BEFORE AFTER: from two files of counters to events an object. The module's
# own cache, where the test has one, is new and the only one used. What ran backwards was reset or
# wrapped, and what is on one side only was not counted: both are missing.
changes() {
	awk -v test="$1/$2" -v objects="$3" '
		{
			at = index($0, ":")
			place = substr($0, 1, at - 1)
			split(substr($0, at + 1), number, " ")
			own = place ~ /\/slab_test\/[^\/]*$/
		}
		pass == "before" { if (!own) before[place] = number[1]; next }
		{
			event = place
			sub(/.*\//, "", event)
			uses_own = uses_own || own
			if (!(event in known)) {
				known[event] = 1
				events[++count] = event
			}
			kind = own ? "own" : place ~ /^lock\// ? "lock" : "shared"
			if (!own && !(place in before) || number[1] + 0 < before[place] + 0)
				broken[kind, event] = 1
			change[kind, event] += number[1] - before[place]
			seen[kind, event] = 1
			delete before[place]
		}
		END {
			for (place in before) {
				event = place
				sub(/.*\//, "", event)
				broken[place ~ /^lock\// ? "lock" : "shared", event] = 1
			}
			for (i = 1; i <= count; i++) {
				event = events[i]
				kind = ("lock", event) in seen ? "lock" : uses_own ? "own" : "shared"
				if ((kind, event) in seen && !((kind, event) in broken))
					printf "event/%s/%s\t/object\tlower\t1\t%.6f\n", test, event,
						change[kind, event] / objects
			}
		}' pass=before "$4" pass=after "$5"
}

# shellcheck disable=SC2317,SC2329 # called by in_cgroup
write_to() { echo "$2" >"$1"; }

# allocator_events SAMPLES FILES SCRATCH: runs each test and size that the file SAMPLES has once more,
# alone and for three rounds, through the module's folder FILES in debugfs, and writes the events of
# each. SCRATCH is a folder for files.
allocator_events() {
	! events_line | grep -q 'events: none' || return 0
	cut -f 1,3 "$1" |
		awk '$1 !~ /^(test|null|alloc_page.*)$/ && $2 != "-" && !seen[$0]++' >"$3/units"
	all=$(wc -l <"$3/units")
	number=0
	while read -r test size; do
		number=$((number + 1))
		echo "${me:-events}: events $number/$all $test $size" >&2
		command="start tests=${test%%/*} sizes=$size rounds=3 warmup=0"
		# batch_alloc_free/100/random: of the variants that a test has, this one
		for variant in $(echo "$test" | sed 's/^[^/]*//; s,/, ,g'); do
			case $variant in
			*[!0-9]*) command="$command order=$variant" ;;
			*) command="$command batch=$variant bulk=$variant" ;;
			esac
		done
		counters "$size" >"$3/before"
		in_cgroup write_to "$2/run" "$command" || continue
		while grep -q '^running' "$2/run"; do sleep 0.1; done
		counters "$size" >"$3/after"
		objects=$(sed -n 's/^# objects: out \([0-9]*\), .*/\1/p' "$2/results")
		if grep -q '^done' "$2/run" && [ "${objects:-0}" -gt 0 ]; then
			changes "$test" "$size" "$objects" "$3/before" "$3/after"
		fi
	done <"$3/units"
}

# with_metrics FILE: copies a record and appends the metrics of FILE, where there are any
with_metrics() {
	cat
	[ -s "$1" ] || return 0
	printf '\nmetric\tunit\tbetter\tround\tvalue\n'
	cat "$1"
}
