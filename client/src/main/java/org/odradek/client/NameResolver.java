// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Resolves a host name to IP addresses. The client calls the resolver on the client's thread, when the client is
 * created and before it connects to a host that is given by name. A call may block the client's thread, so the client
 * counts these calls and measures their time.
 */
@FunctionalInterface
public interface NameResolver
{
    /** Uses the JDK's {@link InetAddress#getAllByName}, which blocks. */
    NameResolver SYSTEM = InetAddress::getAllByName;

    /**
     * @param host a host name, never a literal IP address.
     * @return the addresses of the host, at least one; the client tries them in this order.
     * @throws UnknownHostException if the name has no address.
     */
    InetAddress[] resolve(String host) throws UnknownHostException;
}
