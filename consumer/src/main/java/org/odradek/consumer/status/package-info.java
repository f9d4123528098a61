// SPDX-License-Identifier: Apache-2.0

/**
 * Counters, which every package of the consumer may use.
 */
package org.odradek.consumer.status;
