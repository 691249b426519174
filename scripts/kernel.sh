#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/kernel.sh COMMAND
#
# Kernels to measure: fetched from the Debian mirror that this machine's own apt sources name, and
# kept below build/. Nothing is installed, the machine's apt is not touched, no root is needed.
#
#   list                 the kernels by name (scripts/kernels.tsv), and whether they are here
#   get NAME             fetch a kernel, its headers and what builds modules for it; prints its folder
#   path KERNEL [WHAT]   where it is: image (default), kdir (the tree modules are built against),
#                        arch (x86_64, i386 or arm64) or release
#   compiler NAME        fetch the gcc that a kernel was built with, where this machine has another one;
#                        prints its name or path. From then on `module` uses it.
#   module KERNEL [DIR]  build the module of DIR (default: this repository) for it; prints the .ko
#   busybox ARCH         a static busybox for x86_64, i386 or arm64; prints its path
#   userland             stress-ng and perf for x86-64 guests, as an initramfs; prints its path
#   qemu                 QEMU 10 or later for x86-64: the installed one or a private one; prints its path
#   source NAME          the source that a Debian kernel is made of, as linux-source-6.1: fetched once,
#                        unpacked, never changed; prints its folder, whose name ends with the version
#   checkpatch           the checkpatch.pl of linux-source-6.1; prints its path
#   mirror SUITE         the URI of the Debian mirror that has it
#
# KERNEL is a name, or the folder of a kernel tree that was built with modules_prepare. With LLVM=1 in the
# environment clang builds the module, for a tree that clang built.
#
# Exit: 0 done, 2 bad usage or unknown kernel, 9 something is missing or broke (the line says what)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

table=$here/kernels.tsv
kernels=$build/kernels
runtime=$build/trixie-libraries/usr/lib/x86_64-linux-gnu

# field NAME COLUMN: one field of the table; empty when there is no such kernel
field() { awk -F '\t' -v name="$1" -v column="$2" '$1 == name { print $column }' "$table"; }

# folder NAME: make and the kernel's makefiles take no colon in a path
folder() { echo "$kernels/$(echo "$1" | tr : -)"; }

# scratch: an empty folder beside the final place, so that what it holds is moved there in one step;
# removed on every exit
scratch() {
	mkdir -p "$build"
	partial=$(mktemp -d "$build/.partial.XXXXXX")
	trap 'rm -rf "$partial"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# mirror SUITE: the URI that serves it, from the machine's own apt sources of any format
mirror() {
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	uris=$(env -u APT_CONFIG apt-get update --print-uris 2>/dev/null |
		sed -n "s#^'\(.*\)/dists/\([^/]*\)/InRelease.*#\2 \1#p")
	main=$(echo "$uris" | awk -v s="$codename" '$1 == s { print $2; exit }')
	security=$(echo "$uris" | awk -v s="$codename-security" '$1 == s { print $2; exit }')
	[ -n "$main" ] || die 9 "no Debian mirror for '$codename' in this machine's apt sources"
	case $1 in
	*-security) echo "${security:-${main%/}-security}" ;;
	*) echo "$main" ;;
	esac
}

# private_apt SUITE ARCH...: sets APT_CONFIG to an apt that sees this one suite only, so that a
# package name has one meaning, and that knows nothing as installed
private_apt() {
	suite=$1
	shift
	apt=$build/apt/$suite-$(echo "$*" | tr ' ' -)
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/none"
	exec 7>"$apt/.lock"
	flock 7
	: >"$apt/status"
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	printf 'deb [arch=%s signed-by=%s] %s %s main\n' "$(echo "$*" | tr ' ' ,)" \
		"$keyring" "$(mirror "$suite")" "$suite" >"$apt/sources.list"
	{
		env -u APT_CONFIG apt-config dump | grep -E '^Acquire::(http|https|Check-)' || true
		cat <<-EOT
		Dir::State "$apt";
		Dir::State::lists "$apt/lists";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt/cache";
		Dir::Etc::main "$apt/none/apt.conf";
		Dir::Etc::parts "$apt/none";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "$apt/none";
		Dir::Etc::preferences "$apt/none/preferences";
		Dir::Etc::preferencesparts "$apt/none";
		APT::Architecture "amd64";
		APT::Architectures { $(printf '"%s"; ' "$@")};
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::GzipIndexes "false";
		EOT
	} >"$apt/apt.conf"
	APT_CONFIG=$apt/apt.conf
	export APT_CONFIG
	# yesterday's index names files that the mirror may have dropped
	[ -n "$(find "$apt/updated" -mmin -1440 2>/dev/null)" ] || update_index
}

