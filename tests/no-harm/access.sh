# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/long/access.bats: what somebody else than root gets, what root gets without
# capabilities and in a kernel that is locked down, and hostile input.
# shellcheck source=guest-lib.sh
. /guest-lib.sh

mkdir -p /etc
echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
nobody() { su nobody -s /bin/sh -c "$*" 2>&1; }

section nobody
insmod /slab_test.ko run=0 sizes=64
# the folder of debugfs is closed as well; here it is open, so that the files have to hold
chmod 755 /sys/kernel/debug
for file in results samples tests run; do
	nobody "cat $files/$file"
done
nobody "echo start >$files/run"
nobody "echo abort >$files/run"
nobody "cat /sys/module/slab_test/parameters/sizes"
nobody "rmmod slab_test"
cat $files/run
rmmod slab_test
nobody "insmod /slab_test.ko"
loaded
chmod 700 /sys/kernel/debug

# uid 0 of another user namespace: root without a capability that counts
section no capabilities
unshare -Ur insmod /slab_test.ko 2>&1
unshare -Ur sh /run.sh --module /slab_test.ko -- sizes=8 2>&1
echo "status $?"
loaded

section hostile input for the files
insmod /slab_test.ko run=0 sizes=64,256 count=100 rounds=2
/fuzz files 500 >/dev/null
usage >/tmp/before
/fuzz files 9500
echo "status $?"
usage | paste /tmp/before -
tell start sizes=64 rounds=1
wait_until_over
cat $files/run
unload

section hostile parameters
/fuzz load 5 >/dev/null
usage >/tmp/before
/fuzz load 500
echo "status $?"
usage | paste /tmp/before -
insmod /slab_test.ko sizes=64 rounds=1
cat $files/run
unload

section locked down while loaded
mount -t securityfs none /sys/kernel/security 2>/dev/null
insmod /slab_test.ko sizes=64 rounds=1
echo confidentiality >/sys/kernel/security/lockdown
cat $files/results | tail -n 1
cat $files/run 2>&1
sh -c "echo start >$files/run" 2>&1
rmmod slab_test
insmod /slab_test.ko 2>&1
sh /run.sh --module /slab_test.ko -- sizes=8 2>&1
echo "status $?"
loaded
exit 0
