// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * One wait for any number of sockets. Owned by the thread that first opens a socket or awaits; several consumers of
 * that thread may share it. Only {@link #wakeup()} may be called from other threads.
 */
public interface Poller extends AutoCloseable
{
    /**
     * A socket yet to be connected, which sends without delay (TCP_NODELAY).
     *
     * @param receiveBufferLength in bytes; 0 leaves it to the system, which then tunes it by itself.
     * @param sendBufferLength    in bytes; 0 leaves it to the system.
     */
    PolledSocket openSocket(int receiveBufferLength, int sendBufferLength);

    /**
     * Waits until a socket is ready, {@link #wakeup()} is called, the thread is interrupted (its flag stays) or the
     * time is over, and marks the sockets that are ready. Before JDK 21 an interrupt that meets the entry into the wait
     * exactly may not end it (a selector has the same gap); {@link #wakeup()} always does.
     *
     * @param timeoutNs 0 or less looks without waiting.
     * @return how many sockets were found ready by this call, those already marked included.
     */
    int await(long timeoutNs);

    /**
     * A wait of this many nanoseconds, or a multiple, is one sleep; what goes beyond is spent in several short ones.
     */
    default long stepNs()
    {
        return 1;
    }

    /** Makes the wait that goes on, or else the next one, return at once; never lost. */
    void wakeup();

    /** "epoll", "nio", or "nio: " and the reason why epoll is not used. */
    String description();

    /** Closes all sockets, too; a second call does nothing. */
    @Override
    void close();
}
