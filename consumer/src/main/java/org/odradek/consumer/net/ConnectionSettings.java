// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

/**
 * The settings that every connection of one consumer shares.
 *
 * @param clientId                  sent with each request.
 * @param connectTimeoutNs          until a connection is made; longer after failures.
 * @param requestTimeoutNs          until a request is answered.
 * @param reconnectBackoffNs        before the first new try.
 * @param reconnectBackoffMaxNs     before any new try.
 * @param socketReceiveBufferLength in bytes, 0 leaves it to the kernel.
 * @param maxFrameLength            cap of a receive buffer in bytes.
 */
public record ConnectionSettings(
    String clientId,
    long connectTimeoutNs,
    long requestTimeoutNs,
    long reconnectBackoffNs,
    long reconnectBackoffMaxNs,
    int socketReceiveBufferLength,
    int maxFrameLength)
{
    public static final String SOFTWARE_NAME = "odradek";
    public static final String SOFTWARE_VERSION = "0.1.0";
}
