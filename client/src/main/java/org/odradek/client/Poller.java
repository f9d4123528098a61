// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Waits for any number of sockets at once. The first thread that opens a socket or waits owns the poller. Once that
 * thread has ended, the next thread that opens a socket or waits becomes the owner. Several clients of the owning
 * thread may share the poller. Other threads may only call {@link #wakeup()} and {@link #close()}.
 * <p>
 * A consumer or publisher opens its sockets and waits with the methods that have a parameter {@code user}, so that the
 * poller can distinguish the clients that share it. The default implementations of these methods ignore the user.
 * <p>
 * Do not implement this interface, because a later release may add methods: {@code openPoller} of the context of a
 * consumer or publisher opens a poller.
 */
public interface Poller extends AutoCloseable
{
    /**
     * The method {@link #await(long, PollerUser, boolean)} returns this value if only another user has something to do.
     */
    int OTHERS = -1;

    /**
     * Opens a socket, which the caller connects. The socket sends without delay (TCP_NODELAY).
     *
     * @param receiveBufferLength length in bytes; with 0 the system chooses the length and adjusts it while the socket
     *                            is used.
     * @param sendBufferLength    length in bytes; with 0 the system chooses the length.
     * @throws IllegalStateException if the poller is closed, another live thread owns it, or the transport cannot be
     *                               used on this thread.
     */
    PolledSocket openSocket(int receiveBufferLength, int sendBufferLength);

    /**
     * Opens a socket like {@link #openSocket(int, int)}, for one of several users of the poller.
     *
     * @param receiveBufferLength length in bytes; with 0 the system chooses the length and adjusts it while the socket
     *                            is used.
     * @param sendBufferLength    length in bytes; with 0 the system chooses the length.
     * @param user                user of the socket, compared by identity; null if the socket has no user.
     */
    default PolledSocket openSocket(
        final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        return openSocket(receiveBufferLength, sendBufferLength);
    }

    /**
     * Waits until a socket is ready, {@link #wakeup()} is called, the thread is interrupted (the interrupt flag stays
     * set) or the time has elapsed. Sets the ready flag of the sockets that are ready. On a JDK before 21, the wait may
     * continue if the thread was interrupted just as the wait began.
     *
     * @param timeoutNs longest wait in nanoseconds; with 0 or less the call does not wait.
     * @return the number of sockets that this call found ready, including those whose ready flag was set before.
     * @throws IllegalStateException if the poller is closed, another live thread owns it, or the transport cannot be
     *                               used on this thread.
     */
    int await(long timeoutNs);

    /**
     * Waits like {@link #await(long)}, for one of several users of the poller. Unless {@code isAlone} is true, the wait
     * also ends when a socket of another user is ready, or when {@link PollerUser#untilNextNs()} of another user has
     * elapsed. In each cycle of a user ({@link PollerUser#cycles()}), the user's sockets end at most one wait of other
     * users, and the user's time ends at most one. If a ready socket of another user does not end the wait, the poller
     * sets the ready flag of the socket, and then ignores the socket for the rest of the wait.
     *
     * @param timeoutNs longest wait in nanoseconds; with 0 or less the call does not wait.
     * @param user      user that waits: the object with which its sockets were opened; null to wait for the sockets of
     *                  all users.
     * @param isAlone   true if only sockets of this user end the wait, false if those of all users do.
     * @return the number of sockets of the user that were found ready, or {@link #OTHERS} if there is none and another
     *         user has something to do; never {@link #OTHERS} if {@code user} is null or {@code isAlone} is true.
     */
    default int await(final long timeoutNs, final PollerUser user, final boolean isAlone)
    {
        return await(timeoutNs);
    }

    /**
     * Calls {@link PollerUser#keepAlive()} of all users of the poller except one. By default this method does nothing.
     *
     * @param user the user whose method is not called.
     */
    default void keepOthersAlive(final PollerUser user)
    {
    }

    /**
     * Ends the current wait at once or, if no thread waits, the next wait. A wake-up is kept until it has ended a wait.
     */
    void wakeup();

    /**
     * Returns the transport in words for people: "epoll", "nio", or "nio: " followed by the reason why epoll is not
     * used. With TLS, the text also names the implementation of TLS.
     */
    String description();

    /**
     * Closes the poller and its sockets. Any thread may call this method, also after the owner has ended, but only
     * while no other thread is in a method of the poller. A second call does nothing.
     */
    @Override
    void close();
}
