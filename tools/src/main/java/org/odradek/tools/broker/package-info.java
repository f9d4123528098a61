// SPDX-License-Identifier: Apache-2.0

/**
 * The {@code broker} command, which starts a broker to try things with.
 */
package org.odradek.tools.broker;
