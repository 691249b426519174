// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of a guest by address, from its /proc/kallsyms.
 */
#include "symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No function is longer: what lies further above one is code that has no symbol. */
#define LONGEST_FUNCTION	(1 << 20)

static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t length = 0, room = 0;
	char *text = NULL, *more;

	if (!file)
		return NULL;
	do {
		room = room ? 2 * room : 1 << 22;
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
		length += fread(text + length, 1, room - length - 1, file);
	} while (length == room - 1);
	if (!more || ferror(file)) {
		free(text);
		text = NULL;
	} else {
		text[length] = '\0';
	}
	fclose(file);
	return text;
}

/* Marks of arm's assembler, and padding in front of functions: nothing is executed there. */
static bool is_mark(const char *name)
{
	return *name == '$' || !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

/* One line, cut off at its end; false for what is no function. */
static bool parse(char *line, struct symbol *symbol)
{
	int name = 0, end = 0;
	char type;

	if (sscanf(line, "%" SCNx64 " %c %n%*[^ \t]%n", &symbol->address, &type, &name, &end) < 2 ||
	    !end || !strchr("tTwW", type) || !symbol->address)
		return false;
	symbol->name = line + name;
	symbol->ours = !strcmp(line + end, "\t[slab_test]");
	line[end] = '\0';
	return !is_mark(symbol->name);
}

/* Of several names at one address the first: memset before __memset, any before _stext. */
static int compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	size_t underscores_a = strspn(a->name, "_"), underscores_b = strspn(b->name, "_");

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (underscores_a != underscores_b)
		return underscores_a < underscores_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool parse_all(struct symbols *symbols)
{
	size_t lines = 0, count = 1;
	char *line, *next;

	for (line = symbols->text; *line; line++)
		lines += *line == '\n';
	symbols->symbol = calloc(lines + 2, sizeof(*symbols->symbol));
	if (!symbols->symbol)
		return false;
	symbols->symbol[0].name = "[user]";
	for (line = symbols->text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (parse(line, &symbols->symbol[count]))
			count++;
	}
	qsort(symbols->symbol, count, sizeof(*symbols->symbol), compare);
	symbols->count = 1;
	for (size_t i = 1; i < count; i++)
		if (symbols->symbol[i].address != symbols->symbol[symbols->count - 1].address)
			symbols->symbol[symbols->count++] = symbols->symbol[i];
	symbols->symbol[symbols->count++] = (struct symbol){ UINT64_MAX, "[unknown]", false };
	return true;
}

bool symbols_read(struct symbols *symbols, const char *path)
{
	*symbols = (struct symbols){ .text = read_whole(path) };
	if (!symbols->text || !parse_all(symbols)) {
		fprintf(stderr, "profile: %s: %s\n", path, strerror(errno));
		return false;
	}
	if (symbols->count == 2)
		fprintf(stderr, "profile: %s: no functions with addresses in it\n", path);
	return symbols->count > 2;
}

size_t symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count - 1;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbol[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	if (low && address - symbols->symbol[low].address > LONGEST_FUNCTION)
		return symbols->count - 1;
	return low;
}

uint64_t symbols_address(const struct symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->symbol[i].ours && !strcmp(symbols->symbol[i].name, name))
			return symbols->symbol[i].address;
	return 0;
}
