// SPDX-License-Identifier: GPL-2.0-only
/*
 * Presets: plans with a name. A preset sets parameters as the user would; one that the user set
 * himself stays as it is, and the header names it.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "slab_test.h"

#define CLASSIC	"alloc_then_free,alloc_free,concurrent_alloc_then_free,concurrent_alloc_free," \
		"remote_free,alloc_one_free_all,null,control"

#define ONE_OF_EACH "ring,cache_alloc_then_free,accounted_alloc_then_free,node_alloc_then_free," \
		"alloc_page_then_free,batch_alloc_free,bulk_alloc_free,batch_kfree_rcu"

#define BATCHES	"batch_alloc_free,concurrent_batch_alloc_free,accounted_batch_alloc_free," \
		"accounted_concurrent_batch_alloc_free,batch_kfree_rcu," \
		"concurrent_batch_kfree_rcu,control"

static const struct preset presets[] = {
	{
		/* What the module measures when it is told nothing. */
		.name = "classic",
		.settings = {
			{ "tests", CLASSIC },
			{ "sizes", "8,16,32,64,128,256,512,1024,2048,4096" },
			{ "count", "10000" },
			{ "rounds", "10" },
		},
	}, {
		/* Every kind of test once, to see that they work; figures for a first look. */
		.name = "quick",
		.settings = {
			{ "tests", CLASSIC "," ONE_OF_EACH },
			{ "sizes", "16,256,4096" },
			{ "batch", "10" },
			{ "bulk", "16" },
			{ "count", "1000" },
			{ "rounds", "5" },
		},
	}, {
		/* What sheaves are about: batches larger and smaller than what a CPU holds. */
		.name = "sheaves",
		.settings = {
			{ "tests", BATCHES },
			{ "sizes", "64,512" },
			{ "batch", "1,10,100,1000" },
			{ "order", "fifo,random" },
			{ "count", "10000" },
			{ "rounds", "10" },
		},
	}, {
		/* Every test there is. */
		.name = "full",
		.settings = {
			{ "tests", "all" },
			{ "sizes", "16,64,512,4096" },
			{ "count", "10000" },
			{ "rounds", "3" },
		},
	},
};

/**
 * preset_find() - a preset by its name
 * @name: of the preset
 *
 * Return: the preset, or NULL.
 */
const struct preset *preset_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(presets); i++) {
		if (!strcmp(name, presets[i].name))
			return &presets[i];
	}
	return NULL;
}