update_index() {
	note "reading the package index of $suite"
	apt-get -q update --error-on=any >"$apt/update.log" 2>&1 ||
		die 9 "apt-get update for $suite failed, see $apt/update.log"
	touch "$apt/updated"
}

# download DIR PACKAGE...: the .deb files, checked by apt against the signed index
download() {
	dir=$1
	shift
	mkdir -p "$dir"
	(cd "$dir" && apt-get -q download "$@" >"$apt/download.log" 2>&1) && return
	update_index
	(cd "$dir" && apt-get -q download "$@" >"$apt/download.log" 2>&1) ||
		die 9 "apt-get download failed, see $apt/download.log"
}

# unpack DIR DEB...: not dpkg -x, which would replace a link lib -> usr/lib by a folder. The shipped
# modules stay out: half of the bytes, and no guest here loads them.
unpack() {
	dir=$1
	shift
	mkdir -p "$dir"
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$dir" --keep-directory-symlink --no-same-owner \
				--exclude='./lib/modules/*/kernel' --exclude='./usr/lib/modules/*/kernel' \
				--exclude='./usr/share/doc' ||
			die 9 "cannot unpack ${deb##*/} (disk full?)"
	done
}

# fetch DEST PACKAGE...: packages unpacked as the folder DEST, all or nothing
fetch() {
	dest=$1
	shift
	scratch
	download "$partial/debs" "$@"
	unpack "$partial/root" "$partial"/debs/*.deb
	mkdir -p "${dest%/*}"
	mv -T "$partial/root" "$dest" 2>/dev/null || [ -d "$dest" ] || die 9 "cannot write $dest"
}

# dependencies PACKAGE...: they and all that they need, and what that needs
dependencies() {
	apt-cache depends --recurse --no-suggests --no-recommends --no-conflicts --no-breaks \
		--no-replaces --no-enhances "$@"
}

# kernel_packages ARCH IMAGE HEADERS: the packages that today's metapackages lead to. Build tools
# are those of this machine whatever the kernel's architecture; of an image that comes signed or
# not, the signed one.
kernel_packages() {
	dependencies "$2:$1" "$3:$1" |
		sed -n -E "/-unsigned/d
			s/^(linux-(image|binary|base|headers)-[0-9]+\.[^:]*)(:.*)?\$/\1/p
			s/^(linux-(kbuild|compiler)-[^:]*)(:.*)?\$/\1/p" | sort -u |
		sed -E "/^linux-(kbuild|compiler|headers-.*-common)/!s/\$/:$1/"
}

# settle DIR: header packages name /usr/src by absolute path, as wrapped tools their libraries; both
# are made to name where they are now. Run at every get, because a checkout may be moved.
settle() {
	for makefile in "$1"/root/usr/src/linux-headers-*/Makefile; do
		[ -L "$makefile" ] || grep -qF "$1/root/usr/src" "$makefile" ||
			! grep -qE '[= ][^ =]*/usr/src/' "$makefile" ||
			sed -i -E "s#([= ])[^ =]*/usr/src/#\1$1/root/usr/src/#g" "$makefile"
	done
	for tools in "$1"/root/usr/lib/linux-kbuild-*; do
		settle_tools "$tools" "$runtime"
	done
}

