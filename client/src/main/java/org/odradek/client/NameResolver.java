// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Resolves a host name to IP addresses. The thread that creates a client calls the resolver for the bootstrap servers.
 * Later the client's thread calls the resolver, before it connects to a host whose addresses are unknown or must be
 * looked up again. A call may block the thread.
 */
@FunctionalInterface
public interface NameResolver
{
    /** Uses the JDK's {@link InetAddress#getAllByName}, which blocks. */
    NameResolver SYSTEM = InetAddress::getAllByName;

    /**
     * @param host a host name, never a literal IP address.
     * @return the addresses of the host, at least one; the client tries them in turn.
     * @throws UnknownHostException if the name has no address.
     */
    InetAddress[] resolve(String host) throws UnknownHostException;
}
