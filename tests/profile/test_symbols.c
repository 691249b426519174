// SPDX-License-Identifier: GPL-2.0-only
/*
 * From /proc/kallsyms to the name of an address.
 */
#include "symbols.h"

#include <stdlib.h>
#include <unistd.h>

#include "../compare/check.h"

static struct symbols symbols;

static bool read_text(const char *text)
{
	char path[] = "/tmp/symbols-XXXXXX";
	int file = mkstemp(path);
	bool done;

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(file);
	done = symbols_read(&symbols, path);
	unlink(path);
	return done;
}

static void forget(void)
{
	free(symbols.symbol);
	free(symbols.text);
}

static const char *name_at(uint64_t address)
{
	return symbols.symbol[symbols_find(&symbols, address)].name;
}

static void addresses(void)
{
	CHECK(read_text("ffffffff81000200 T kfree\n"
			"0000000000000000 A fixed_percpu_data\n"
			"ffffffff81000100 t kmem_cache_free\n"
			"ffffffff81000180 d a_variable\n"
			"ffffffffc0000000 t phase_begin\t[slab_test]\n"
			"ffffffffc0000040 t phase_end\t[other]\n"));
	CHECK_STRING(name_at(0x400000), "[user]");
	CHECK_STRING(name_at(0xffffffff810000ff), "[user]");
	CHECK_STRING(name_at(0xffffffff81000100), "kmem_cache_free");
	CHECK_STRING(name_at(0xffffffff810001ff), "kmem_cache_free");
	CHECK_STRING(name_at(0xffffffff81000200), "kfree");
	CHECK_STRING(name_at(0xffffffff81100200), "kfree");
	CHECK_STRING(name_at(0xffffffff81100201), "[unknown]");
	CHECK_STRING(name_at(0xffffffffc000003f), "phase_begin");
	CHECK_STRING(name_at(UINT64_MAX), "[unknown]");
	CHECK(symbols_address(&symbols, "phase_begin") == 0xffffffffc0000000);
	/* the kernel and other modules may have a function of the same name */
	CHECK(!symbols_address(&symbols, "phase_end"));
	CHECK(!symbols_address(&symbols, "kfree"));
	forget();
}

static void several_names(void)
{
	CHECK(read_text("ffffffff81000100 T __memset\n"
			"ffffffff81000100 W memset\n"
			"ffffffff81000100 T _stext\n"
			"ffffffff81000110 t __pfx_kfree\n"
			"ffffffff81000118 t $x\n"
			"ffffffff81000120 T kfree"));
	CHECK_STRING(name_at(0xffffffff81000104), "memset");
	CHECK_STRING(name_at(0xffffffff8100011c), "memset");
	CHECK_STRING(name_at(0xffffffff81000124), "kfree");
	forget();
}

static void refused(void)
{
	CHECK(!read_text(""));
	forget();
	/* what somebody without the right to see addresses gets */
	CHECK(!read_text("0000000000000000 T kfree\n0000000000000000 T kmalloc\n"));
	forget();
	CHECK(!read_text("# slab_test: 1\n\nno symbols\n"));
	forget();
	CHECK(!symbols_read(&symbols, "/nonexistent/symbols"));
}

int main(void)
{
	static const struct test tests[] = {
		{ "an address has the name of the function it lies in", addresses },
		{ "of several names the plainest is kept, padding is nobody", several_names },
		{ "a file without functions is refused", refused },
	};

	return run_tests(tests, sizeof(tests) / sizeof(*tests));
}
