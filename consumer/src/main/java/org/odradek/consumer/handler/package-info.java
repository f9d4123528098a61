// SPDX-License-Identifier: Apache-2.0

/**
 * The interfaces that users implement, the types that their methods receive or return, and the counters and histograms.
 * Every package of the consumer may use them.
 */
package org.odradek.consumer.handler;
