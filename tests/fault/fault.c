// SPDX-License-Identifier: GPL-2.0-only
/* Which call fails: the one with the number in the parameter "fault", counted from its writing on. */
#include <linux/atomic.h>
#include <linux/moduleparam.h>

static int fault;
module_param(fault, int, 0600);
MODULE_PARM_DESC(fault, "number of the call that fails; counts down to 0, when it has");

static atomic_t *left(void)
{
	return (atomic_t *)&fault;
}

bool fault_strikes(void)
{
	return atomic_read(left()) > 0 && atomic_dec_and_test(left());
}
