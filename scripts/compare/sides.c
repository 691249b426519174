// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the arguments of the command line to sides.
 */
#include "sides.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read.h"
#include "text.h"

/* NAME=PATH#LABEL, taken apart. */
struct argument {
	char *name, *path, *label;
};

static bool is_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._+-", name[i]))
			return false;
	return length > 0;
}

static struct argument take_apart(const char *text)
{
	struct argument argument = { 0 };
	const char *equals = strchr(text, '='), *hash;

	if (equals && is_name(text, equals - text) && access(text, F_OK)) {
		argument.name = duplicate(text, equals - text);
		text = equals + 1;
	}
	hash = strrchr(text, '#');
	if (hash && access(text, F_OK)) {
		argument.label = duplicate(hash + 1, strlen(hash + 1));
		argument.path = duplicate(text, hash - text);
	} else {
		argument.path = duplicate(text, strlen(text));
	}
	return argument;
}

static void free_argument(struct argument *argument)
{
	free(argument->name);
	free(argument->path);
	free(argument->label);
}

/* @path with every character that a glob would take for more than itself behind a backslash. */
static char *escape_glob(const char *path)
{
	char *escaped = allocate(2 * strlen(path) + 1, 1), *to = escaped;

	for (; *path; path++) {
		if (strchr("*?[]\\", *path))
			*to++ = '\\';
		*to++ = *path;
	}
	return escaped;
}

/* The files of a path, sorted: itself, the *.txt of a directory, or what the glob matches. */
static void list_files(const char *path, glob_t *files)
{
	struct stat status;
	bool exists = !stat(path, &status);
	bool is_directory = exists && S_ISDIR(status.st_mode);
	char *escaped = exists ? escape_glob(path) : duplicate(path, strlen(path));
	char *pattern = format_string(is_directory ? "%s/*.txt" : "%s", escaped);
	int flags = is_directory ? 0 : GLOB_NOMAGIC;

	free(escaped);
	switch (glob(pattern, flags, NULL, files)) {
	case 0:
		break;
	case GLOB_NOMATCH:
		die(EXIT_USAGE, is_directory ? "%s: no *.txt file in this directory" :
		    "%s: no such file", path);
	default:
		die(EXIT_USAGE, "%s: cannot be searched", path);
	}
	free(pattern);
}

static char *join_names(const struct side *sides, size_t count)
{
	char *names = duplicate("", 0);

	for (size_t i = 0; i < count; i++) {
		char *more = format_string("%s%s%s", names, i ? ", " : "", sides[i].name);

		free(names);
		names = more;
	}
	return names;
}

static struct side *read_path(struct rows *rows, const char *path, bool split, size_t *count)
{
	struct reading reading;
	struct side *sides;
	size_t length;
	char *why, *bytes = read_file(path, &length, &why);

	if (!bytes)
		die(EXIT_USAGE, "%s", why);
	if (!read_text(&reading, rows, path, bytes, length))
		die(EXIT_USAGE, "%s", reading.error);
	if (reading.unread)
		fprintf(stderr,
			"compare: %s: %zu line%s with figures not read, the first is line %zu\n",
			path, reading.unread, reading.unread == 1 ? "" : "s", reading.first_unread);
	sides = reading_sides(&reading, split, count);
	reading_free(&reading);
	return sides;
}

static void move_records(struct side *to, struct side *from)
{
	for (size_t i = 0; i < from->records; i++)
		side_add(to, from->record[i]);
	from->records = 0;
}

/* All files of the argument are boots of one side. */
static struct side read_one_side(struct rows *rows, const struct argument *argument)
{
	struct side side = { 0 };
	glob_t files;

	list_files(argument->path, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		size_t count, taken = 0;
		struct side *sides = read_path(rows, files.gl_pathv[i], argument->label, &count);
		char *names = join_names(sides, count);

		if (count > 1 && !argument->label)
			die(EXIT_USAGE,
			    "%s: holds several sides (%s): give it alone, or one of them as %s#%s",
			    files.gl_pathv[i], names, files.gl_pathv[i], sides[0].name);
		for (size_t j = 0; j < count; j++) {
			if (!argument->label || !strcmp(argument->label, sides[j].name)) {
				move_records(&side, &sides[j]);
				taken++;
			}
			side_free(&sides[j]);
		}
		if (!taken)
			die(EXIT_USAGE, "%s: no side \"%s\" in it, but: %s", files.gl_pathv[i],
			    argument->label, names);
		free(names);
		free(sides);
	}
	globfree(&files);
	return side;
}

/* "2016-slab-lock/p07.txt" and "boots/p07/" are called p07. */
static char *name_of_path(const char *path)
{
	size_t length = strlen(path);
	const char *start;

	while (length && path[length - 1] == '/')
		length--;
	start = memrchr(path, '/', length);
	start = start ? start + 1 : path;
	length -= start - path;
	if (length > 4 && !strncmp(start + length - 4, ".txt", 4))
		length -= 4;
	return duplicate(start, length);
}

static void check_names(const struct side *sides, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(sides[i].name, sides[j].name))
				die(EXIT_USAGE, "two sides are called \"%s\": name them, NAME=PATH",
				    sides[i].name);
}

static struct side *split_one(struct rows *rows, const struct argument *argument, size_t *sides)
{
	struct side *side = read_path(rows, argument->path, true, sides);

	if (*sides < 2)
		die(EXIT_USAGE,
		    "%s: holds only one side: give two paths, or a text with \"Before\" and \"After\"",
		    argument->path);
	return side;
}

struct side *read_sides(struct rows *rows, char *const *arguments, size_t count, bool split,
			size_t *sides)
{
	struct side *side;

	if (split && count != 1)
		die(EXIT_USAGE, "--split takes one file, not %zu", count);
	if (count == 1) {
		struct argument argument = take_apart(arguments[0]);

		side = split_one(rows, &argument, sides);
		free_argument(&argument);
		return side;
	}
	side = allocate(count, sizeof(*side));
	for (size_t i = 0; i < count; i++) {
		struct argument argument = take_apart(arguments[i]);

		side[i] = read_one_side(rows, &argument);
		if (argument.name)
			side[i].name = duplicate(argument.name, strlen(argument.name));
		else if (count == 2)
			side[i].name = format_string("%s", i ? "after" : "before");
		else
			side[i].name = argument.label ?
				       duplicate(argument.label, strlen(argument.label)) :
				       name_of_path(argument.path);
		free_argument(&argument);
	}
	check_names(side, count);
	*sides = count;
	return side;
}
