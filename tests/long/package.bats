#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The Debian packages, in a clean chroot: DKMS builds the module for two kernels, and the scripts work
# from /usr as a user who may write nothing there.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	export root=$BATS_FILE_TMPDIR/root
	scripts/deb.sh >"$BATS_FILE_TMPDIR/packages"
	for suite in bookworm bookworm-security bookworm-backports; do
		echo "deb $(scripts/kernel.sh mirror $suite) $suite main"
	done >"$BATS_FILE_TMPDIR/sources"
	mmdebstrap --quiet --mode=root --variant=apt --include=dkms,gnuplot-nox,libelf-dev,libgsl27,linux-headers-cloud-amd64 \
		--aptopt='Apt::Install-Recommends "false"' --dpkgopt='force-unsafe-io' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--customize-hook='chroot "$1" apt-get -q -y install $(chroot "$1" apt-cache depends \
			-t bookworm-backports linux-headers-cloud-amd64 | sed -n "s/.*Depends: //p")' \
		--customize-hook='chroot "$1" useradd -m user' \
		bookworm "$root" - <"$BATS_FILE_TMPDIR/sources" >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		tail "$BATS_FILE_TMPDIR/log" >&2
		return 1
	}
	mount -t proc proc "$root/proc"
	mkdir "$root/packages"
	xargs -a "$BATS_FILE_TMPDIR/packages" cp -t "$root/packages"
}

teardown_file() {
	! mountpoint -q "$root/proc" || umount "$root/proc"
}

# in_root COMMAND...: run by root in the chroot; as_user COMMAND...: by somebody else. A folder for
# temporary files that the caller has out here is not there.
in_root() { chroot "$root" env -u TMPDIR "$@"; }
as_user() { chroot --userspec=user:user "$root" env -u TMPDIR HOME=/home/user "$@"; }

kernels() { in_root find /usr/src -maxdepth 1 -name 'linux-headers-*-cloud-amd64' | sed 's#.*linux-headers-##'; }

@test "two packages, and their source" {
	[ "$(sed 's#.*/##' "$BATS_FILE_TMPDIR/packages" | paste -sd ' ')" = \
		"slab-test-dkms_1.0_all.deb slab-test-tools_1.0_$(dpkg --print-architecture).deb" ]
	[ -f "$(dirname "$(head -n 1 "$BATS_FILE_TMPDIR/packages")")/slab-test_1.0.dsc" ]
}

@test "DKMS builds and installs the module for two kernels, and takes it away again" {
	[ "$(kernels | wc -l)" = 2 ]
	in_root sh -c 'apt-get -q -y install /packages/slab-test-dkms*.deb'
	for kernel in $(kernels); do
		# the package may have had one of them built
		in_root dkms build slab_test/1.0 -k "$kernel"
		in_root dkms install slab_test/1.0 -k "$kernel"
		object=$(in_root find "/lib/modules/$kernel/updates/dkms" -name 'slab_test.ko*')
		[ "$(in_root modinfo -F vermagic "$object" | cut -d ' ' -f 1)" = "$kernel" ]
		[ "$(in_root modinfo -F version "$object")" = 1.0 ]
	done
	run in_root dkms status
	[ "$(grep -c '^slab_test/1.0.*: installed' <<<"$output")" = 2 ]
	in_root apt-get -q -y purge slab-test-dkms
	[ -z "$(in_root find /lib/modules /var/lib/dkms -name 'slab_test*')" ]
	[ ! -e "$root/usr/src/slab_test-1.0" ]
}

@test "the scripts run from /usr, for a user, and write nothing there" {
	in_root sh -c 'apt-get -q -y install /packages/slab-test-tools*.deb'
	touch "$BATS_TEST_TMPDIR/before"
	run as_user slab-test --help
	[ "$status" = 0 ]
	for command in compare kernel run study vm before-after.gp; do
		grep -qx "  $command" <<<"$output"
		as_user slab-test $command --help >/dev/null
	done
	for command in lib cgroup ../scripts/vm nothing; do
		run as_user slab-test $command
		[ "$status" = 2 ]
	done
	cd "$root/usr/share/slab-test"
	# what the mail says of 4096 bytes
	published=/usr/share/slab-test/results/published/2016-slab-lock
	run as_user slab-test compare $published/base.txt $published/p11.txt
	# figures of one boot a side prove nothing
	[ "$status" = 3 ]
	grep -qE '^ +4096 +16024 +4742 +-70\.4%' <<<"$output"
	as_user sh -c "slab-test compare --format=csv $published/base.txt $published/p11.txt \
		>/home/user/compare.csv" || [ $? = 3 ]
	as_user slab-test before-after.gp /home/user/compare.csv /home/user/picture.png
	[ "$(head -c 4 "$root/home/user/picture.png" | tail -c 3)" = PNG ]
	as_user slab-test study list | grep -q '^demo '
	# the module, for a tree that is there
	object=$(as_user slab-test kernel module "/usr/src/linux-headers-$(kernels | head -n 1)")
	[[ $object == /home/user/.cache/slab-test/modules/*/slab_test.ko ]]
	[ -s "$root$object" ]
	[ -z "$(find "$root/usr" "$root/var/lib" -newer "$BATS_TEST_TMPDIR/before" ! -type d)" ]
}
