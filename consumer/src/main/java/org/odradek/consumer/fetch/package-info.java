// SPDX-License-Identifier: Apache-2.0

/**
 * Fetches and delivers records: requests, responses, the state of partitions, and the loop that calls the handler. It
 * uses {@code net}. Internal: not part of the API.
 */
package org.odradek.consumer.fetch;
