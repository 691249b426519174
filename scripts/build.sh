#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/build.sh --config FILE [OPTION...]
#
# Builds a kernel from source and prints its folder, which every other script takes as a KERNEL: it has
# the image and as much of the tree as modules need. A kernel is built once for a source, config,
# patches and compiler, and kept in build/kernels/; made-of/ there has its patches, configs and log.
#
#   --config FILE    a config fragment, on top of `make tinyconfig`; several: later lines win. What is
#                    asked for must be in the .config at the end.
#   --variant FILE   one more, for a kernel that differs a little. Kernels with the same --config are
#                    built in the same tree, so that only what differs is compiled again.
#   --patch FILE     a patch for `patch -p1`; several: in this order
#   --source SOURCE  what `scripts/kernel.sh source` fetches (default: linux-source-6.1), or a folder. Of
#                    a git checkout it is the commit that counts; FOLDER@REVISION is another commit.
#   --check          do the patches apply? Builds nothing.
#
# With LLVM=1 in the environment, clang builds it, as kbuild says.
#
# Exit: 0 done
#       2 bad usage
#       9 something is missing here: a tool, room on the disk, the network
#      11 a patch does not apply
#      12 the config does not hold: an option is not there, or no patched file is compiled
#      13 the kernel does not build
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# raised when the same input makes another kernel
recipe=1

source=linux-source-6.1 configs='' variants='' patches='' check=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		help
		exit 0
		;;
	--check)
		check=yes
		shift
		continue
		;;
	--config | --variant | --patch | --source) [ $# -gt 1 ] || usage_error "$1 needs a value" ;;
	*) usage_error "'$1' is no option" ;;
	esac
	case $1 in
	--source) source=$2 ;;
	*)
		if [ ! -f "$2" ] || [ ! -r "$2" ]; then usage_error "$1: cannot read '$2'"; fi
		file=$(absolute "$2")
		case $file in
		*[[:space:]]*) usage_error "$1: '$file': kbuild takes no blanks in a path" ;;
		esac
		;;
	esac
	case $1 in
	--config) configs="$configs $file" ;;
	--variant) variants="$variants $file" ;;
	--patch) patches="$patches $file" ;;
	esac
	shift 2
done
[ -n "$configs$check" ] || usage_error "--config is needed"

scratch=$(mktemp -d)
partial='' pid=''
# shellcheck disable=SC2317,SC2329 # called by the traps
stop() {
	trap - EXIT INT TERM HUP
	if [ -n "$pid" ]; then
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	fi
	rm -rf "$scratch" ${partial:+"$partial"}
	exit "$1"
}
trap 'stop $?' EXIT
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP

# sum: twelve digits are enough to tell files apart
sum() { sha256sum | cut -c 1-12; }

# named FILE...: `name sum, name sum`, as a header says it; - for none
named() {
	line=
	for file; do
		line="$line${line:+, }${file##*/} $(sum <"$file")"
	done
	echo "${line:--}"
}

need() {
	for tool; do
		command -v "$tool" >/dev/null 2>&1 || die 9 "no $tool: sudo scripts/setup.sh $group installs it"
	done
}

# find_source: sets $pristine, a folder that is never changed, whose name stands for its content
find_source() {
	case $source in
	linux-source-*)
		pristine=$("$here/kernel.sh" source "$source") || exit $?
		return
		;;
	esac
	folder=${source%@*} revision=HEAD
	[ "$folder" = "$source" ] || revision=${source##*@}
	[ -f "$folder/Makefile" ] || usage_error "--source: no kernel tree in '$folder'"
	folder=$(absolute "$folder")
	make_folder "$build/sources"
	exec 9>"$build/sources/.lock"
	flock 9
	if [ "$(git -C "$folder" rev-parse --show-toplevel 2>/dev/null)" = "$folder" ]; then
		[ "$source" != "${source%@*}" ] || git -C "$folder" diff --quiet HEAD -- ||
			die 2 "--source: $folder has changes that are not committed: commit them, or give them with --patch"
		content=$(git -C "$folder" rev-parse --verify --quiet "$revision^{tree}") ||
			usage_error "--source: $folder has no revision '$revision'"
		copy() { git -C "$folder" archive "$content" | tar -x -C "$1"; }
	else
		[ "$folder" = "$(absolute "$source")" ] || usage_error "--source: $folder is no git checkout: it has no revisions"
		# trees are made of links to the source, and make writes through those of what it made before
		[ ! -e "$folder/.config" ] || die 2 "--source: $folder was built in: a clean copy is needed (make mrproper), or a git checkout"
		content=$(cd "$folder" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sum)
		copy() { cp -a "$folder/." "$1"; }
	fi
	pristine=$build/sources/${folder##*/}-$(echo "$content" | cut -c 1-12)
	if [ ! -d "$pristine" ]; then
		enough_room "$build" 2000
		note "copying $source"
		partial=$(mktemp -d "$build/.partial.XXXXXX")
		copy "$partial" || die 9 "cannot copy $folder (disk full?)"
		mv -T "$partial" "$pristine"
		partial=
	fi
	exec 9>&-
}

# headers PATCH...: the files that they change
headers() { sed -n 's/^\(---\|+++\) [^/]*\/\([^[:space:]]*\).*/\2/p; s/^rename \(from\|to\) //p' "$@" | sort -u; }

# apply: the files that the patches change, patched, below $scratch/files
apply() {
	mkdir "$scratch/files"
	# shellcheck disable=SC2086 # paths without blanks
	headers /dev/null $patches >"$scratch/patched"
	while read -r file; do
		[ -f "$pristine/$file" ] || continue
		mkdir -p "$scratch/files/$(dirname "$file")"
		cp "$pristine/$file" "$scratch/files/$file"
	done <"$scratch/patched"
	for patch in $patches; do
		patch -d "$scratch/files" -p1 --force --no-backup-if-mismatch --fuzz=0 <"$patch" >"$scratch/log" 2>&1 ||
			die 11 "${patch##*/} does not apply to ${pristine##*/}: $(grep -m 1 -iE 'FAILED|malformed|only garbage|find file|reversed' "$scratch/log" ||
				tail -n 1 "$scratch/log")"
	done
}

