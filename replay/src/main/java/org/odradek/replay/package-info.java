// SPDX-License-Identifier: Apache-2.0

/**
 * Capture, replay and warm-up: writes fetch responses to a file as the brokers sent them, reads them again with a real
 * consumer and without a broker, and warms up the code with generated responses before live traffic.
 */
package org.odradek.replay;
