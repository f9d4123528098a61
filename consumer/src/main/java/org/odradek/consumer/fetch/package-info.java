// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: fetches and delivers records, that is, requests, responses, the state of partitions, and the loop that
 * calls the handler. It uses {@code net}.
 */
package org.odradek.consumer.fetch;
