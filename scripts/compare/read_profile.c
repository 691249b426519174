// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profile beside a record: TSV below "# key: value" lines, of which the first has the version.
 */
#include "profile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROFILE_MAGIC "# slab_test profile: 1"
#define PROFILE_HEAD "test\tsize\tround\tcpu\tphase\tops\tfunction\tinstructions\telsewhere"

enum { FIELDS = 9 };

/* "boots/boot-001.txt" has "boots/boot-001.profile". */
static char *path_beside(const char *source)
{
	size_t length = strlen(source);

	if (length > 4 && !strcmp(source + length - 4, ".txt"))
		length -= 4;
	return format_string("%.*s.profile", (int)length, source);
}

bool profile_exists(const struct record *record)
{
	char *path = path_beside(record->source);
	bool exists = !access(path, F_OK);

	free(path);
	return exists;
}

static bool parse_line(char *text, struct profile_line *line)
{
	char *field[FIELDS], *at = text;
	unsigned long long size = 0;
	const char *end;
	int fields = 0;

	while (fields < FIELDS && at) {
		field[fields++] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	if (fields != FIELDS || at)
		return false;
	if (strcmp(field[1], "-") && (!whole_number(field[1], &end, &size) || *end ||
				      size > INT_MAX))
		return false;
	*line = (struct profile_line){
		.test = field[0], .phase = field[4], .function = field[6],
		.size = *field[1] == '-' ? -1 : (long)size,
	};
	return whole_number(field[2], &end, &line->round) && !*end &&
	       whole_number(field[7], &end, &line->instructions) && !*end &&
	       whole_number(field[8], &end, &line->elsewhere) && !*end;
}

void profile_read(struct profile *profile, const struct record *record)
{
	struct text *text = &profile->text;
	size_t i;
	char *why;

	*profile = (struct profile){ .path = path_beside(record->source) };
	if (access(profile->path, F_OK))
		die(EXIT_USAGE,
		    "--why: no %s: make records with scripts/vm.sh --exact --profile",
		    profile->path);
	text->bytes = read_file(profile->path, &text->length, &why);
	if (!text->bytes)
		die(EXIT_USAGE, "%s", why);
	split_lines(text);
	if (!text->lines || strcmp(text->line[0].text, PROFILE_MAGIC))
		die(EXIT_USAGE, "%s: does not begin with \"%s\"", profile->path, PROFILE_MAGIC);
	for (i = 0; i < text->lines && *text->line[i].text == '#';)
		i++;
	if (i == text->lines || strcmp(text->line[i].text, PROFILE_HEAD) || text->open_end)
		die(EXIT_USAGE, "%s: columns missing, or cut off", profile->path);
	for (i++; i < text->lines; i++) {
		profile->line = grow(profile->line, profile->lines, &profile->room,
				     sizeof(*profile->line));
		if (!parse_line(text->line[i].text, &profile->line[profile->lines++]))
			die(EXIT_USAGE, "%s:%zu: not understood", profile->path,
			    text->line[i].number);
	}
}

void profile_free(struct profile *profile)
{
	free(profile->path);
	free(profile->line);
	text_free(&profile->text);
}
