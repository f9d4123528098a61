// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * Where a broker told that a leader is (KIP-951).
 *
 * @param nodeId of the leader.
 * @param host   name or address.
 * @param port   of the host.
 */
public record NodeEndpoint(int nodeId, String host, int port)
{
}
