// SPDX-License-Identifier: Apache-2.0
/**
 * Pins threads to cores, and verifies with the kernel that they are pinned. It uses no other artifact of Odradek, and
 * can pin any thread.
 */
package org.odradek.affinity;
