// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Waits for any number of sockets at once. The first thread that opens a socket or waits owns the poller; several
 * consumers of that thread may share it. Only {@link #wakeup()} and {@link #close()} may be called by other threads.
 * <p>
 * A consumer opens its sockets and waits with the methods that name a user, so that the poller can tell the consumers
 * apart that share it. By default these methods ignore the user. That is enough for a poller with one consumer.
 */
public interface Poller extends AutoCloseable
{
    /** Returned by {@link #await(long, Object, boolean)} if sockets are ready, and none of them is the user's. */
    int OTHERS = -1;

    /**
     * Opens a socket that can then be connected and sends without delay (TCP_NODELAY).
     *
     * @param receiveBufferLength in bytes; 0 leaves it to the system, which then tunes it.
     * @param sendBufferLength    in bytes; 0 leaves it to the system.
     */
    PolledSocket openSocket(int receiveBufferLength, int sendBufferLength);

    /**
     * As {@link #openSocket(int, int)}, for one of several users of the poller.
     *
     * @param user of the socket, such as a consumer; any object, compared by identity.
     */
    default PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final Object user)
    {
        return openSocket(receiveBufferLength, sendBufferLength);
    }

    /**
     * Waits until a socket is ready, {@link #wakeup()} is called, the thread is interrupted (its flag stays set) or the
     * time has elapsed, and sets the ready flag of the sockets that are ready. Before JDK 21 an interrupt at the very
     * beginning of the wait may not end it (selectors have the same gap); {@link #wakeup()} always does.
     *
     * @param timeoutNs in nanoseconds; 0 or less does not wait.
     * @return how many sockets this call found ready, including those whose flag was already set.
     */
    int await(long timeoutNs);

    /**
     * As {@link #await(long)}, for one of several users of the poller. A user that waits alone is not disturbed by the
     * others: a socket of theirs that becomes ready is masked, so that it neither ends this wait nor costs CPU time,
     * until another user waits. Its ready flag is set anyway.
     *
     * @param timeoutNs in nanoseconds; 0 or less does not wait.
     * @param user      that waits, as its sockets were opened with.
     * @param isAlone   true: only sockets of this user end the wait; false: those of all users do.
     * @return how many sockets of the user were found ready, or {@link #OTHERS}, but never that if it waits alone.
     */
    default int await(final long timeoutNs, final Object user, final boolean isAlone)
    {
        return await(timeoutNs);
    }

    /** Ends the current wait, or else the next one, at once. A wake-up is never lost: only a wait uses it up. */
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