# move_tree: the tree's sources become those that are wanted; what is the same keeps its time
move_tree() {
	[ -f "$tree/.patched" ] || : >"$tree/.patched"
	sort -u "$tree/.patched" "$scratch/patched" >"$scratch/touched"
	# written first, so that an interrupted build knows what to restore
	cp "$scratch/touched" "$tree/.patched"
	while read -r file; do
		wanted=$scratch/files/$file
		grep -qxF "$file" "$scratch/patched" || wanted=$pristine/$file
		if [ ! -f "$wanted" ]; then
			rm -f "$tree/$file"
		elif ! cmp -s "$wanted" "$tree/$file"; then
			mkdir -p "$tree/$(dirname "$file")"
			# other trees and kernels link to the same file
			cp --remove-destination "$wanted" "$tree/$file"
		fi
	done <"$scratch/touched"
	cp "$scratch/patched" "$tree/.patched"
}

# run_make TARGET...: with the lines of its log counted, as it takes long. Nothing of the caller's
# make, user, host or time gets into the kernel.
run_make() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS LC_ALL=C KBUILD_BUILD_USER=slab_test KBUILD_BUILD_HOST=slab_test \
		KBUILD_BUILD_VERSION=1 KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970' \
		make --no-print-directory -C "$tree" -j "$(nproc)" LOCALVERSION= "$@" >>"$log" 2>&1 &
	pid=$!
	waited=0
	# in short steps, because a signal is heard only between them
	while ! timeout 2 tail -f -s 0.1 --pid="$pid" /dev/null; do
		waited=$((waited + 2))
		[ $((waited % 60)) != 0 ] || note "$(grep -c '^  CC ' "$log") files compiled"
	done
	status=0
	wait "$pid" || status=$?
	pid=
	return $status
}

# broken [TARGET]: make failed
broken() {
	die 13 "make${1:+ $1} failed, see $log: $(grep -m 1 -E '(error:|Error |undefined reference)' "$log" || tail -n 1 "$log")"
}

