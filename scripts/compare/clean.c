// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take what mail and the kernel log put around figures off a text.
 */
#include "clean.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	MOST_PIECES = 8,	/* of a wrapped line: more is not wrapping */
	MOST_CPUS = 8192,
};

static int hex(char digit)
{
	if (isdigit((unsigned char)digit))
		return digit - '0';
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}

/*
 * "Average=36" is quoted-printable for "Average6" as well. So a text is taken as quoted-printable
 * only when it says so, or when it holds an encoded "=", which raw figures never do.
 */
static bool is_quoted_printable(const struct text *text)
{
	return strstr(text->bytes, "=3D") ||
	       strcasestr(text->bytes, "content-transfer-encoding: quoted-printable");
}

static void decode_quoted_printable(struct text *text)
{
	char *to = text->bytes, *end = text->bytes + text->length;

	for (char *from = text->bytes; from < end;) {
		if (*from != '=') {
			*to++ = *from++;
		} else if (from[1] == '\n') {
			from += 2;
		} else if (from[1] == '\r' && from[2] == '\n') {
			from += 3;
		} else if (hex(from[1]) >= 0 && hex(from[2]) >= 0) {
			char byte = hex(from[1]) << 4 | hex(from[2]);

			*to++ = byte ? byte : ' ';
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	text->length = to - text->bytes;
}

/* ± as UTF-8, as Latin-1, as UTF-8 read as Latin-1 and back, in ASCII, and replaced as unknown. */
static const char *const plus_minus[] = {
	"\xc3\x82\xc2\xb1", "\xc2\xb1", "\xb1", "\xef\xbf\xbd", "+/-", "+-", "&plusmn;",
};

/* How many bytes at @at are a ±, or 0. */
static size_t plus_minus_length(const char *at)
{
	if (!strchr("\xc3\xc2\xb1\xef+&", *at))
		return 0;
	for (size_t i = 0; i < sizeof(plus_minus) / sizeof(*plus_minus); i++)
		if (starts_with(at, plus_minus[i]))
			return strlen(plus_minus[i]);
	return 0;
}

/* Every ± becomes "~", which no format uses; non-breaking blanks become blanks. In place. */
static void plain_signs(char *line)
{
	char *to = line;

	for (const char *from = line; *from;) {
		size_t length = plus_minus_length(from);

		if (length) {
			*to++ = '~';
			from += length;
		} else if (from[0] == '\xc2' && from[1] == '\xa0') {
			*to++ = ' ';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* "> ", ">>> ", ">> >> ", "> > " in front of a line. */
static char *skip_quoting(char *line)
{
	char *at = line + strspn(line, " \t");

	if (*at != '>')
		return line;
	while (*at == '>' || *at == ' ' || *at == '\t')
		at++;
	return at;
}

/* "<6>", "[    1.143674] ", "[    1.143674][    T1] ", "Jun 17 10:00:00 host kernel: ". */
static char *skip_stamp(char *line)
{
	char *at = line, *end, *kernel;

	if (at[0] == '<' && isdigit((unsigned char)at[1]) && at[2] == '>')
		at += 3;
	kernel = strstr(at, " kernel: ");
	if (kernel && kernel - at < 64 && memchr(at, ':', kernel - at))
		at = kernel + strlen(" kernel: ");
	for (int i = 0; i < 2 && *at == '['; i++) {
		end = at + 1 + strspn(at + 1, " .0123456789TC");
		if (end == at + 1 || *end != ']')
			break;
		at = end + 1 + strspn(end + 1, " ");
	}
	return at;
}

static void trim(struct line *line)
{
	size_t length;

	line->text += strspn(line->text, " \t");
	length = strlen(line->text);
	while (length && isspace((unsigned char)line->text[length - 1]))
		length--;
	line->text[length] = '\0';
}

/*
 * Records that mailers wrap, and that newer kernels print in fragments. What may follow an open
 * record is told by its first characters, because other messages can stand between the pieces.
 */
enum kind {
	CLOSED,
	TIMES,		/* 10000 times kmalloc(8) | -> 61 cycles | kfree | -> 90 cycles */
	AVERAGE,	/* Kmalloc N*alloc N*free(8): | 0=1506 | /619 | Average=1003 | /620 */
	TIME_BENCH,	/* Type:name Per elem: … | - (measurement … | - (invoke …) */
};

static enum kind record_kind(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	if (strstr(line, "Type:"))
		return TIME_BENCH;
	if (digits && (starts_with(line + digits, " times ") || !strcmp(line + digits, " times")))
		return TIMES;
	if (strchr(line, '(') && (strstr(line, "N*") || starts_with(line, "1 alloc N free")))
		return AVERAGE;
	return CLOSED;
}

static bool complete(enum kind kind, const char *line)
{
	const char *arrow = strrchr(line, '>');
	const char *free = strstr(line, "free");
	bool pair = strstr(line, ")/");
	bool has_result = arrow && strpbrk(arrow, "0123456789") && strchr(arrow, 's');

	switch (kind) {
	case TIMES:	/* columns of a table are complete as they are */
		return strchr(line, '\t') || strstr(line, "  ") ||
		       (has_result && (pair || (free && free < arrow)));
	case TIME_BENCH:
		return strstr(line, "tsc_interval:");
	default:
		return false;
	}
}

static bool continues(enum kind kind, const char *line)
{
	size_t digits = strspn(line, "0123456789.");

	switch (kind) {
	case TIMES:
		return starts_with(line, "->") || starts_with(line, "kfree") ||
		       starts_with(line, "__free") || starts_with(line, "cycles") ||
		       starts_with(line, "kmalloc(") ||
		       (digits && starts_with(line + digits, " cycles"));
	case AVERAGE:
		return (*line == '/' && isdigit((unsigned char)line[1])) ||
		       starts_with(line, "Average=") || (digits && line[digits] == '=');
	case TIME_BENCH:
		return *line && !starts_with(line, "DEBUG");
	default:
		return false;
	}
}

static void join_lines(struct text *text)
{
	char *to = allocate(text->length + text->lines + 1, 1);
	enum kind kind = CLOSED;
	size_t kept = 0, pieces = 0;
	struct line *open = NULL;

	text->joined = to;
	for (size_t i = 0; i < text->lines; i++) {
		struct line line = text->line[i];
		enum kind begins = record_kind(line.text);

		if (!begins && continues(kind, line.text) &&
		    pieces < (kind == AVERAGE ? MOST_CPUS : MOST_PIECES)) {
			if (!pieces++) {
				strcpy(to, open->text);
				open->text = to;
				to += strlen(to);
			}
			if (*line.text != '/')
				*to++ = ' ';
			strcpy(to, line.text);
			to += strlen(to);
			if (kind != AVERAGE && complete(kind, open->text))
				kind = CLOSED;
			continue;
		}
		text->line[kept] = line;
		if (begins || !*line.text) {
			to += pieces != 0;
			pieces = 0;
			open = &text->line[kept];
			kind = complete(begins, line.text) ? CLOSED : begins;
		}
		kept++;
	}
	text->lines = kept;
}

void clean(struct text *text)
{
	if (is_quoted_printable(text))
		decode_quoted_printable(text);
	if (starts_with(text->bytes, "\xef\xbb\xbf"))	/* a byte order mark */
		memset(text->bytes, ' ', 3);
	split_lines(text);
	for (size_t i = 0; i < text->lines; i++) {
		struct line *line = &text->line[i];

		plain_signs(line->text);
		line->text = skip_quoting(line->text);
		trim(line);
		line->text = skip_stamp(line->text);
		trim(line);
	}
	join_lines(text);
}
