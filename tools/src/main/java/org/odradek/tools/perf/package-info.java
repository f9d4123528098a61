// SPDX-License-Identifier: Apache-2.0

/**
 * {@code odradek perf}: how fast a topic is read, and at what cost.
 */
package org.odradek.tools.perf;
