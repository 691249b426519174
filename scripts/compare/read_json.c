// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON objects of names and numbers, as benchmarks write them. Each object of a text is a side.
 * Names of nested objects are joined by dots; strings, lists and words are passed over.
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 8, NAME_LENGTH = 200 };

/* Where in the lines the scanner is; @at never stands on the end of a line but the last one. */
struct scanner {
	struct reading *reading;
	size_t ahead;
	const char *at;
};

static char next_character(struct scanner *scanner)
{
	for (;;) {
		scanner->at = skip_blank(scanner->at);
		if (*scanner->at)
			return *scanner->at;
		if (!reading_line(scanner->reading, scanner->ahead + 1))
			return '\0';
		scanner->at = reading_line(scanner->reading, ++scanner->ahead);
	}
}

static bool parse_string(struct scanner *scanner, char *string, size_t size)
{
	size_t length = 0;

	if (next_character(scanner) != '"')
		return false;
	for (scanner->at++; *scanner->at && *scanner->at != '"'; scanner->at++) {
		if (*scanner->at == '\\' && scanner->at[1])
			scanner->at++;
		if (length + 1 < size)
			string[length++] = *scanner->at;
	}
	string[length] = '\0';
	if (*scanner->at != '"')
		return false;
	scanner->at++;
	return true;
}

/* A list, a string or a word: no figure. */
static bool skip_value(struct scanner *scanner)
{
	char string[2];
	size_t depth = 0;

	do {
		char character = next_character(scanner);

		if (character == '"') {
			if (!parse_string(scanner, string, sizeof(string)))
				return false;
			continue;
		}
		if (!character)
			return false;
		if (!depth && strchr(",}]", character))
			return true;
		depth += character == '[' || character == '{';
		depth -= character == ']' || character == '}';
		scanner->at++;
	} while (depth || !strchr(",}]", next_character(scanner)));
	return true;
}

static bool parse_object(struct scanner *scanner, struct part *part, const char *prefix, int depth);

static bool parse_member(struct scanner *scanner, struct part *part, const char *prefix, int depth)
{
	char name[NAME_LENGTH], path[2 * NAME_LENGTH];
	const char *printed;
	double value;

	if (!parse_string(scanner, name, sizeof(name)) || next_character(scanner) != ':')
		return false;
	scanner->at++;
	snprintf(path, sizeof(path), "%.*s%s%.*s", NAME_LENGTH - 2, prefix,
		 *prefix ? "." : "", NAME_LENGTH, name);
	switch (next_character(scanner)) {
	case '{':
		return parse_object(scanner, part, path, depth + 1);
	case '-': case '0': case '1': case '2': case '3': case '4':
	case '5': case '6': case '7': case '8': case '9':
		break;
	default:
		return skip_value(scanner);
	}
	printed = scanner->at;
	if (!number(printed, &scanner->at, &value))
		return false;
	reading_add(scanner->reading, part, &(struct row_key){
		.test = path, .size = -1, .higher_is_better = more_is_better(path, ""),
	}, value, number_resolution(printed));
	return true;
}

static bool parse_object(struct scanner *scanner, struct part *part, const char *prefix, int depth)
{
	if (next_character(scanner) != '{' || depth > MOST_DEPTH)
		return false;
	scanner->at++;
	while (next_character(scanner) != '}') {
		if (!parse_member(scanner, part, prefix, depth))
			return false;
		if (next_character(scanner) == ',')
			scanner->at++;
		else if (next_character(scanner) != '}')
			return false;
	}
	scanner->at++;
	return true;
}

/* True if an object begins here that ends as one. Adds nothing. */
static bool is_object(struct reading *reading)
{
	struct scanner scanner = { reading, 0, reading_line(reading, 0) };

	if (parse_object(&scanner, NULL, "", 0))
		return true;
	/* what is open to the end of the text will be so from any later line as well */
	reading->no_more_json = !next_character(&scanner);
	return false;
}

size_t read_json(struct reading *reading)
{
	struct scanner scanner = { reading, 0, reading_line(reading, 0) };
	struct part *part;
	char label[32];

	if (*scanner.at != '{' || reading->no_more_json || !is_object(reading))
		return 0;
	snprintf(label, sizeof(label), "%zu", ++reading->objects);
	part = reading_part(reading, *reading->label ? NULL : label);
	if (part)
		parse_object(&scanner, part, "", 0);
	return scanner.ahead + 1;
}
