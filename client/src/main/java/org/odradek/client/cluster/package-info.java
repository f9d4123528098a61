// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains the metadata of the cluster, the known brokers, and the connection for requests other than Fetch
 * and Produce.
 */
package org.odradek.client.cluster;
