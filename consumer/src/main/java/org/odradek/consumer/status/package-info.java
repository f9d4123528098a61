// SPDX-License-Identifier: Apache-2.0

/**
 * The types that users read: counters, histograms, the counters file and the results of requests. Every package of the
 * consumer may use it.
 */
package org.odradek.consumer.status;
