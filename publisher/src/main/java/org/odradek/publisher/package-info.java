// SPDX-License-Identifier: Apache-2.0

/**
 * Publishes records: a {@link org.odradek.publisher.Publisher} and its handles for topics. The package uses the module
 * {@code client}, and not the consumer.
 */
package org.odradek.publisher;
