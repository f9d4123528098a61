// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains the metadata of the cluster, the known brokers, and the connection for requests other than Fetch
 * and Produce. This package uses {@code net} and {@code core}.
 * <p>
 * The first error of a partition or a connection requests metadata without a backoff; repeated errors and incomplete
 * answers wait for the backoff of the topic. If three answers in a row change nothing although there was an error, the
 * client asks the next broker, because their broker may be cut off from the controllers.
 */
package org.odradek.client.cluster;
