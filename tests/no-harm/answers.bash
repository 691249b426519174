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
