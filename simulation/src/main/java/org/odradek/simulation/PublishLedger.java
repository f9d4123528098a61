// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.odradek.publisher.FailedBatch;
import org.odradek.publisher.FailureReason;
import org.odradek.publisher.PublisherListener;
import org.odradek.publisher.TopicPublisher;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What the user has published and what the publisher has reported about it: each record once, in the order of its
 * partition, and as brokers have answered. {@link PublishedLogs} compares it with the logs.
 */
final class PublishLedger implements PublisherListener
{
    private static final String REPORTS = "reports";
    private static final String ANSWERS = "false acknowledgement";
    private static final String POSITIONS = "position";
    private static final String EXPIRY = "delivery timeout";
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int NONE = -1;
    private static final long CHECK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What brokers have answered: the first record of a batch has an offset. */
    private record Answer(PublishedRecord first, long offset)
    {
    }

    private final PublishWorld world;
    private final SimulatedClock clock;
    private final PublishedLogs logs;
    private final Set<Answer> answers = new HashSet<>();
    private final Set<PublishedRecord> answered = new HashSet<>();
    /** Of the publisher that is open, by partition. */
    private final Map<Integer, PublishedTrack> tracks = new HashMap<>();
    private int life;
    private long records;
    /** The partition of which the user is giving everything up, or {@link #NONE}. */
    private int skipped = NONE;

    PublishLedger(final PublishWorld world)
    {
        this.world = world;
        clock = world.clock;
        logs = new PublishedLogs(world);
    }

    /** A publisher was opened. */
    void onOpen()
    {
        life++;
        tracks.clear();
        answers.clear();
        answered.clear();
    }

    /** The number of the publisher that is open, from 1 on. */
    int life()
    {
        return life;
    }

    PublishedTrack track(final int partition)
    {
        return tracks.computeIfAbsent(partition, (index) ->
        {
            final PublishedTrack added = new PublishedTrack(life, index);
            logs.add(added);
            return added;
        });
    }

    /** A record with a value of some length was accepted. */
    void onAccepted(final int partition, final long position, final int length)
    {
        final PublishedTrack track = track(partition);
        world.check(position == track.accepted + 1 && !track.isStopped, POSITIONS, "the next position of partition " +
            partition + " to be " + (track.accepted + 1) + ", but it was " + position);
        track.accept(length, clock.nowNs(), world.user.workedNs());
    }

    /** A broker has served a request; whether the publisher receives the answer is another question. */
    void onAnswer(final ProduceRequestData request, final ProduceResponseData response)
    {
        int topic = 0;
        for (final ProduceResponseData.TopicProduceResponse answeredTopic : response.responses())
        {
            final ProduceRequestData.TopicProduceData asked =
                new ArrayList<>(request.topicData()).get(topic++);
            for (int i = 0; i < asked.partitionData().size(); i++)
            {
                final PartitionProduceResponse partition = answeredTopic.partitionResponses().get(i);
                final Errors error = Errors.forCode(partition.errorCode());
                if (error == Errors.NONE || error == Errors.DUPLICATE_SEQUENCE_NUMBER)
                {
                    final MemoryRecords batch = (MemoryRecords)asked.partitionData().get(i).records();
                    final Record first = batch.records().iterator().next();
                    final PublishedRecord published = PublishedRecord.of(first.value());
                    answers.add(new Answer(published, partition.baseOffset()));
                    answered.add(published);
                }
            }
        }
    }

    @Override
    public void onAcknowledged(
        final String topic, final int index, final long firstPosition, final int count, final long baseOffset)
    {
        final int partition = world.key(topic, index);
        world.trace.event("acknowledged", partition, firstPosition + count - 1);
        final PublishedTrack track = reported(partition, firstPosition, count);
        world.check(!track.isStopped, REPORTS, "no acknowledgement of partition " + partition + ", which has stopped");
        final PublishedRecord first = new PublishedRecord(life, partition, firstPosition);
        world.check(baseOffset == NULL_OFFSET ? answered.contains(first) : answers.contains(
            new Answer(first, baseOffset)), ANSWERS, "an answer for " + first + " with offset " + baseOffset);
        if (baseOffset != NULL_OFFSET && world.publishing.isIdempotent())
        {
            logs.checkAt(partition, baseOffset, first, count);
        }
        track.acknowledge(firstPosition, count);
        records += count;
    }

