# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests that look at a guest's answers share; they `load` it.

# ask FOLDER SCRIPT OPTION...: runs a script that uses guest-lib.sh in a guest of vm.sh. Its answers are in
# FOLDER/answers, what vm.sh said in FOLDER/progress. Of a guest that dies, bats shows the end of both.
ask() {
	local folder=$1 script=$2 code=0
	shift 2
	"$top/scripts/vm.sh" "$@" --file "$top/tests/no-harm/guest-lib.sh" --script "$script" -o "$folder" \
		>"$folder/answers" 2>"$folder/progress" || code=$?
	[ "$code" = 0 ] || tail -n 30 "$folder/answers" "$folder/progress" "$folder"/boot-001.run/*.log
	return "$code"
}

# section NAME [FOLDER]: what the guest printed for it, with section() of guest-lib.sh
section() {
	awk -v name="$1" '/^## / { on = substr($0, 4) == name; found += on; next } on
		END { exit !found }' "${2:-$BATS_FILE_TMPDIR}/answers"
}

# balanced: in the records on standard input, or parts of them, are all objects back?
balanced() {
	awk 'match($0, /objects: out [0-9]+, back [0-9]+/) {
			split(substr($0, RSTART, RLENGTH), word, /[ ,]+/)
			if (word[3] != word[5]) { print; exit 1 }
		}'
}

# unchanged N: lines of usage on standard input, before and after: less than one object more in each of N
# times. Without the module the caches breathe by some hundred, files are counted in steps of 32, and the
# kernel's own workers are among the tasks.
unchanged() {
	awk -v times="$(($1 < 500 ? 500 : $1))" -F '[ \t]' '
		NF == 4 && $1 == $3 {
			seen++
			more = $4 - $2
			if ($1 == "objects" || $1 == "vmalloc_kB")
				grew = more >= times
			else if ($1 == "files")
				grew = more > 64
			else
				grew = more > 0 && $1 != "tasks"
			if (grew) { print; bad++ }
		}
		END { exit bad || seen < 8 }'
}
