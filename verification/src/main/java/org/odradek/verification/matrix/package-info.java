// SPDX-License-Identifier: Apache-2.0

/**
 * The {@code matrix} command. It starts real brokers of many versions one at a time, fills each with a client of the
 * same version, and reads it with our consumer. Brokers and writers run in processes with the class path of their
 * version, which Maven resolves.
 */
package org.odradek.verification.matrix;
