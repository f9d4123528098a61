// SPDX-License-Identifier: Apache-2.0

/**
 * Publishes records to topics of a Kafka cluster, with a {@link org.odradek.publisher.Publisher} and its handles for
 * topics.
 * <p>
 * A request copies its batches into its own frame, so a batch may be given up while it is in flight. An answer has no
 * effect on a partition whose first batch is not in flight with the sender of the request.
 * <p>
 * Work and a close first abort a claim that was left open, so no batch with an open record is sent or given up.
 */
package org.odradek.publisher;