get() {
	name=$1
	dest=$(folder "$name")
	arch=$(field "$name" 3)
	[ -n "$arch" ] || usage_error "unknown kernel '$name': scripts/kernel.sh list names them"
	make_folder "$kernels"
	exec 9>"$kernels/.lock"
	flock 9
	if [ ! -d "$dest" ]; then
		if [ "$arch" = amd64 ]; then
			private_apt "$(field "$name" 2)" amd64
		else
			private_apt "$(field "$name" 2)" amd64 "$arch"
		fi
		packages=$(kernel_packages "$arch" "$(field "$name" 4)" "$(field "$name" 5)")
		release=$(echo "$name" | sed 's/^[^:]*://; s/-.*//')
		echo "$packages" | grep -q "^linux-image-$release\." ||
			die 9 "$suite has no $release kernel today but: $(echo "$packages" | head -n 1)"
		scratch
		note "$name: downloading $(echo "$packages" | sed -n 's/^linux-image-\([^:]*\).*/\1/p')"
		# shellcheck disable=SC2086 # a list of package names
		download "$partial/debs" $packages
		note "$name: unpacking $(du -sm "$partial/debs" | cut -f 1) MB of packages"
		unpack "$partial/tree/root" "$partial"/debs/*.deb
		link_parts "$partial/tree"
		wrap_tools "$partial/tree/root"
		mv -T "$partial/tree" "$dest"
		note "$name: ready in $dest"
	fi
	settle "$dest"
	echo "$dest"
}

# link_parts DIR: the image and the header tree under fixed names; up to 6.x the image is in /boot,
# later in /usr/lib/modules/VERSION
link_parts() {
	(
		cd "$1"
		for image in root/boot/vmlinu[xz]-* root/usr/lib/modules/*/vmlinuz; do
			[ ! -f "$image" ] || ln -sfn "$image" image
		done
		for headers in root/usr/src/linux-headers-*; do
			[ ! -f "$headers/.config" ] || ln -sfn "$headers" kdir
		done
		[ -e image ] && [ -e kdir ]
	) || die 9 "the packages held no image or no headers"
}

# wrap_tools ROOT: build tools of newer suites need a newer C library than this machine's. Those are
# run through trixie's own loader.
wrap_tools() {
	find "$1"/usr/lib/linux-kbuild-* -type f -perm -u+x | while IFS= read -r tool; do
		! needs_newer "$tool" || {
			[ -d "$runtime" ] || get_runtime
			wrap "$tool" "$runtime"
		}
	done
}

# needs_newer PROGRAM: whether this machine's C library is too old for it
needs_newer() {
	[ "$(head -c 4 "$1" | tail -c 3 | tr -d '\0')" = ELF ] && ldd "$1" 2>&1 | grep -q 'GLIBC_.*not found'
}

# wrap PROGRAM LIBRARIES: has it run with the loader and the libraries of that folder, under its own
# name, by which gcc finds its parts
wrap() {
	mv "$1" "$1.orig"
	cat >"$1" <<-EOT
	#!/bin/sh
	lib=$2
	exec "\$lib/ld-linux-x86-64.so.2" --argv0 "\$0" --library-path "\$lib" "\$0.orig" "\$@"
	EOT
	chmod +x "$1"
}

# settle_tools DIR LIBRARIES: wrapped programs name their libraries by absolute path
settle_tools() {
	find "$1" -name '*.orig' | while IFS= read -r tool; do
		grep -qxF "lib=$2" "${tool%.orig}" || sed -i "s#^lib=.*#lib=$2#" "${tool%.orig}"
	done
}

# get_runtime: trixie's C library and what the build tools link. In a subshell, because it uses
# another apt and another scratch folder than its caller.
get_runtime() (
	private_apt trixie amd64
	fetch "${runtime%/usr/lib/*}" libc6 libelf1t64 libssl3t64 zlib1g libzstd1
)

# kdir_of KERNEL, image_of KERNEL: KERNEL is a name that was fetched or a tree
kdir_of() {
	if [ -n "$(field "$1" 1)" ]; then
		[ -d "$(folder "$1")" ] || die 9 "$1 is not here: scripts/kernel.sh get $1"
		(cd "$(folder "$1")/kdir" && pwd -P)
	elif [ -f "$1/.config" ]; then
		(cd "$1" && pwd -P)
	else
		usage_error "'$1' is neither the name of a kernel nor a configured kernel tree"
	fi
}

arch_of() {
	if grep -q '^CONFIG_X86_64=y' "$1/.config"; then
		echo x86_64
	elif grep -q '^CONFIG_X86_32=y' "$1/.config"; then
		echo i386
	elif grep -q '^CONFIG_ARM64=y' "$1/.config"; then
		echo arm64
	else
		die 9 "$1 is for an architecture that is not known here"
	fi
}

# cross_of KDIR: what the names of compilers for its architecture begin with; empty for this machine's
cross_of() {
	case $(arch_of "$1") in
	"$host_arch") ;;
	arm64) echo aarch64-linux-gnu- ;;
	esac
}

