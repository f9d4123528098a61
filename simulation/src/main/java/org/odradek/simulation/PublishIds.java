// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks how a publisher asks for producer ids: after a failure not before its backoff. If an id is refused for good,
 * the partitions without one give up what they have, as not written, and those that have one go on.
 */
final class PublishIds implements Observer
{
    private static final String BACKOFF = "retry backoff";
    private static final String IDS = "producer id";
    private static final int CORRELATION_END = 8;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final PublishWorld world;
    /** The versions of the requests for an id that were not answered. */
    private final Map<Link, Short> requested = new HashMap<>();
    /** What was accepted before a refusal was sent, by partition, while no partition had an id. */
    private final Map<Link, Map<Integer, Long>> refused = new HashMap<>();
    /** Of the last batch of each partition. */
    private final Map<Integer, Short> epochs = new HashMap<>();
    private boolean isGiven;
    private boolean isRefused;
    private int failures;
    private long failedNs;

    PublishIds(final PublishWorld world)
    {
        this.world = world;
    }

    /** A publisher was opened: it knows nothing of the one before. */
    void onOpen()
    {
        requested.clear();
        refused.clear();
        epochs.clear();
        isGiven = false;
        isRefused = false;
        failures = 0;
    }

    /** A broker has received a batch of a partition. */
    void onBatch(final int partition, final short epoch)
    {
        epochs.put(partition, epoch);
    }

    /** A batch was given up for want of an id. */
    void onFailed(final int partition, final short errorCode, final boolean isMaybeWritten)
    {
        final short epoch = epochs.getOrDefault(partition, Short.MAX_VALUE);
        // A topic that is created again uses up an epoch that no broker may see.
        world.check(isRefused && errorCode == Errors.CLUSTER_AUTHORIZATION_FAILED.code() && !isMaybeWritten &&
            (epoch == Short.MAX_VALUE || world.isRecreated()), IDS, "partition " + partition +
            " not to fail for want of an id, with error " + errorCode + (isMaybeWritten ? ", maybe written" : "") +
            (isRefused ? "" : ", and without a refusal") + ", after epoch " + epoch);
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        if (!world.network.links().contains(link))
        {
            return;     // the publisher has closed the connection since
        }
        checkGivenUp(link);
        if (frame.getShort(frame.position()) == ApiKeys.INIT_PRODUCER_ID.id)
        {
            final long leastNs = failures == 0 ? 0 : (long)(RetryOracle.LEAST * NS_PER_MS * RetryOracle.backoffMs(
                world.scenario, failures, world.scenario.retryBackoffMaxMs));
            final long waitedNs = link.requestNs() - failedNs;
            world.check(failures == 0 || waitedNs >= leastNs, BACKOFF, "no id to be asked for sooner than " +
                leastNs / 1e6 + " ms after failure " + failures + ", but it was after " + waitedNs / 1e6);
            requested.put(link, frame.getShort(frame.position() + Short.BYTES));
        }
    }

    /** A publisher that uses a connection again has read what was answered over it. */
    private void checkGivenUp(final Link link)
    {
        final Map<Integer, Long> waiting = refused.remove(link);
        if (waiting != null)
        {
            waiting.forEach((partition, position) ->
                world.check(world.ledger.track(partition).reported >= position, IDS, "all of partition " + partition +
                    " to be given up to position " + position + " because the id was refused"));
        }
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
    {
        final Short version = requested.get(link);
        final boolean isWhole =
            frame.remaining() > CORRELATION_END && frame.getInt(0) == frame.remaining() - Integer.BYTES;
        if (version == null || !isWhole)
        {
            return;     // of another request, or the connection will be closed
        }
        final InitProducerIdResponseData response = new InitProducerIdResponseData();
        try
        {
            response.read(new ByteBufferAccessor(frame.duplicate().position(
                CORRELATION_END + ApiKeys.INIT_PRODUCER_ID.responseHeaderVersion(version))), version);
        }
        catch (final RuntimeException ignore)
        {
            return;     // a frame that lies
        }
        requested.remove(link);
        onAnswer(link, Errors.forCode(response.errorCode()));
    }

    private void onAnswer(final Link link, final Errors error)
    {
        isGiven |= error == Errors.NONE;
        failures = error == Errors.NONE ? 0 : failures + 1;
        failedNs = world.clock.nowNs();
        if (error == Errors.CLUSTER_AUTHORIZATION_FAILED)
        {
            isRefused = true;
            if (!isGiven)
            {
                final Map<Integer, Long> waiting = new HashMap<>();
                world.ledger.tracks().forEach((track) -> waiting.put(track.partition, track.accepted));
                refused.put(link, waiting);
            }
        }
    }

    /** The publisher has closed the connection: there is no answer. */
    @Override
    public void onClose(final Link link)
    {
        refused.remove(link);
        if (requested.remove(link) != null)
        {
            failures++;
            failedNs = world.clock.nowNs();
        }
    }
}
