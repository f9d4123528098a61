// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Represents a client that opens sockets of a {@link Poller} and waits in it. Several users of one thread may share a
 * poller.
 */
public interface PollerUser
{
    /**
     * Returns how long the poller may wait before this user has something to do, if no socket becomes ready.
     *
     * @return the time in nanoseconds; 0 or less if the user has something to do now; {@link Long#MAX_VALUE} if the
     *         user is closed.
     */
    long untilNextNs();

    /**
     * Returns how many duty cycles this user has begun. Until the number changes, the sockets of this user end at most
     * one wait of other users, and {@link #untilNextNs()} ends at most one.
     */
    long cycles();

    /**
     * Does what cannot be postponed: a member of a consumer group sends the heartbeats and commits that are due. {@link
     * Poller#keepOthersAlive} calls this method. By default this method does nothing.
     */
    default void keepAlive()
    {
    }
}
