// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Waits for any number of sockets at once. The first thread that opens a socket or waits owns the poller, and after its
 * end the next one that does; several consumers of that thread may share it. Other threads may only call
 * {@link #wakeup()} and {@link #close()}.
 * <p>
 * A consumer or publisher opens its sockets and waits with the methods that name a user, so that the poller can tell
 * those apart that share it. By default these methods ignore the user. That is enough for a poller with one user.
 */
public interface Poller extends AutoCloseable
{
    /** Returned by {@link #await(long, PollerUser, boolean)} if only another user has something to do. */
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
     * @param user of the socket, compared by identity; null for none.
     */
    default PolledSocket openSocket(
        final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
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
     * As {@link #await(long)}, for one of several users of the poller. The wait also ends when another user has
     * something to do: when a socket of it is ready, and when its time has come. Each of them ends one wait, until that
     * user has begun to work. A user that waits alone is not disturbed by the others. A socket of theirs that does not
     * end the wait is masked, so that it costs no CPU time, until the next wait. Its ready flag is set anyway.
     *
     * @param timeoutNs in nanoseconds; 0 or less does not wait.
     * @param user      that waits, as its sockets were opened with; null for all users of the thread.
     * @param isAlone   true: only sockets of this user end the wait; false: those of all users do.
     * @return how many sockets of the user were found ready, or {@link #OTHERS}, but never that if it waits alone.
     */
    default int await(final long timeoutNs, final PollerUser user, final boolean isAlone)
    {
        return await(timeoutNs);
    }

    /**
     * Calls {@link PollerUser#keepAlive()} of all users of the poller but one. By default it does nothing.
     *
     * @param user that is not called.
     */
    default void keepOthersAlive(final PollerUser user)
    {
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
