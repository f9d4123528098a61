// SPDX-License-Identifier: Apache-2.0

/**
 * The commands that show what runs elsewhere: {@code stat}, {@code lag}, {@code errors} and {@code prometheus} read the
 * counters file of a consumer or publisher of another process, {@code groups} asks the brokers.
 */
package org.odradek.tools.status;
