// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/** Names the interface of the operating system or the JDK with which a poller waits for its sockets. */
public enum TransportType
{
    /**
     * Uses {@link #EPOLL} if it is available and the first thread that uses the poller is not a virtual thread, else
     * {@link #NIO}.
     */
    AUTO,
    /** Uses the selector of the JDK. */
    NIO,
    /**
     * Uses Linux epoll through Netty's native library. The poller throws an exception on a virtual thread, because a
     * wait would block the carrier thread.
     */
    EPOLL
}
