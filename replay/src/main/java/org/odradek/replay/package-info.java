// SPDX-License-Identifier: Apache-2.0

/**
 * Capture, replay and warm-up. The package writes fetch responses to a file as the brokers sent them, replays them to a
 * real consumer without a broker, and warms up the code with generated responses before live traffic.
 */
package org.odradek.replay;
