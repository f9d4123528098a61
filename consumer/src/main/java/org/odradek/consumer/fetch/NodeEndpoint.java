/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
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
