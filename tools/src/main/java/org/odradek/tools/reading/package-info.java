// SPDX-License-Identifier: Apache-2.0

/**
 * The commands {@code tail}, {@code perf} and {@code replay}, which read the records of a topic or of captured frames.
 */
package org.odradek.tools.reading;
