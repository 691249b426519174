// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text: the lines of a file, growing arrays and strict numbers.
 */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

void die(int code, const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fputs("compare: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(code);
}

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		die(EXIT_USAGE, "out of memory (%zu elements of %zu bytes)", count, size);
	return memory;
}

char *duplicate(const char *string, size_t length)
{
	char *copy = allocate(length + 1, 1);

	memcpy(copy, string, length);
	return copy;
}

char *format_string(const char *format, ...)
{
	va_list arguments;
	char *string;
	int length;

	va_start(arguments, format);
	length = vasprintf(&string, format, arguments);
	va_end(arguments);
	if (length < 0)
		die(EXIT_USAGE, "out of memory");
	return string;
}

void *grow(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 16;
	array = reallocarray(array, *room, size);
	if (!array)
		die(EXIT_USAGE, "out of memory (%zu elements of %zu bytes)", *room, size);
	return array;
}

char *read_file(const char *path, size_t *length, char **why)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	size_t room = 0;
	char *bytes = NULL;

	*length = 0;
	if (!file) {
		*why = format_string("%s: %s", path, strerror(errno));
		return NULL;
	}
	if (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode)) {
		*why = format_string("%s: is a directory", path);
		fclose(file);
		return NULL;
	}
	do {
		room = room ? 2 * room : 1 << 16;
		bytes = realloc(bytes, room);
		if (!bytes)
			die(EXIT_USAGE, "%s: out of memory at %zu bytes", path, *length);
		*length += fread(bytes + *length, 1, room - *length - 1, file);
	} while (*length == room - 1);
	if (ferror(file)) {
		*why = format_string("%s: read error", path);
		fclose(file);
		free(bytes);
		return NULL;
	}
	fclose(file);
	bytes[*length] = '\0';
	return bytes;
}

void split_lines(struct text *text)
{
	char *at = text->bytes, *end = text->bytes + text->length;
	size_t room = 0;

	free(text->line);
	text->line = NULL;
	text->lines = 0;
	text->open_end = text->length && end[-1] != '\n';
	while (at < end) {
		char *newline = memchr(at, '\n', end - at);

		if (!newline)
			newline = end;
		text->line = grow(text->line, text->lines, &room, sizeof(*text->line));
		text->line[text->lines] = (struct line){ at, text->lines + 1 };
		text->lines++;
		*newline = '\0';
		at = newline + 1;
	}
}

void text_free(struct text *text)
{
	free(text->bytes);
	free(text->joined);
	free(text->line);
	*text = (struct text){ 0 };
}

bool number(const char *string, const char **end, double *value)
{
	const char *digits = string + (*string == '-' || *string == '+');
	char *stop;

	if (!isdigit((unsigned char)*digits) &&
	    !(*digits == '.' && isdigit((unsigned char)digits[1])))
		return false;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return false;
	*value = strtod(string, &stop);
	*end = stop;
	return fabs(*value) < 1e60;
}

bool whole_number(const char *string, const char **end, unsigned long long *value)
{
	const char *at = string;

	*value = 0;
	for (; isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(*value, 10ULL, value) ||
		    __builtin_add_overflow(*value, (unsigned long long)(*at - '0'), value))
			return false;
	*end = at;
	return at > string;
}

double number_resolution(const char *string)
{
	double resolution = 1;

	string += strspn(string, "+-0123456789");
	if (*string == '.')
		for (string++; isdigit((unsigned char)*string); string++)
			resolution /= 10;
	if (*string == 'e' || *string == 'E')
		resolution *= pow(10, strtol(string + 1, NULL, 10));
	return resolution;
}

void split_words(const char *line, struct words *words)
{
	words->count = 0;
	while (*(line = skip_blank(line)) && words->count < MOST_WORDS) {
		words->at[words->count] = line;
		line += strcspn(line, " \t");
		words->length[words->count] = line - words->at[words->count];
		words->count++;
	}
}

void split_columns(const char *line, struct words *words)
{
	words->count = 0;
	while (*(line = skip_blank(line)) && words->count < MOST_WORDS) {
		const char *start = line;

		while (*line && *line != '\t' && !(line[0] == ' ' && strchr(" \t", line[1])))
			line++;
		words->at[words->count] = start;
		words->length[words->count++] = line - start;
	}
}

const char *skip_blank(const char *string)
{
	return string + strspn(string, " \t");
}

bool starts_with(const char *string, const char *prefix)
{
	return !strncmp(string, prefix, strlen(prefix));
}

bool starts_with_word(const char *string, const char *word)
{
	size_t length = strlen(word);

	return !strncasecmp(string, word, length) && !isalnum((unsigned char)string[length]);
}
