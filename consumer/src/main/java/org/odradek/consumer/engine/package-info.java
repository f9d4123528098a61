// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the duty cycle of a consumer, offset lookups, the guard of polls, the recorder of measurements, and the
 * offset file.
 */
package org.odradek.consumer.engine;
