// SPDX-License-Identifier: Apache-2.0

/**
 * {@code odradek doctor}: what matters for a quiet core, as files below /proc and /sys tell it.
 */
package org.odradek.tools.doctor;
