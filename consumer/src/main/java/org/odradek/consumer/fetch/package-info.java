// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: fetches and delivers records, that is, requests, responses, the state of partitions, and the loop that
 * calls the handler. It uses {@code net}, and implements what {@code cluster} reports leaders to.
 */
package org.odradek.consumer.fetch;
