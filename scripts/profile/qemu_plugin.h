/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few functions of QEMU's plugin interface that are used here; Debian has no package with its
 * header. They are the same in version 1 (QEMU 4.2 to 8.2) and in 2 to 5 (9.0 to 10.1). QEMU
 * refuses a plugin whose qemu_plugin_version it does not know, in one line.
 */
#ifndef PROFILE_QEMU_PLUGIN_H
#define PROFILE_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

typedef struct {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
} qemu_info_t;

struct qemu_plugin_tb;	/* a block of guest code, while it is translated */

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*translated)(qemu_plugin_id_t id,
							      struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*executed)(unsigned int vcpu, void *data),
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
				    void (*ended)(qemu_plugin_id_t id, void *data), void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

#endif