image_of() {
	if [ -n "$(field "$1" 1)" ]; then
		image=$(folder "$1")/image
	else
		case $(arch_of "$1") in
		arm64) image=$1/arch/arm64/boot/Image ;;
		*) image=$1/arch/x86/boot/bzImage ;;
		esac
	fi
	[ -f "$image" ] || die 9 "no kernel image $image: build the kernel first"
	readlink -f "$image"
}

path() {
	kdir=$(kdir_of "$1")
	case ${2:-image} in
	image) image_of "$1" ;;
	kdir) echo "$kdir" ;;
	arch) arch_of "$kdir" ;;
	release) sed -n 's/^#define UTS_RELEASE "\(.*\)".*/\1/p' "$kdir/include/generated/utsrelease.h" ;;
	*) usage_error "path: '$2' is not image, kdir, arch or release" ;;
	esac
}

# own_compiler KDIR: the gcc that Debian's header trees ask for by name; empty in other trees
own_compiler() {
	sed -n 's/^CC *[:?]*= *//p; s/^override CC *= *//p' "$1/.kernelvariables" 2>/dev/null |
		tail -n 1 | sed 's/.*)//'
}

# fetched_compiler GCC: its path, if it was fetched
fetched_compiler() {
	root=$build/compilers/$1
	[ -d "$root" ] || return 1
	settle_tools "$root" "$root/usr/lib/x86_64-linux-gnu"
	echo "$root/usr/bin/x86_64-linux-gnu-$1"
}

# compiler NAME: with the assembler that belongs to it; nothing that links programs or that knows
# other languages
compiler() {
	[ -n "$(field "$1" 1)" ] || usage_error "unknown kernel '$1': scripts/kernel.sh list names them"
	kdir=$(kdir_of "$1")
	gcc=$(own_compiler "$kdir")
	cross=$(cross_of "$kdir")
	command -v "$cross$gcc" && return
	[ -z "$cross" ] || die 9 "no $cross$gcc: only compilers for x86 are fetched"
	dest=$build/compilers/$gcc
	if [ ! -d "$dest" ]; then
		private_apt "$(field "$1" 2 | sed 's/-.*//')" amd64
		note "$1: downloading $gcc"
		scratch
		# shellcheck disable=SC2046 # a list of package names
		download "$partial/debs" $(dependencies "$gcc" | grep -xE \
			-e '(gcc|cpp)-[0-9]+(-x86-64-linux-gnu)?|libgcc-[0-9]+-dev|binutils-x86-64-linux-gnu' \
			-e '(libbinutils|libsframe[0-9]+|libjansson4|libgmp10|libisl23|libmpc3|libmpfr6)' \
			-e '(libc6|libzstd1|zlib1g)')
		unpack "$partial/root" "$partial"/debs/*.deb
		for cc1 in "$partial"/root/usr/lib*/gcc/x86_64-linux-gnu/*/cc1; do
			# this machine's as will do for what this machine can run
			! needs_newer "$cc1" || mv "$partial/root/usr/bin/x86_64-linux-gnu-as" "${cc1%/*}/as"
			rm -f "${cc1%/*}/lto1"
		done
		find "$partial/root/usr/bin" "$partial"/root/usr/lib*/gcc -type f -perm -u+x | while IFS= read -r tool; do
			! needs_newer "$tool" || wrap "$tool" "$dest/usr/lib/x86_64-linux-gnu"
		done
		mkdir -p "$build/compilers"
		mv -T "$partial/root" "$dest" 2>/dev/null || [ -d "$dest" ] || die 9 "cannot write $dest"
	fi
	fetched_compiler "$gcc"
}

