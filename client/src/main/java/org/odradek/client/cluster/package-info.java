// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the metadata of the cluster, the known brokers, and the connection for requests other than fetches. This
 * package uses {@code net}.
 */
package org.odradek.client.cluster;
