// SPDX-License-Identifier: Apache-2.0

/**
 * The {@code doctor} command, which reads files in /proc and /sys and lists what disturbs a polling thread.
 */
package org.odradek.tools.doctor;
