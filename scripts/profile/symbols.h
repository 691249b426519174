/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of a guest by address, from its /proc/kallsyms.
 */
#ifndef PROFILE_SYMBOLS_H
#define PROFILE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t address;	/* up to the next one's */
	const char *name;
	bool ours;		/* a function of the module slab_test */
};

/* Sorted, one name an address; below the first function is "[user]", far above one "[unknown]". */
struct symbols {
	struct symbol *symbol;
	size_t count;
	char *text;		/* what the names point into */
};

/**
 * symbols_read() - read the functions of a guest
 * @symbols: filled in; stays allocated
 * @path: a copy of /proc/kallsyms: "ADDRESS TYPE NAME[\t[MODULE]]" lines, in any order
 *
 * Of several names at one address one with the fewest underscores in front is kept.
 *
 * Return: whether there were any; if not, a line on stderr says why.
 */
bool symbols_read(struct symbols *symbols, const char *path);

/**
 * symbols_find() - which function an address lies in
 * @symbols: as read
 * @address: of an instruction
 *
 * Return: index of the symbol.
 */
size_t symbols_find(const struct symbols *symbols, uint64_t address);

/**
 * symbols_address() - where a function of the module slab_test is
 * @symbols: as read
 * @name: of the function
 *
 * Return: its address; 0: there is none.
 */
uint64_t symbols_address(const struct symbols *symbols, const char *name);

#endif