# check_config: every option that was asked for is there
check_config() {
	# shellcheck disable=SC2086
	wrong=$(awk '
		function ask(option, value) { wish[option] = value; place[option] = FILENAME ":" FNR }
		FILENAME == ARGV[ARGC - 1] { if (split($0, part, "=")) have[part[1]] = substr($0, index($0, "=") + 1); next }
		/^CONFIG_[A-Za-z0-9_]+=./ { option = $0; sub(/=.*/, "", option); ask(option, substr($0, index($0, "=") + 1)); next }
		/^# CONFIG_[A-Za-z0-9_]+ is not set$/ { ask($2, "n"); next }
		!/^[ \t]*(#|$)/ { print FILENAME ":" FNR ": \"" $0 "\" is no option=value"; broken = 1; exit }
		END {
			if (broken)
				exit
			for (option in wish) {
				got = option in have ? have[option] : "n"
				if (got != wish[option])
					print place[option] ": " option "=" wish[option] " was asked for and came out as " got
			}
		}' $configs $variants "$tree/.config" | sort)
	[ -z "$wrong" ] || {
		echo "$wrong" >&2
		die 12 "the config does not hold: an option is unknown, misses what it depends on, or is selected by another"
	}
}

# check_patched: a patch of which no file is compiled changes nothing
check_patched() {
	for patch in $patches; do
		sources=$(headers "$patch" | grep '\.[cS]$') || continue
		for file in $sources; do
			[ ! -f "$tree/${file%.*}.o" ] || continue 2
		done
		die 12 "the config does not compile $file, which ${patch##*/} changes"
	done
}

# parts: the files of the tree that a kernel consists of, for who boots it and builds modules for it
parts() {
	for part in .config Makefile Module.symvers System.map "$image" tools/objtool/objtool; do
		[ ! -f "$part" ] || echo "$part"
	done
	find scripts include "arch/$arch" \( -name '*.o' -o -name '.*.cmd' \) -prune -o -type f \( -path 'scripts/*' \
		-o -path '*/include/*' -o -path 'include/*' -o -path 'arch/*/scripts/*' -o -name 'Makefile*' -o -name 'Kbuild*' \) -print
}

# keep: the kernel under its final name, in one step. Files that are links into the source are never
# written again and are linked once more; the others are copied.
keep() {
	case $(sed -n 's/^CONFIG_\(X86\|ARM64\)=y/\1/p' "$tree/.config") in
	X86) arch=x86 image=arch/x86/boot/bzImage ;;
	ARM64) arch=arm64 image=arch/arm64/boot/Image ;;
	*) die 9 "kernels of this architecture are not known here" ;;
	esac
	[ -f "$tree/Module.symvers" ] || die 12 "the config does not hold: a kernel without CONFIG_MODULES=y cannot load the module"
	[ -f "$tree/$image" ] || die 13 "the build made no $image, see $log"
	partial=$(mktemp -d "$build/.partial.XXXXXX")
	(
		cd "$tree"
		parts >"$scratch/parts"
		xargs -d '\n' -a "$scratch/parts" sh -c 'find "$@" -prune -links +1' - | cpio -pdlm --quiet "$partial"
		xargs -d '\n' -a "$scratch/parts" sh -c 'find "$@" -prune -links 1' - | cpio -pdm --quiet "$partial"
	) || die 9 "cannot copy the kernel (disk full?)"
	mkdir "$partial/made-of"
	# shellcheck disable=SC2086
	cp $configs $variants $patches "$scratch/header" "$partial/made-of/"
	cp "$log" "$partial/made-of/build.log"
	chmod 755 "$partial"
	mkdir -p "$build/kernels"
	mv -T "$partial" "$kernel"
	partial=
}

cc=gcc group=build
[ -z "${LLVM:-}" ] || cc='clang ld.lld llvm-ar' group=long
need patch sha256sum
# shellcheck disable=SC2086 # names are words
[ -n "$check" ] || need $cc make flex bison bc cpio
find_source
apply
[ -z "$check" ] || exit 0

compiler=$(${cc%% *} --version | head -n 1)
# shellcheck disable=SC2086
{
	echo "# built: ${pristine##*/}, $compiler"
	echo "# config: $(named $configs $variants)"
	echo "# patches: $(named $patches)"
} >"$scratch/header"
# shellcheck disable=SC2086
key=$({
	echo "$recipe ${pristine##*/} $compiler"
	cat $configs $variants /dev/null | sha256sum
	cat $patches /dev/null | sha256sum
} | sum)
kernel=$build/kernels/built-$key
# shellcheck disable=SC2086
tree=$build/trees/${pristine##*/}-$(cat $configs | sum)${LLVM:+-llvm}
log=$tree.log

make_folder "$build/trees"
if [ ! -d "$kernel" ]; then
	exec 8>"$tree.lock"
	flock -n 8 || {
		note "waiting for another build in $tree"
		flock 8
	}
fi
if [ ! -d "$kernel" ]; then
	how='what differs'
	if [ -d "$tree" ]; then
		enough_room "$build" 500
	else
		enough_room "$build" 1500
		partial=$(mktemp -d "$build/.partial.XXXXXX")
		cp -al "$pristine/." "$partial" || die 9 "cannot copy ${pristine##*/} (disk full?)"
		mv -T "$partial" "$tree"
		partial=
		how='all of it, which takes 5 minutes or more'
	fi
	# what a build that was cut short wrote may be half a file
	[ ! -f "$tree/.building" ] || find "$tree" -newer "$tree/.building" -type f -links 1 -delete
	move_tree
	: >"$tree/.building"
	: >"$log"
	note "built-$key: compiling $how"
	run_make tinyconfig || broken tinyconfig
	# shellcheck disable=SC2086
	cat $configs $variants >>"$tree/.config"
	run_make olddefconfig || broken olddefconfig
	check_config
	run_make || broken
	run_make modules_prepare || broken modules_prepare
	rm "$tree/.building"
	check_patched
	keep
	note "built-$key: ready"
fi
echo "$kernel"
