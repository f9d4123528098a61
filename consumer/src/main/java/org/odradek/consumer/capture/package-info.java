// SPDX-License-Identifier: Apache-2.0

/**
 * Fetch responses kept in a file as they came from the brokers, and read again from there. Below every other package
 * but {@code handler} and {@code status}: knows bytes, and nothing of sockets or of fetching.
 */
package org.odradek.consumer.capture;
