// SPDX-License-Identifier: Apache-2.0

/**
 * Capture, replay and warm-up: fetch responses written to a file as the brokers sent them, read again from there by a
 * real consumer without a broker, and made-up responses that warm up the code before live traffic.
 */
package org.odradek.replay;