    @Override
    public void onFailed(final FailedBatch batch)
    {
        final int index = batch.partition();
        final int partition = world.key(batch.topic(), index);
        final long firstPosition = batch.firstPosition();
        final int count = batch.count();
        final FailureReason reason = batch.reason();
        final boolean isMaybeWritten = batch.isMaybeWritten();
        world.trace.event("failed " + reason, partition, firstPosition + count - 1);
        final PublishedTrack track = track(partition);
        final long ageNs = clock.nowNs() - track.oldestNs();
        reported(partition, firstPosition, count);
        if (reason == FailureReason.EXPIRED)
        {
            final long timeoutNs = TimeUnit.MILLISECONDS.toNanos(world.publishing.deliveryTimeoutMs);
            world.check(ageNs >= timeoutNs, EXPIRY, "no batch to expire before " + timeoutNs / 1e9 +
                " s, but one of partition " + partition + " did after " + ageNs / 1e9 + " s");
        }
        if (reason == FailureReason.NO_PRODUCER_ID)
        {
            world.ids.onFailed(partition, batch.errorCode(), isMaybeWritten);
        }
        world.check((reason == FailureReason.SKIPPED) == (partition == skipped) && (skipped == NONE || !isMaybeWritten),
            REPORTS, "a batch of partition " + partition + " not to be given up as " + reason +
            (isMaybeWritten ? ", maybe written" : ""));
        final boolean isGone = index >= world.partitionCount(PublishWorld.topicOf(partition));
        world.check(!world.isHealthy() || reason == FailureReason.CLOSED || isGone, "liveness",
            "no failure of partition " + partition + " in a healthy cluster, but " + reason);
        track.fail(firstPosition, count, isMaybeWritten, clock.nowNs(), world.user.workedNs());
    }

    private PublishedTrack reported(final int partition, final long firstPosition, final int count)
    {
        final PublishedTrack track = track(partition);
        world.check(count > 0 && firstPosition == track.reported + 1 && firstPosition + count - 1 <= track.accepted,
            REPORTS, "the next report of partition " + partition + " to begin at " + (track.reported + 1) +
            " and to end at or before " + track.accepted + ", but it was about " + firstPosition + " to " +
            (firstPosition + count - 1));
        return track;
    }

    /** The user is about to give up everything of a partition that has stopped. */
    void onSkippingAll(final int partition)
    {
        skipped = partition;
    }

    /** The user has given up everything of a partition. */
    void onAllSkipped(final int partition)
    {
        skipped = NONE;
        final PublishedTrack track = track(partition);
        world.check(track.reported == track.accepted, REPORTS, "everything of partition " + partition +
            " to be given up, but " + track.reported + " of " + track.accepted + " records are reported");
    }

    /** The user has had a partition go on. */
    void onSkipped(final int partition)
    {
        track(partition).skip(clock.nowNs(), world.user.workedNs());
    }

    /** The user has made one call of the publisher. */
    void check(final List<TopicPublisher> topics)
    {
        for (final PublishedTrack track : tracks.values())
        {
            final TopicPublisher topic = topics.get(PublishWorld.topicOf(track.partition));
            final int index = PublishWorld.partitionOf(track.partition);
            world.check(topic.acceptedPosition(index) == track.accepted &&
                topic.acknowledgedPosition(index) == track.acknowledged &&
                topic.isStopped(index) == track.isStopped, POSITIONS, () -> track + ", but the publisher has " +
                topic.acceptedPosition(index) + " and " + topic.acknowledgedPosition(index) +
                (topic.isStopped(index) ? ", stopped" : ""));
            final long maxNs = CHECK_NS + SLACK_NS + TimeUnit.MILLISECONDS.toNanos(
                (long)world.publishing.deliveryTimeoutMs + world.publishing.requestTimeoutMs);
            // A publisher that does not work reports nothing.
            final long ageNs = world.user.workedNs() - track.oldestWorkedNs();
            world.check(track.isStopped || track.reported == track.accepted || ageNs <= maxNs, EXPIRY, () -> "every " +
                "record of partition " + track.partition + " to be reported within " + maxNs / 1e9 + " s, but not " +
                (track.reported + 1) + " in " + ageNs / 1e9 + " s");
        }
    }

    /** Returns what the open publisher has accepted and reported, of each partition. */
    Collection<PublishedTrack> tracks()
    {
        return tracks.values();
    }

    /** Whether all that was accepted was reported. */
    boolean isAllReported()
    {
        return tracks.values().stream().allMatch((track) -> track.reported == track.accepted);
    }

    /** Whether a partition has more than one batch. */
    boolean hasFullBatch()
    {
        return tracks.values().stream().anyMatch((track) -> track.hasFullBatch(world.publishing.batchLength));
    }

    /** Whether all that was accepted was acknowledged, or skipped after a failure. */
    boolean isAllAcknowledged()
    {
        return tracks.values().stream().allMatch((track) -> track.acknowledged == track.accepted);
    }

    boolean isReported(final PublishedRecord published)
    {
        return published.position() <= track(published.partition()).reported;
    }

    /** Returns false if the record was reported as not written. */
    boolean isInDoubt(final PublishedRecord published)
    {
        return track(published.partition()).outcomes.stream().noneMatch((outcome) ->
            outcome.fate() == PublishedTrack.Fate.NOT_WRITTEN && outcome.first() <= published.position() &&
            outcome.last() >= published.position());
    }

    void checkAllAcknowledged()
    {
        world.check(isAllReported(), "liveness", "every record to be acknowledged in a healthy cluster");
    }

    /** Compares all logs with what was reported. */
    void checkLogs()
    {
        logs.check();
    }

    /** Returns the records that were acknowledged. */
    long records()
    {
        return records;
    }
}
