# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests that look at a guest's answers share; they `load` it.

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
