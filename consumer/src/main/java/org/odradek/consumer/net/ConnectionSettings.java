// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.core.Backoff;
import org.odradek.consumer.security.SecuritySettings;

import java.util.random.RandomGenerator;

/**
 * The settings that all connections of one consumer share.
 *
 * @param clientId                  sent with each request.
 * @param connectTimeoutNs          longest time to connect; extended after failures.
 * @param requestTimeoutNs          longest time from a request to its response.
 * @param reconnectBackoffNs        delay after the first failure to connect.
 * @param reconnectBackoffMaxNs     longest delay after failures to connect.
 * @param random                    varies the delays, also those before retries of requests.
 * @param socketReceiveBufferLength in bytes; 0 leaves it to the system.
 * @param maxFrameLength            cap of a receive buffer in bytes.
 * @param security                  how connections are encrypted and authenticated.
 */
public record ConnectionSettings(
    String clientId,
    long connectTimeoutNs,
    long requestTimeoutNs,
    long reconnectBackoffNs,
    long reconnectBackoffMaxNs,
    RandomGenerator random,
    int socketReceiveBufferLength,
    int maxFrameLength,
    SecuritySettings security)
{
    public static final String SOFTWARE_NAME = "odradek";
    public static final String SOFTWARE_VERSION = "0.1.0";

    /** Returns a new backoff between attempts to connect. */
    public Backoff reconnectBackoff()
    {
        return new Backoff(reconnectBackoffNs, reconnectBackoffMaxNs, random);
    }
}
