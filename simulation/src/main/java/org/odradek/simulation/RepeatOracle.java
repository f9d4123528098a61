// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that each batch is fetched once, while nothing fails. Only a partition that moves to another connection loses
 * what is in flight, and few do.
 */
final class RepeatOracle
{
    private static final String REPEATS = "repeats";
    private static final int LENGTH_INDEX = 8;
    private static final int LENGTH_END = 12;
    /** Of a partition, and one more after so many of its responses. */
    private static final int MOST_MOVES = 4;
    private static final int RESPONSES_TO_LAG = 2;

    /** What was sent of one partition. */
    private static final class Sent
    {
        /** The base offset of the last batch that was sent whole, or -1. */
        private long baseOffset = -1;
        private int responses;
        private int moves;
    }

    private final World world;
    private final List<Sent> partitions = new ArrayList<>();
    private final boolean isMovable;
    private boolean isOn;
    private int moves;

    RepeatOracle(final World world)
    {
        this.world = world;
        isMovable = world.scenario.mostFetchConnections() > 1;
    }

    void begin()
    {
        // A partition that returns from a replica to its leader loses what is in flight.
        isOn = !world.scenario.isOn(Feature.RACKS);
        partitions.clear();
        moves = 0;
    }

    void end()
    {
        isOn = false;
    }

    /** Returns how many responses were lost because a partition has moved. */
    int moves()
    {
        return moves;
    }

    /** A fetch is sent. What an earlier one brings, which knew no id of the topic, may be of another topic. */
    void onFetch(final Exchange exchange)
    {
        final boolean isByName = exchange.version < FetchScan.FIRST_WITH_TOPIC_ID;
        isOn &= isByName || !exchange.isByName;
        exchange.isByName = isByName;
    }

    /** Records of a partition are sent. */
    void onRecords(final Link link, final int partition, final ByteBuffer frame, final int index, final int length)
    {
        if (!isOn || length < LENGTH_END)
        {
            return;
        }
        while (partitions.size() <= partition)
        {
            partitions.add(new Sent());
        }
        final Sent sent = partitions.get(partition);
        sent.responses++;
        if (frame.getLong(index) <= sent.baseOffset)
        {
            onRepeat(link, partition, sent);
        }
        int next = index;
        while (next + LENGTH_END <= index + length)
        {
            final long baseOffset = frame.getLong(next);
            next += LENGTH_END + frame.getInt(next + LENGTH_INDEX);
            sent.baseOffset = next <= index + length ? Math.max(sent.baseOffset, baseOffset) : sent.baseOffset;
        }
    }

    private void onRepeat(final Link link, final int partition, final Sent sent)
    {
        moves++;
        sent.moves++;
        final int most = isMovable ? MOST_MOVES + sent.responses / RESPONSES_TO_LAG : 0;
        if (sent.moves > most)
        {
            throw world.oracles.failure(REPEATS, "what is in flight of partition " + partition + " to be lost " + most +
                " times, but after " + sent.responses + " responses batches until offset " + sent.baseOffset +
                " were sent again for the " + sent.moves + ". time, over " + link);
        }
        sent.baseOffset = -1;
    }
}
