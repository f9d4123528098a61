// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Turns a host name into addresses. Called only when a connection is about to be made to a host given by name; it is
 * the one thing in the consumer that may block, so it is timed and counted.
 */
@FunctionalInterface
public interface NameResolver
{
    /**
     * The JDK's own look-up, which blocks.
     */
    NameResolver SYSTEM = InetAddress::getAllByName;

    /**
     * @param host a name, never a literal address.
     * @return its addresses, tried in this order.
     * @throws UnknownHostException if it has none.
     */
    InetAddress[] resolve(String host) throws UnknownHostException;
}