# module KERNEL SOURCE: out of tree, one folder for a kernel and a source, so that no two kernels
# share object files
module() {
	kdir=$(kdir_of "$1")
	kernel=${1##*/}
	source=$(cd "$2" 2>/dev/null && pwd -P) || usage_error "module: no folder '$2'"
	[ -f "$source/Kbuild" ] || usage_error "module: no Kbuild in $source"
	set --
	cross=$(cross_of "$kdir")
	[ -z "$cross" ] || set -- "ARCH=$(arch_of "$kdir")" "CROSS_COMPILE=$cross"
	command -v "${cross}gcc" >/dev/null 2>&1 ||
		die 9 "no ${cross}gcc: sudo scripts/setup.sh $([ -z "$cross" ] || echo arm64) installs it"
	# this machine's gcc works where the one that the tree asks for is not here
	gcc=$(own_compiler "$kdir")
	if [ -n "$gcc" ] && ! command -v "$cross$gcc" >/dev/null 2>&1; then
		if fetched=$(fetched_compiler "$gcc"); then
			set -- "$@" "CC=$fetched"
		else
			# an older compiler does not know what this asks for
			set -- "$@" "CC=${cross}gcc" CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=
		fi
	fi
	work=$build/modules/$(echo "$kernel" | tr : -)-$(echo "$kdir $source $* ${LLVM:-}" | cksum | cut -d ' ' -f 1)
	mkdir -p "$work" || die 9 "cannot write $work"
	exec 8>"$work/.lock"
	flock 8
	changed=
	for file in "$source/Kbuild" "$source"/*.[ch]; do
		[ -f "$file" ] || continue
		cmp -s "$file" "$work/${file##*/}" || {
			cp "$file" "$work/" || die 9 "cannot write $work"
			changed=yes
		}
	done
	for file in "$work"/*.ko; do
		# a tree that was built again since has newer symbols
		if [ -z "$changed" ] && [ -f "$file" ] && [ -z "$(find "$kdir/Module.symvers" \
			"$kdir/include/generated/autoconf.h" -newer "$file" 2>/dev/null)" ]; then
			echo "$file"
			return
		fi
		rm -f "$file"
	done
	# The build ID that stays in the module is a sum over its debug information, too: without the paths of
	# this machine an exact guest gets the same bytes from every clone.
	set -- "$@" "KCFLAGS=${KCFLAGS:-} -fdebug-prefix-map=$work=module -fdebug-prefix-map=${kdir%/*}=kernel"
	# BTF wants a pahole as new as the kernel, and the module has no use for it
	# shellcheck disable=SC2016 # make's variable: its version check is content
	make -j "$(nproc)" -C "$kdir" M="$work" W=1 CONFIG_DEBUG_INFO_BTF_MODULES= \
		'CONFIG_PAHOLE_VERSION=$(PAHOLE_VERSION)' "$@" modules >"$work/build.log" 2>&1 8>&- || {
		grep -iE -m 5 'error[: ]' "$work/build.log" >&2 || tail -n 5 "$work/build.log" >&2
		die 9 "the module does not build for this kernel, see $work/build.log"
	}
	set -- "$work"/*.ko
	[ -f "$1" ] || die 9 "the build made no module, see $work/build.log"
	echo "$1"
}

busybox() {
	case $1 in
	x86_64) arch=amd64 ;;
	i386 | arm64) arch=$1 ;;
	*) usage_error "busybox: '$1' is not x86_64, i386 or arm64" ;;
	esac
	dest=$build/busybox/$1
	if [ ! -d "$dest" ]; then
		private_apt bookworm "$arch"
		note "downloading busybox for $1"
		fetch "$dest" "busybox-static:$arch"
	fi
	echo "$dest/bin/busybox"
}

# userland: Debian's packages unpacked by mmdebstrap, and of them what the two programs load
userland() {
	dest=$build/userland/x86_64.cpio
	if [ ! -f "$dest" ]; then
		command -v mmdebstrap >/dev/null 2>&1 ||
			die 9 "no mmdebstrap: sudo scripts/setup.sh workload installs it"
		mkdir -p "$build/userland" 2>/dev/null || die 9 "cannot write $build/userland"
		scratch
		note "downloading stress-ng and perf"
		mmdebstrap --quiet --variant=extract --architectures=amd64 --include=stress-ng,linux-perf \
			bookworm "$partial/debian.tar" "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror bookworm) bookworm main" \
			>"$partial/log" 2>&1 || die 9 "mmdebstrap: $(grep -m 1 '^E:' "$partial/log" || tail -n 1 "$partial/log")"
		mkdir "$partial/root"
		tar -x -f "$partial/debian.tar" -C "$partial/root" --no-same-owner --exclude='perl*' --exclude='python*' \
			./lib ./lib64 ./usr/lib/x86_64-linux-gnu ./usr/bin/perf ./usr/bin/stress-ng ||
			die 9 "cannot unpack $partial/debian.tar (disk full?)"
		(cd "$partial/root" && find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort |
			cpio -o -H newc -R 0:0 --reproducible --quiet) >"$partial/cpio" || die 9 "cannot write $partial/cpio (disk full?)"
		mv "$partial/cpio" "$dest"
	fi
	echo "$dest"
}

# qemu: one of version 10 or later. Before, counting instructions with several vCPUs hangs when they
# are brought up, and cmpxchg16b, which SLUB's fast path is made of, can leave wrong flags (seen with
# 7.2: debian:6.12 dies in kmem_cache_alloc).
qemu() {
	installed=$(command -v qemu-system-x86_64) || true
	if [ -n "$installed" ] &&
		[ "$("$installed" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')" -ge 10 ]; then
		echo "$installed"
		return
	fi
	dest=$build/qemu
	if [ ! -d "$dest" ]; then
		private_apt bookworm-backports amd64
		note "downloading QEMU 10"
		fetch "$dest" qemu-system-x86 qemu-system-common qemu-system-data seabios
	fi
	"$dest/usr/bin/qemu-system-x86_64" --version >/dev/null 2>&1 ||
		die 9 "QEMU 10 does not start: sudo scripts/setup.sh installs the libraries it needs"
	echo "$dest/usr/bin/qemu-system-x86_64"
}

get_source() {
	suite=$(field "debian:${1#linux-source-}" 2)
	if [ -z "$suite" ] || [ "$1" = "${1#linux-source-}" ]; then
		usage_error "source: '$1' is not linux-source- and the release of a kernel that 'list' names"
	fi
	make_folder "$build/sources"
	exec 9>"$build/sources/.lock"
	flock 9
	dest=$(find "$build/sources/" -maxdepth 1 -name "$1-[0-9]*" | sort -V | tail -n 1)
	if [ -z "$dest" ]; then
		enough_room "$build" 3000
		private_apt "$suite" amd64
		scratch
		note "downloading $1"
		download "$partial/debs" "$1"
		version=$(dpkg-deb -f "$partial"/debs/*.deb Version)
		note "unpacking $1 $version"
		dpkg-deb --fsys-tarfile "$partial"/debs/*.deb | tar -x -O --wildcards "*/$1.tar.xz" |
			tar -x -J -C "$partial" || die 9 "cannot unpack $1 (disk full?)"
		dest=$build/sources/$1-$version
		mv -T "$partial/$1" "$dest"
	fi
	echo "$dest"
}

