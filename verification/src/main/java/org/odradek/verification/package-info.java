// SPDX-License-Identifier: Apache-2.0

/**
 * The commands that verify Odradek itself against real brokers, and the figures in its pages. The module simulation
 * verifies it in simulated time.
 */
package org.odradek.verification;
