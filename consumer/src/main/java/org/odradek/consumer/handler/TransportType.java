// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * The system interface that waits for the sockets.
 */
public enum TransportType
{
    /** {@link #EPOLL} if it is available, else {@link #NIO}. */
    AUTO,
    /** The selector of the JDK. */
    NIO,
    /** Linux epoll through the native library of Netty. */
    EPOLL
}
