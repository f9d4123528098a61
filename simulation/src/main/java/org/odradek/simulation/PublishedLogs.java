// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelRecord;
import org.odradek.harness.model.ModelTopic;
import org.odradek.simulation.PublishedTrack.Fate;
import org.odradek.simulation.PublishedTrack.Outcome;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the logs of the topics, and of those that had their names before, with what publishers have reported. With
 * acks=all a record that was acknowledged is in a log, no log has it twice, and the records of each publisher are in
 * order. With any acks, what was reported as not written is in none.
 */
final class PublishedLogs
{
    private static final String LOG = "log";
    private static final String ORDER = "order";

    /** What the logs hold of one publisher and partition. */
    private static final class Found
    {
        private final PublishedTrack track;
        private final BitSet positions = new BitSet();
        private long last;

        Found(final PublishedTrack track)
        {
            this.track = track;
        }
    }

    private final PublishWorld world;
    private final List<PublishedTrack> tracks = new ArrayList<>();
    private final ModelRecord record = new ModelRecord();

    PublishedLogs(final PublishWorld world)
    {
        this.world = world;
    }

    void add(final PublishedTrack track)
    {
        tracks.add(track);
    }

    private PublishedRecord published()
    {
        return PublishedRecord.of(ByteBuffer.wrap(record.bytes(), record.valueIndex(), record.valueLength()));
    }

    /** A batch was acknowledged with an offset: it must be there, in the present log or that of an earlier topic. */
    void checkAt(final int partition, final long offset, final PublishedRecord first, final int count)
    {
        boolean isThere = false;
        for (int t = world.topics.size() - 1; t >= 0 && !isThere; t--)
        {
            isThere = isAt(world.topics.get(t), partition, offset, first, count);
        }
        world.check(isThere, LOG, first + " and " + (count - 1) + " more to be at offset " + offset);
    }

    private boolean isAt(
        final ModelTopic topic, final int partition, final long offset, final PublishedRecord first, final int count)
    {
        final int index = PublishWorld.partitionOf(partition);
        boolean isAt = world.key(topic.name(), index) == partition && index < topic.partitions().size();
        for (int i = 0; i < count && isAt; i++)
        {
            isAt = topic.partition(index).log().record(offset + i, -1, record) && published().equals(
                new PublishedRecord(first.life(), first.partition(), first.position() + i));
        }
        return isAt;
    }

    void check()
    {
        final Map<PublishedRecord, Found> found = new HashMap<>();
        for (final PublishedTrack track : tracks)
        {
            found.put(new PublishedRecord(track.life, track.partition, 0), new Found(track));
        }
        for (final ModelTopic topic : world.topics)
        {
            found.values().forEach((ofTrack) -> ofTrack.last = 0);
            topic.partitions().forEach((partition) ->
                read(partition.log(), world.key(topic.name(), partition.index()), found));
        }
        found.values().forEach(this::compare);
    }

    private void read(final ModelLog log, final int partition, final Map<PublishedRecord, Found> found)
    {
        for (long offset = log.startOffset(); offset < log.endOffset(); offset++)
        {
            world.check(log.record(offset, -1, record), LOG, "a record at offset " + offset);
            final PublishedRecord published = published();
            final Found ofTrack = found.get(new PublishedRecord(published.life(), partition, 0));
            world.check(ofTrack != null && published.partition() == partition && published.position() > 0 &&
                published.position() <= ofTrack.track.accepted && isWhole(published), LOG,
                "a record that was accepted for partition " + partition + " at offset " + offset + ", but found " +
                published);
            if (world.publishing.isIdempotent())
            {
                world.check(published.position() > ofTrack.last, ORDER, "a later record of partition " + partition +
                    " than position " + ofTrack.last + " at offset " + offset + ", but found " + published);
            }
            ofTrack.last = published.position();
            ofTrack.positions.set((int)published.position());
        }
    }

    /** The bytes after the first ones are those that the user has written. */
    private boolean isWhole(final PublishedRecord published)
    {
        boolean isWhole = true;
        for (int i = PublishedRecord.LENGTH; i < record.valueLength() && isWhole; i++)
        {
            isWhole = record.bytes()[record.valueIndex() + i] == PublishedRecord.byteAt(published.position(), i);
        }
        return isWhole;
    }

    private void compare(final Found ofTrack)
    {
        for (final Outcome outcome : ofTrack.track.outcomes)
        {
            final int end = (int)outcome.last() + 1;
            if (outcome.fate() == Fate.ACKNOWLEDGED && world.publishing.isIdempotent())
            {
                world.check(ofTrack.positions.nextClearBit((int)outcome.first()) >= end, LOG, "what was acknowledged " +
                    "of publisher " + ofTrack.track.life + ", " + outcome + " of partition " +
                    ofTrack.track.partition + ", to be in the log");
            }
            else if (outcome.fate() == Fate.NOT_WRITTEN)
            {
                final int next = ofTrack.positions.nextSetBit((int)outcome.first());
                world.check(next < 0 || next >= end, LOG, "what was not written of publisher " + ofTrack.track.life +
                    ", " + outcome + " of partition " + ofTrack.track.partition + ", not to be in the log");
            }
        }
    }
}
