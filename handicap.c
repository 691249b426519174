// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions to waste, an exact number of them.
 *
 * A function of its own, because inlined it would change the loops differently; the tests and
 * branches in assembler, because the compiler would make a different number of them for different
 * handicaps. So handicap_burn() costs a constant and the handicap, and the constant goes when
 * the loops are calibrated with a handicap of 0.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/stringify.h>
#include <linux/types.h>

#include "handicap.h"

static unsigned int handicap;

/**
 * handicap_set() - choose how much handicap_burn() wastes
 * @instructions: dependent ones, up to MAX_HANDICAP
 */
void handicap_set(unsigned int instructions)
{
	WRITE_ONCE(handicap, instructions);
}

/* If @bit of @wanted is set, 2^bit additions to @chain. */
#if defined(CONFIG_X86)
#define BURN_BIT(wanted, chain, bit)					\
	asm volatile("testl $1 << " __stringify(bit) ", %1\n\t"	\
		     "jz 1f\n\t"					\
		     ".rept 1 << " __stringify(bit) "\n\t"		\
		     "lea 1(%0), %0\n\t"				\
		     ".endr\n"						\
		     "1:"						\
		     : "+r" (chain) : "r" (wanted) : "cc")
#elif defined(CONFIG_ARM64) || defined(CONFIG_ARM)
#ifdef CONFIG_ARM64
#define BURN_WORD	"%w1"
#else
#define BURN_WORD	"%1"
#endif
#define BURN_BIT(wanted, chain, bit)					\
	asm volatile("tst " BURN_WORD ", #1 << " __stringify(bit) "\n\t"	\
		     "beq 1f\n\t"					\
		     ".rept 1 << " __stringify(bit) "\n\t"		\
		     "add %0, %0, #1\n\t"				\
		     ".endr\n"						\
		     "1:"						\
		     : "+r" (chain) : "r" (wanted) : "cc")
#else
/* Here the compiler has the branches, so the constant may not be one. */
#define BURN_BIT(wanted, chain, bit)					\
	do {								\
		if ((wanted) & BIT(bit))				\
			asm volatile(".rept 1 << " __stringify(bit) "\n\t"	\
				     "nop\n\t"				\
				     ".endr" : "+r" (chain));		\
	} while (0)
#endif

/**
 * handicap_burn() - execute the instructions that handicap_set() asked for
 */
noinline void handicap_burn(void)
{
	const unsigned int wanted = READ_ONCE(handicap);
	unsigned long chain = 0;

	BURN_BIT(wanted, chain, 0);
	BURN_BIT(wanted, chain, 1);
	BURN_BIT(wanted, chain, 2);
	BURN_BIT(wanted, chain, 3);
	BURN_BIT(wanted, chain, 4);
	BURN_BIT(wanted, chain, 5);
	BURN_BIT(wanted, chain, 6);
	BURN_BIT(wanted, chain, 7);
	BURN_BIT(wanted, chain, 8);
	BURN_BIT(wanted, chain, 9);
}
