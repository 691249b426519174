/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handicap: a known number of instructions added to each operation, so that the way from the
 * loop to the verdict can be tested with a change whose size is known.
 */
#ifndef SLAB_TEST_HANDICAP_H
#define SLAB_TEST_HANDICAP_H

#include <linux/types.h>

void handicap_set(unsigned int instructions);
void handicap_burn(void);

/**
 * burn() - be slower by what handicap_set() said
 * @handicapped: a constant; false leaves no code
 *
 * Called where no value is under way in a register, so that it moves none.
 */
static __always_inline void burn(bool handicapped)
{
	if (handicapped)
		handicap_burn();
}

#endif /* SLAB_TEST_HANDICAP_H */
