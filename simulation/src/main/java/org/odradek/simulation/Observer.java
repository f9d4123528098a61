// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.nio.ByteBuffer;

/** Is notified of everything that occurs in a {@link World}, in the order in which it occurs. */
interface Observer
{
    /** The consumer has begun to connect. */
    default void onConnect(final Link link)
    {
    }

    /** The consumer can observe that a connection was made, was refused, was reset or has ended. */
    default void onLinkChanged(final Link link)
    {
    }

    /** The consumer has closed a connection. */
    default void onClose(final Link link)
    {
    }

    /**
     * A whole request has reached a broker.
     *
     * @param frame without its length field; its position must not be moved.
     */
    default void onRequest(final Link link, final ByteBuffer frame)
    {
    }

    /**
     * A broker has sent a response.
     *
     * @param frame with its length field, as it was mutated; its position must not be moved.
     */
    default void onResponse(final Link link, final ByteBuffer frame)
    {
    }

    /**
     * The consumer has waited.
     *
     * @param startNs   when the wait began.
     * @param timeoutNs that was asked for.
     * @param ready     the number of sockets that were ready.
     */
    default void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
    }

    /** A producer has appended a batch. */
    default void onAppend(final int partition, final long baseOffset, final long lastOffset)
    {
    }

    /** A broker sends the batch of a partition that begins at an offset with a changed byte. */
    default void onCorruption(final int partition, final long baseOffset)
    {
    }

    /** A fault has taken effect. */
    default void onFault(final FaultKind kind)
    {
    }

    /** The user's thread has made one call of the consumer, and it has returned. */
    default void onStep()
    {
    }

    /** The phase of the run has changed. */
    default void onPhase(final Phase phase)
    {
    }
}
