// SPDX-License-Identifier: Apache-2.0
/**
 * Pins threads to cores, and asks the kernel whether they are pinned. It uses nothing else of Odradek, and can pin any
 * thread.
 */
package org.odradek.affinity;
