// SPDX-License-Identifier: Apache-2.0

/**
 * Publishes records: {@link org.odradek.publisher.Publisher} and its handles for topics. It stands on the consumer's
 * rooms {@code core}, {@code net}, {@code tls} and {@code cluster}; the consumer uses nothing of it.
 */
package org.odradek.publisher;
