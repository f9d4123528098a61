// SPDX-License-Identifier: Apache-2.0

/**
 * The interfaces that users implement, and the types that they receive: counters, histograms and the counters file.
 * Every package of the consumer may use them.
 */
package org.odradek.consumer.handler;
