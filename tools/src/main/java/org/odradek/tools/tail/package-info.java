// SPDX-License-Identifier: Apache-2.0

/**
 * {@code odradek tail} and {@code replay}: the records of a topic or of captured frames, on standard output.
 */
package org.odradek.tools.tail;
