// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * The system interface that waits for the sockets.
 */
public enum TransportType
{
    /** {@link #EPOLL} if it is available and the first thread that polls is not a virtual one, else {@link #NIO}. */
    AUTO,
    /** The selector of the JDK. */
    NIO,
    /**
     * Linux epoll through the native library of Netty. It is refused on a virtual thread: a wait would hold the thread
     * that carries it.
     */
    EPOLL
}
