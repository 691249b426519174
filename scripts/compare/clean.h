/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef COMPARE_CLEAN_H
#define COMPARE_CLEAN_H

#include "text.h"

/*
 * Take what mail and the kernel log put around figures off a text: quoted-printable, quoting
 * ("> ", ">> >> "), log stamps, indentation, damaged ± signs. Lines cut by a mailer or printed in
 * fragments are joined; a joined line keeps the number of its first. @text->line is set.
 */
void clean(struct text *text);

#endif
