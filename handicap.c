// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions to waste, an exact number of them.
 *
 * A function of its own, because inlined it would change the loops differently; the tests and
 * branches in assembler, because the compiler would make a different number of them for different
 * handicaps. So handicap_burn() costs a constant and the handicap, and the constant goes when
 * the loops are calibrated with a handicap of 0.
 */
#include "handicap.h"
#include "slab_test.h"

static unsigned int handicap;

/**
 * handicap_set() - choose how much handicap_burn() wastes
 * @instructions: dependent ones, up to MAX_HANDICAP
 */
void handicap_set(unsigned int instructions)
{
	WRITE_ONCE(handicap, instructions);
}

/*
 * If @bit of @wanted is set, 2^bit times the bytes of @chain swapped, which is returned. Each needs
 * the one before, and nobody takes several in one step, as CPUs do with additions.
 */
static __always_inline unsigned long burn_bit(unsigned int wanted, unsigned long chain,
					      const unsigned int bit)
{
#if defined(CONFIG_X86)
	asm volatile("testl %[mask], %[wanted]\n\t"
		     "jz 1f\n\t"
		     ".rept %c[mask]\n\t"
		     "bswap %[chain]\n\t"
		     ".endr\n"
		     "1:"
		     : [chain] "+r" (chain)
		     : [wanted] "r" (wanted), [mask] "i" (1 << bit)
		     : "cc");
#elif defined(CONFIG_ARM64) || defined(CONFIG_ARM)
	const unsigned long set = wanted;

	asm volatile("tst %[set], %[mask]\n\t"
		     "beq 1f\n\t"
		     ".rept %c[mask]\n\t"
		     "rev %[chain], %[chain]\n\t"
		     ".endr\n"
		     "1:"
		     : [chain] "+r" (chain)
		     : [set] "r" (set), [mask] "i" (1 << bit)
		     : "cc");
#else
	/* Here the compiler has the branches, so the constant may not be one. */
	if (wanted & BIT(bit))
		asm volatile(".rept %c[mask]\n\tnop\n\t.endr"
			     : "+r" (chain) : [mask] "i" (1 << bit));
#endif
	return chain;
}

/**
 * handicap_burn() - execute the instructions that handicap_set() asked for
 */
noinline void handicap_burn(void)
{
	const unsigned int wanted = READ_ONCE(handicap);
	unsigned long chain = 0;

	chain = burn_bit(wanted, chain, 0);
	chain = burn_bit(wanted, chain, 1);
	chain = burn_bit(wanted, chain, 2);
	chain = burn_bit(wanted, chain, 3);
	chain = burn_bit(wanted, chain, 4);
	chain = burn_bit(wanted, chain, 5);
	chain = burn_bit(wanted, chain, 6);
	chain = burn_bit(wanted, chain, 7);
	chain = burn_bit(wanted, chain, 8);
	chain = burn_bit(wanted, chain, 9);
}
