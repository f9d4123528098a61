// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: fetches and delivers records: requests, responses, the state of partitions, and the loop that calls the
 * handler. The package uses {@code net}, and implements the interface to which {@code cluster} reports leaders.
 */
package org.odradek.consumer.fetch;
