// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/** Opens sockets of a {@link Poller} and waits in it; several users may share one. */
public interface PollerUser
{
    /**
     * How long a wait may last until this user has something to do, even if no socket is ready.
     *
     * @return nanoseconds, 0 or less if it has now; {@link Long#MAX_VALUE} if it is closed.
     */
    long untilNextNs();

    /**
     * How often it has begun to work. Waits of other users end only once for its sockets, and once for its time, until
     * it does so again.
     */
    long cycles();

    /**
     * Called within a call of another user of the same poller, in which the thread works for long: a member of a
     * consumer group sends the heartbeats and commits that are due. By default it does nothing.
     */
    default void keepAlive()
    {
    }
}
