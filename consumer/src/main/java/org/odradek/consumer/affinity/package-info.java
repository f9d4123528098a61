// SPDX-License-Identifier: Apache-2.0

/**
 * Threads and the cores they may run on. Needs JNA, which is an optional dependency, and Linux.
 */
package org.odradek.consumer.affinity;
