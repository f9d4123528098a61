// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.protocol.ApiMessage;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * A client's connection to a {@link ModelBroker}. The broker serves one request at a time per connection and answers in
 * order: requests wait while an earlier one is parked (long poll), delayed, or while the connection is throttled.
 */
public final class ModelConnection
{
    private static final long NS_PER_MS = 1_000_000;

    private final ModelBroker broker;
    private final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
    private final SaslSession authentication;
    private ModelRequest current;
    private ByteBuffer finished;
    private long sendTimeNs;
    private long mutedUntilNs;
    private long seenChanges;
    private boolean isClosed;

    ModelConnection(final ModelBroker broker)
    {
        this.broker = broker;
        this.mutedUntilNs = broker.cluster().nowNs();
        authentication = broker.cluster().sasl() == null ? null : new SaslSession(broker.cluster().sasl());
    }

    /**
     * Receives a request. The frame is copied if it has to wait; otherwise it is decoded before this method returns.
     *
     * @param frame a whole request without its length field, from its position to its limit.
     */
    public void request(final ByteBuffer frame)
    {
        if (isClosed)
        {
            return;
        }
        if (current != null || !waiting.isEmpty() || isMuted())
        {
            waiting.add(ByteBuffer.allocate(frame.remaining()).put(frame.duplicate()).flip());
        }
        else
        {
            serve(frame);
        }
    }

    /**
     * Returns the next finished response frame with its length field, from position 0 to its limit; or null if there is
     * none at the present time. The caller owns the frame, and calls again until there is none: a request that waited
     * is served by such a call.
     */
    public ByteBuffer response()
    {
        while (!isClosed)
        {
            if (current == null)
            {
                if (waiting.isEmpty() || isMuted())
                {
                    return null;
                }
                serve(waiting.poll());
            }
            else if (finished == null && !resume())
            {
                return null;
            }
            else if (!isClosed)
            {
                if (finished != null && sendTimeNs > broker.cluster().nowNs())
                {
                    return null;
                }
                final ByteBuffer frame = finished;
                finished = null;
                if (current.isLast())
                {
                    close();
                }
                current = null;
                if (frame.hasRemaining())
                {
                    return frame;
                }
            }
        }
        return null;
    }

    /** Returns the earliest time at which {@link #response()} may change without a change of the cluster. */
    public long nextDeadline()
    {
        if (isClosed)
        {
            return Long.MAX_VALUE;
        }
        if (current != null)
        {
            return finished == null ? current.deadlineNs : sendTimeNs;
        }
        return waiting.isEmpty() ? Long.MAX_VALUE : mutedUntilNs;
    }

    /** Returns whether the broker has closed the connection, or {@link #close()} was called. */
    public boolean isClosed()
    {
        return isClosed;
    }

    /** Closes the connection; requests that were not answered are forgotten. */
    public void close()
    {
        isClosed = true;
        waiting.clear();
        current = null;
        finished = null;
        broker.onClosed(this);
    }

    SaslSession authentication()
    {
        return authentication;
    }

    public ModelBroker broker()
    {
        return broker;
    }

    private boolean isMuted()
    {
        return mutedUntilNs > broker.cluster().nowNs();
    }

    private void serve(final ByteBuffer frame)
    {
        try
        {
            current = new ModelRequest(this, frame.duplicate(), broker.cluster().nowNs());
        }
        catch (final RuntimeException ex)
        {
            close(); // as brokers do with a request that they cannot read
            return;
        }
        if (!broker.isSupported(current) || authentication != null && !authentication.isAccepted(current))
        {
            close();
            return;
        }
        broker.hooks().onRequest(current);
        if (isClosed)
        {
            return;
        }
        if (current.scripted() != null || current.scriptedBody() != null)
        {
            finish(current.scripted());
            return;
        }
        seenChanges = broker.changeCount();
        finish(broker.respond(current));
    }

    /** Returns whether a parked request has been answered. */
    private boolean resume()
    {
        final long changes = broker.changeCount();
        if (changes == seenChanges && current.deadlineNs > broker.cluster().nowNs())
        {
            return false;
        }
        seenChanges = changes;
        finish(broker.respond(current));
        return finished != null;
    }

    private void finish(final ApiMessage response)
    {
        if (response == null && current.scriptedBody() == null)
        {
            return; // parked
        }
        if (response != null)
        {
            broker.hooks().onAnswer(current, response);
        }
        final long nowNs = broker.cluster().nowNs();
        finished = broker.hooks().onResponse(current, current.encode(response));
        sendTimeNs = nowNs + current.delayNs();
        if (current.throttleMs() > 0)
        {
            if (broker.release().isBefore(2, 0))
            {
                sendTimeNs += current.throttleMs() * NS_PER_MS;
            }
            else
            {
                mutedUntilNs = sendTimeNs + current.throttleMs() * NS_PER_MS;
            }
        }
        if (current.isDropped())
        {
            finished.position(finished.limit());
        }
    }
}
