// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.publisher.OfferResult;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherCounters;
import org.odradek.publisher.TopicPublisher;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The records that the user of a publisher offers or claims, some of which it aborts. Now and then it leaves a claim
 * open, as a handler does that throws; the next work of the publisher must abort that.
 */
final class PublishOffers
{
    private static final int MAX_USUAL_LENGTH = 200;
    private static final int LEFT_SELDOM = 20;
    /** Of a record beside its value. */
    private static final int MAX_OVERHEAD = 32;

    /** The partition of a topic that was chosen last for a record without a key. */
    private static final class Turn
    {
        private int key = -1;
        private Phase phase;
        /** What it has accepted since, at most. */
        private long length;
    }

    private final PublishWorld world;
    private final PublishLedger ledger;
    private final Publisher publisher;
    private final List<TopicPublisher> topics;
    private final PublishInputs inputs;
    private final Draw draw;
    private final Draw leftDraw;
    private boolean isClaimOpen;
    /** Claims that were left open. */
    private int leftCount;
    private final Turn[] turns;
    private final UnsafeBuffer value = new UnsafeBuffer(new byte[1 << 16]);

    PublishOffers(
        final PublishWorld world,
        final Publisher publisher,
        final List<TopicPublisher> topics,
        final PublishInputs inputs,
        final Draw draw)
    {
        this.world = world;
        this.publisher = publisher;
        this.topics = topics;
        this.inputs = inputs;
        this.draw = draw;
        leftDraw = new Draw(world.scenario.seed, "claims that are left open");
        ledger = world.ledger;
        turns = new Turn[topics.size()];
        Arrays.setAll(turns, (topic) -> new Turn());
    }

    /** Offers or claims a record. Returns false if no further one should be offered now. */
    boolean offer(final int partition)
    {
        final TopicPublisher topic = topics.get(PublishWorld.topicOf(partition));
        final int index = PublishWorld.partitionOf(partition);
        final int maxLength =
            draw.oneIn(12) && world.phase() != Phase.SETTLING ? world.publishing.batchLength : MAX_USUAL_LENGTH;
        final int length = (int)draw.logBetween(PublishedRecord.LENGTH, maxLength);
        final boolean isClaim = draw.oneIn(3);
        final boolean isAborted = isClaim && draw.oneIn(4) && world.phase() != Phase.SETTLING;
        final long expected = ledger.track(partition).accepted + 1;
        final boolean hasRoom = publisher.hasRoom(1);
        final long result;
        if (isClaim)
        {
            final long claimed = topic.tryClaim(index, TopicPublisher.NULL_LENGTH, length);
            if (claimed > 0)
            {
                write(isAborted ? PublishedRecord.ABORTED : claimed, partition, length);
                topic.claim().value().putBytes(0, value, 0, length);
            }
            if (claimed > 0 && isAborted && leftDraw.oneIn(LEFT_SELDOM))
            {
                isClaimOpen = true;
                leftCount++;
                return false;
            }
            if (claimed > 0 && isAborted)
            {
                world.check(claimed == expected, "position", "a claim at " + expected + ", not at " + claimed);
                topic.claim().abort();
                return true;
            }
            result = claimed > 0 ? topic.claim().commit() : claimed;
        }
        else
        {
            write(expected, partition, length);
            result = topic.offer(index, value, 0, draw.oneIn(2) ? TopicPublisher.NULL_LENGTH : 8, value, 0, length);
        }
        world.check(result != OfferResult.BACK_PRESSURED || !hasRoom, "memory", "a record to be accepted, because " +
            "there was room for one");
        if (result > 0)
        {
            ledger.onAccepted(partition, result, length);
            final Turn turn = turns[PublishWorld.topicOf(partition)];
            turn.length += partition == turn.key ? length + MAX_OVERHEAD : 0;
            inputs.onAccepted(partition, result);
        }
        return result > 0 || result == OfferResult.TOO_LARGE;
    }

    /** Whether the user has left a claim open since the publisher has worked. */
    boolean isClaimOpen()
    {
        return isClaimOpen;
    }

    /** The publisher has worked or was closed. */
    void checkClaims(final PublisherCounters counters)
    {
        isClaimOpen = false;
        final long abortedCount = counters.get(PublisherCounters.CLAIMS_ABORTED);
        world.check(abortedCount == leftCount, "claim",
            leftCount + " claims that were left open to be aborted, but " + abortedCount + " were");
    }

    /** Returns a partition for a record without a key: the one of before, unless it has accepted about a batch. */
    int next(final int topic)
    {
        final Turn turn = turns[topic];
        final int key = world.key(world.names().get(topic), topics.get(topic).nextPartition());
        // As much as was accepted last must not fit into a batch again, which may be all of it.
        final int room = world.publishing.batchLength - RecordBatchFlyweight.HEADER_LENGTH;
        world.check(key == turn.key || 2 * turn.length > room || turn.phase != Phase.FLOWING ||
            world.phase() != Phase.FLOWING, "partition", "partition " + turn.key + " to be chosen again after " +
            turn.length + " bytes, not " + key);
        turn.length = key == turn.key ? turn.length : 0;
        turn.key = key;
        turn.phase = world.phase();
        return key;
    }

    private void write(final long position, final int partition, final int length)
    {
        for (int i = PublishedRecord.LENGTH; i < length; i++)
        {
            value.putByte(i, PublishedRecord.byteAt(position, i));
        }
        value.putInt(0, ledger.life(), ByteOrder.BIG_ENDIAN);
        value.putInt(Integer.BYTES, partition, ByteOrder.BIG_ENDIAN);
        value.putLong(2 * Integer.BYTES, position, ByteOrder.BIG_ENDIAN);
    }
}