checkpatch() {
	dest=$build/checkpatch
	if [ ! -d "$dest" ]; then
		private_apt bookworm-security amd64
		scratch
		note "downloading linux-source-6.1 for checkpatch.pl"
		download "$partial/debs" linux-source-6.1
		dpkg-deb --fsys-tarfile "$partial"/debs/*.deb | tar -x -O --wildcards '*/linux-source-6.1.tar.xz' |
			tar -x -J -C "$partial" --wildcards '*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
				'*/scripts/const_structs.checkpatch' || die 9 "no checkpatch.pl in the package"
		mv -T "$partial"/linux-source-6.1/scripts "$dest"
	fi
	echo "$dest/checkpatch.pl"
}

list() {
	grep -v '^#' "$table" | while IFS="$(printf '\t')" read -r name suite arch image _; do
		state=-
		[ ! -d "$(folder "$name")" ] || state=$(path "$name" release)
		printf '%-20s %-20s %-6s %-26s %s\n' "$name" "$suite" "$arch" "$image" "$state"
	done
}

[ $# -gt 0 ] || usage_error "no command"
command=$1
shift
case $command/$# in
-h/* | --help/*) help ;;
list/0) list ;;
get/1) get "$1" ;;
path/1 | path/2) path "$@" ;;
compiler/1) compiler "$1" ;;
module/1) module "$1" "$top" ;;
module/2) module "$1" "$2" ;;
busybox/1) busybox "$1" ;;
userland/0) userland ;;
qemu/0) qemu ;;
source/1) get_source "$1" ;;
checkpatch/0) checkpatch ;;
mirror/1) mirror "$1" ;;
list/* | get/* | path/* | compiler/* | module/* | busybox/* | userland/* | qemu/* | source/* | checkpatch/* | mirror/*)
	usage_error "$command: wrong number of arguments" ;;
*) usage_error "unknown command '$command'" ;;
esac
