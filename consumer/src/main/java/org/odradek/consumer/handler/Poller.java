// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Waits for any number of sockets at once. The first thread that opens a socket or waits owns the poller; several
 * consumers of that thread may share it. Only {@link #wakeup()} and {@link #close()} may be called by other threads.
 */
public interface Poller extends AutoCloseable
{
    /**
     * Opens a socket that can then be connected and sends without delay (TCP_NODELAY).
     *
     * @param receiveBufferLength in bytes; 0 leaves it to the system, which then tunes it.
     * @param sendBufferLength    in bytes; 0 leaves it to the system.
     */
    PolledSocket openSocket(int receiveBufferLength, int sendBufferLength);

    /**
     * Waits until a socket is ready, {@link #wakeup()} is called, the thread is interrupted (its flag stays set) or the
     * time has elapsed, and sets the ready flag of the sockets that are ready. Before JDK 21 an interrupt at the very
     * beginning of the wait may not end it (selectors have the same gap); {@link #wakeup()} always does.
     *
     * @param timeoutNs in nanoseconds; 0 or less does not wait.
     * @return how many sockets this call found ready, including those whose flag was already set.
     */
    int await(long timeoutNs);

    /** Ends the current wait, or else the next one, at once. A wake-up is never lost. */
    void wakeup();

    /** Returns "epoll", "nio", or "nio: " and the reason why epoll is not used. */
    String description();

    /**
     * Closes the poller and its sockets. Any thread may call this while no thread is in another method of the poller,
     * also after the owner has ended. A second call does nothing.
     */
    @Override
    void close();
}
