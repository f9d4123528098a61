// SPDX-License-Identifier: Apache-2.0

/**
 * Publishes records to topics of a Kafka cluster, with a {@link org.odradek.publisher.Publisher} and its handles for
 * topics.
 */
package org.odradek.publisher;
