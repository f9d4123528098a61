// SPDX-License-Identifier: Apache-2.0

/**
 * The {@code matrix} command: real brokers of many generations, one after the other, each written to by a client of its
 * own generation and read by our consumer. Brokers and writers run in processes with the class path of their version,
 * which Maven resolves.
 */
package org.odradek.tools.matrix;
