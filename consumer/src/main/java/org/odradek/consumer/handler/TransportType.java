// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Which system interface waits for the sockets.
 */
public enum TransportType
{
    /** {@link #EPOLL} where it works, else {@link #NIO}. */
    AUTO,
    /** The selector of the JDK. */
    NIO,
    /** Linux epoll through the native library of netty. */
    EPOLL
}
