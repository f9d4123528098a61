// SPDX-License-Identifier: Apache-2.0

/**
 * Writes fetch responses to a file as the brokers sent them, replays them to a consumer without a broker, and warms up
 * the code with generated responses.
 */
package org.odradek.replay;
