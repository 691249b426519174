/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handicap: a known number of instructions added to each operation, so that the way from the
 * loop to the verdict can be tested with a change whose size is known.
 */
#ifndef SLAB_TEST_HANDICAP_H
#define SLAB_TEST_HANDICAP_H

#include <linux/bits.h>
#include <linux/stringify.h>

#if defined(CONFIG_X86)
#define HANDICAP_ADD	"lea 1(%0), %0\n"
#elif defined(CONFIG_ARM64) || defined(CONFIG_ARM)
#define HANDICAP_ADD	"add %0, %0, #1\n"
#else
#define HANDICAP_ADD	"nop\n"
#endif

#define HANDICAP_BIT(handicap, chain, bit)				\
	do {								\
		if ((handicap) & BIT(bit))				\
			asm volatile(".rept 1 << " __stringify(bit) "\n"	\
				     HANDICAP_ADD			\
				     ".endr\n" : "+r" (chain));		\
	} while (0)

/**
 * burn() - execute dependent instructions
 * @handicap: how many, up to MAX_HANDICAP
 *
 * A test and a branch for each of the ten bits come on top, the same for every @handicap: they
 * cancel out because the loop is calibrated with burn(0). A constant 0 leaves no code.
 */
static __always_inline void burn(unsigned int handicap)
{
	unsigned long chain = 0;

	if (__builtin_constant_p(handicap) && !handicap)
		return;
	HANDICAP_BIT(handicap, chain, 0);
	HANDICAP_BIT(handicap, chain, 1);
	HANDICAP_BIT(handicap, chain, 2);
	HANDICAP_BIT(handicap, chain, 3);
	HANDICAP_BIT(handicap, chain, 4);
	HANDICAP_BIT(handicap, chain, 5);
	HANDICAP_BIT(handicap, chain, 6);
	HANDICAP_BIT(handicap, chain, 7);
	HANDICAP_BIT(handicap, chain, 8);
	HANDICAP_BIT(handicap, chain, 9);
}

#endif /* SLAB_TEST_HANDICAP_H */
