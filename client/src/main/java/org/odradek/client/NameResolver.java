// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Resolves a host name to addresses. It is called only before a connection is made to a host that is given by name.
 * Nothing else in the consumer may block, so the consumer measures and counts these calls.
 */
@FunctionalInterface
public interface NameResolver
{
    /** The lookup of the JDK, which blocks. */
    NameResolver SYSTEM = InetAddress::getAllByName;

    /**
     * @param host a name, never a literal address.
     * @return its addresses, which are tried in this order.
     * @throws UnknownHostException if the name has no address.
     */
    InetAddress[] resolve(String host) throws UnknownHostException;
}
