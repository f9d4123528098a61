// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerHooks;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelRequest;
import org.odradek.protocol.record.Record;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks the table in docs/consumer-groups.md of how long batches and handlers of a member may take, with the defaults
 * of Kafka's coordinator and of our settings, in simulated time: within a limit a member stays one, beyond it the
 * coordinator removes it, or what the table says happens.
 */
class MemberLimitsTest
{
    private static final long SEED = 1;
    private static final int PARTITIONS = 2;
    private static final int RUNS = 20;
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
    /** What a few round trips and cycles take. */
    private static final long SLACK_NS = SECOND_NS / 2;

    private Limits world = new Limits(PARTITIONS);

    /** One broker with Kafka's defaults, and members on one thread. */
    private static final class Limits extends SimulatedCluster
    {
        private final List<LimitedMember> members = new ArrayList<>();
        private boolean isCommitRefused;

        Limits(final int partitionCount)
        {
            super(new Scenario(new RunSettings(SEED, 1, LoadProfile.GROUPS, Set.of())), 0, null);
            cluster.withGroups(Map.of("group.initial.rebalance.delay.ms", 0));
            network.addHost(0, BrokerRelease.NEWEST);
            cluster.createTopic(Scenario.TOPIC, partitionCount, 1);
            cluster.hooks(new BrokerHooks()
            {
                @Override
                public Errors partitionError(final ModelRequest request, final String topic, final int partition)
                {
                    return isCommitRefused && request.message() instanceof OffsetCommitRequestData ?
                        Errors.COORDINATOR_LOAD_IN_PROGRESS : Errors.NONE;
                }
            });
        }

        LimitedMember join(final GroupProtocol protocol, final RevocationHandler handler)
        {
            final LimitedMember member = new LimitedMember(this, protocol, handler, members.size());
            members.add(member);
            return member;
        }

        void append(final int partition, final int batches)
        {
            for (int i = 0; i < batches; i++)
            {
                partitions().get(partition).log().append(BatchTemplate.ofValues("a"), EPOCH_MS + clock.nowMs());
            }
            network.serve();
        }

        /** Appends a batch of many records. */
        void appendBatch(final int partition, final int records)
        {
            final String[] values = new String[records];
            Arrays.fill(values, "a");
            partitions().get(partition).log().append(BatchTemplate.ofValues(values), EPOCH_MS + clock.nowMs());
            network.serve();
        }

        /** Polls all members for a while, except those that are being polled. */
        void pass(final long durationNs)
        {
            final long endNs = clock.nowNs() + durationNs;
            while (clock.nowNs() < endNs)
            {
                clock.spend(Math.min(STEP_NS, endNs - clock.nowNs()));
                List.copyOf(members).forEach(LimitedMember::step);
            }
        }

        void until(final String what, final BooleanSupplier condition)
        {
            final long endNs = clock.nowNs() + 10 * MINUTE_NS;
            while (!condition.getAsBoolean())
            {
                assertTrue(clock.nowNs() < endNs, () -> "timed out: " + what + "\n" + members);
                pass(STEP_NS);
            }
        }

        @Override
        void run()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        void step()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        void onSocketsChanged()
        {
            members.forEach((member) -> member.poller.onChange());
        }

        @Override
        long records()
        {
            return 0;
        }
    }

    /** A member whose handler takes a while for each record, and each batch has one. */
    private static final class LimitedMember implements RecordHandler, ConsumerListener
    {
        private final Limits world;
        private final SimulatedPoller poller;
        private final TopicConsumer consumer;
        private final Set<Integer> owned = new TreeSet<>();
        private final List<String> errors = new ArrayList<>();
        private long batchNs;
        private long assignedNs;
        private int recordLimit = 1_000;
        private boolean isKeptAlive;
        private boolean isInPoll;
        private long longestPollNs;
        private int records;
        private int ownedAtFirst;

        LimitedMember(
            final Limits world, final GroupProtocol protocol, final RevocationHandler handler, final int number)
        {
            this.world = world;
            poller = new SimulatedPoller(world);
            consumer = TopicConsumer.connect(new ConsumerContext()
                .topic(Scenario.TOPIC).bootstrapServers(world.network.bootstrapServers())
                .clientId("member-" + number)
                .poller(poller).nanoClock(world.clock).epochClock(world.clock).nameResolver(world.network)
                .random(new Draw(SEED, "member " + number)).startPosition(StartPosition.earliest())
                .listener(this).errorHandler((error) -> errors.add(error.getMessage()))
                .group(new GroupSettings("group").protocol(protocol).memberId("member-" + number)
                    .revocationHandler(handler).commitPolicy(CommitPolicy.delivered(1_000))));
        }

        void step()
        {
            if (isInPoll)
            {
                if (isKeptAlive)
                {
                    consumer.keepAlive();
                }
                return;
            }
            final long startNs = world.clock.nowNs();
            isInPoll = true;
            consumer.poll(this, recordLimit, 0);
            isInPoll = false;
            longestPollNs = Math.max(longestPollNs, world.clock.nowNs() - startNs);
        }

        @Override
        public void onRecord(final Record record)
        {
            ownedAtFirst = records == 0 ? owned.size() : ownedAtFirst;
            records++;
            world.pass(batchNs);
        }

        /** Delivers one record whose handler takes a while. */
        void handleOne(final long durationNs)
        {
            batchNs = durationNs;
            final int before = records;
            world.append(owned.iterator().next(), 1);
            world.until("the record", () -> records > before && !isInPoll);
            batchNs = 0;
        }

        @Override
        public void onPartitionAssigned(final int partition, final long nextOffset)
        {
            owned.add(partition);
            world.pass(assignedNs);
        }

        @Override
        public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
        {
            owned.remove(partition);
        }

        @Override
        public void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
        {
            owned.remove(partition);
        }

        void leave()
        {
            world.members.remove(this);
            isInPoll = true;
            consumer.close();
        }

        long counter(final int id)
        {
            return consumer.counters().get(id);
        }

        boolean isRemoved()
        {
            return counter(ConsumerCounters.PARTITIONS_LOST) > 0;
        }

        void assertStayed()
        {
            assertEquals(List.of(), errors);
            assertEquals(0, counter(ConsumerCounters.PARTITIONS_LOST), this::toString);
        }

        @Override
        public String toString()
        {
            return consumer.describe() + " owns " + owned + ", errors " + errors;
        }
    }

    /** Returns a number of the table in nanoseconds. */
    private static long limitNs(final String row, final GroupProtocol protocol)
    {
        try
        {
            final String line = Files.readAllLines(Path.of("..", "docs", "consumer-groups.md")).stream()
                .filter((text) -> text.startsWith("| " + row)).findFirst().orElseThrow();
            final String cell = line.split("\\|")[protocol == GroupProtocol.CONSUMER ? 3 : 4].trim();
            assertTrue(cell.matches("\\d+ s"), line);
            return SECOND_NS * Long.parseLong(cell.substring(0, cell.length() - 2));
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
    }

    private LimitedMember start(final GroupProtocol protocol, final RevocationHandler handler)
    {
        final LimitedMember member = world.join(protocol, handler);
        world.until("all partitions", () -> member.owned.size() == PARTITIONS);
        world.pass(MINUTE_NS);
        return member;
    }

    private LimitedMember start(final GroupProtocol protocol)
    {
        return start(protocol, RevocationHandler.AT_ONCE);
    }

    // Behaviour O169.
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberWithSlowBatchesWhileOthersJoinAndLeave(final GroupProtocol protocol)
    {
        final LimitedMember slow = start(protocol);
        slow.batchNs = limitNs("each of many steps while", protocol);
        for (int i = 0; i < 3; i++)
        {
            world.append(0, 200);
            world.append(1, 200);
            world.pass(2 * MINUTE_NS);
            final LimitedMember other = world.join(protocol, RevocationHandler.AT_ONCE);
            world.until("one each", () -> slow.owned.size() == 1 && other.owned.size() == 1);
            world.pass(2 * MINUTE_NS);
            other.leave();
            world.until("all again", () -> slow.owned.size() == PARTITIONS);
            other.assertStayed();
        }
        slow.assertStayed();
        assertTrue(slow.longestPollNs <= slow.batchNs + SLACK_NS, () -> "a poll took " + slow.longestPollNs + " ns");
        assertTrue(slow.records > 30);
    }

    /** In each poll a commit is due, too. */
    // Behaviour O169.
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberWhateverEachPollTakesWithinTheLimit(final GroupProtocol protocol)
    {
        final long limitNs = limitNs("each step", protocol) - SLACK_NS;
        final LimitedMember slow = start(protocol);
        for (final long batchNs : new long[] {24 * SECOND_NS, 30 * SECOND_NS, 36 * SECOND_NS, limitNs})
        {
            slow.batchNs = batchNs;
            final long commits = slow.counter(ConsumerCounters.COMMITS);
            world.append(0, 20);
            world.pass(20 * batchNs + MINUTE_NS);
            slow.assertStayed();
            assertTrue(slow.counter(ConsumerCounters.COMMITS) - commits >= 19, slow::toString);
        }
        assertTrue(slow.records >= 80);

        slow.batchNs = TimeUnit.SECONDS.toNanos(45) + SLACK_NS;
        world.append(0, 20);
        world.pass(10 * MINUTE_NS);
        assertTrue(slow.isRemoved());
    }

    /** The coordinator refuses commits for a while. */
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldGiveUpWithoutACommitThatTakesTooLong(final GroupProtocol protocol)
    {
        final long limitNs = limitNs("the commit that follows", protocol);
        final List<Long> done = new ArrayList<>();
        final LimitedMember member = start(protocol, (partition, nextOffset, remainingNs) ->
        {
            if (remainingNs == 0)
            {
                done.add(world.clock.nowNs());
            }
            return remainingNs == 0;
        });
        world.isCommitRefused = true;
        world.append(0, 1);
        world.append(1, 1);
        world.pass(STEP_NS);
        final LimitedMember second = world.join(protocol, RevocationHandler.AT_ONCE);
        world.until("given up", () -> member.counter(ConsumerCounters.REVOCATIONS_TIMED_OUT) > 0);

        final long tookNs = world.clock.nowNs() - done.get(0);
        assertTrue(tookNs > limitNs - 2 * SLACK_NS && tookNs < limitNs + 2 * SLACK_NS, () -> "took " + tookNs + " ns");
        assertTrue(member.errors.get(0).contains("could not be committed"), member.errors::toString);
        world.isCommitRefused = false;
        world.until("one each", () -> member.owned.size() == 1 && second.owned.size() == 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberWithSlowBatchesAndASlowRevocationHandler(final GroupProtocol protocol)
    {
        final LimitedMember slow = start(protocol, (partition, nextOffset, remainingNs) -> false);
        slow.batchNs = limitNs("each of many steps, if a revocation", protocol);
        for (int i = 0; i < 3; i++)
        {
            world.append(0, 200);
            world.append(1, 200);
            world.pass(2 * MINUTE_NS + i * SECOND_NS);
            final LimitedMember other = world.join(protocol, RevocationHandler.AT_ONCE);
            world.until("one each", () -> slow.owned.size() == 1 && other.owned.size() == 1);
            world.pass(2 * MINUTE_NS);
            other.leave();
            world.until("all again", () -> slow.owned.size() == PARTITIONS);
        }
        assertTrue(slow.counter(ConsumerCounters.REVOCATIONS_TIMED_OUT) >= 3);
        assertEquals(0, slow.counter(ConsumerCounters.PARTITIONS_LOST), slow::toString);
    }

    /** Batches that take almost as long as they may, at different moments of the heartbeat interval. */
    private void handleWithin(final LimitedMember member, final long limitNs)
    {
        for (int i = 0; i < RUNS; i++)
        {
            world.pass(10 * SECOND_NS + i * SECOND_NS / 3);
            member.handleOne(limitNs - SLACK_NS);
        }
    }

    /** A batch of 5,000 records at 10 ms each takes longer than a session, but no record does. */
    // Behaviour P233.
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberInABatchThatOutlastsTheSession(final GroupProtocol protocol)
    {
        final LimitedMember member = start(protocol);
        member.batchNs = TimeUnit.MILLISECONDS.toNanos(10);
        member.recordLimit = 10_000;
        world.appendBatch(0, 5_000);
        world.until("all records", () -> member.records == 5_000);
        world.until("all commits", () -> member.consumer.group().committedOffset(0) == 5_000);
        member.assertStayed();
        assertEquals(0, member.counter(ConsumerCounters.FENCES));
        assertTrue(member.longestPollNs < SLACK_NS, () -> "a poll took " + member.longestPollNs + " ns");
    }

    /** All of them together take longer than a session. */
    // Behaviour O234.
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberWhileItLoadsTheStateOfManyPartitions(final GroupProtocol protocol)
    {
        final int partitions = 10;
        world = new Limits(partitions);
        for (int p = 0; p < partitions; p++)
        {
            world.append(p, 3);
        }
        final LimitedMember member = world.join(protocol, RevocationHandler.AT_ONCE);
        member.assignedNs = TimeUnit.MILLISECONDS.toNanos(5_500);
        world.until("all records", () -> member.records == 3 * partitions);
        world.pass(MINUTE_NS);
        assertEquals(partitions, member.owned.size());
        assertEquals(3 * partitions, member.records);
        // A cycle that has called for its time delivers nothing.
        assertEquals(partitions, member.ownedAtFirst);
        member.assertStayed();
    }

    // Behaviour O234.
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberWhileItFlushesManyPartitions(final GroupProtocol protocol)
    {
        final int partitions = 24;
        world = new Limits(partitions);
        final long flushNs = TimeUnit.MILLISECONDS.toNanos(1_200);
        final List<Long> remaining = new ArrayList<>();
        final LimitedMember member = world.join(protocol, (partition, nextOffset, remainingNs) ->
        {
            remaining.add(remainingNs);
            world.pass(flushNs);
            return true;
        });
        world.until("all partitions", () -> member.owned.size() == partitions);
        world.pass(MINUTE_NS);
        final long heartbeats = member.counter(ConsumerCounters.HEARTBEATS);
        final LimitedMember second = world.join(protocol, RevocationHandler.AT_ONCE);
        final LimitedMember third = world.join(protocol, RevocationHandler.AT_ONCE);
        world.until("a third each", () -> member.owned.size() == partitions / 3 &&
            second.owned.size() == partitions / 3 && third.owned.size() == partitions / 3);
        final int asked = protocol == GroupProtocol.CONSUMER ? partitions * 2 / 3 : partitions;
        assertEquals(asked, remaining.size());
        final long beginningNs = remaining.get(0);
        for (int i = 1; i < asked; i++)
        {
            // A further change of the assignment begins the time again.
            assertTrue(remaining.get(i) <= remaining.get(i - 1) - flushNs || remaining.get(i) == beginningNs,
                remaining::toString);
        }
        assertTrue(member.counter(ConsumerCounters.HEARTBEATS) >= heartbeats + 3);
        member.assertStayed();
    }

    /** The removal of a member is an error that names the cause. */
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldReportWhatKeptAMemberThatWasRemoved(final GroupProtocol protocol)
    {
        final LimitedMember member = start(protocol);
        member.handleOne(TimeUnit.SECONDS.toNanos(61));
        world.until("the removal", member::isRemoved);
        assertEquals(1, member.errors.size(), member.errors::toString);
        assertTrue(member.errors.get(0).matches("Group group has removed .*UNKNOWN_MEMBER_ID.*; since then, one " +
            "cycle took 61\\.\\d s, in partition 0\\."), member.errors::toString);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberIfABatchTakesLongNowAndThen(final GroupProtocol protocol)
    {
        final long limitNs = limitNs("each step", protocol);
        final LimitedMember member = start(protocol);
        handleWithin(member, limitNs);
        member.assertStayed();

        world.pass(10 * SECOND_NS);
        member.handleOne(TimeUnit.SECONDS.toNanos(45) + SLACK_NS);
        world.pass(10 * SECOND_NS);
        assertTrue(member.isRemoved());
    }

    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldPauseDeliveryOnlyBeyondTheGuard(final GroupProtocol protocol)
    {
        final long limitNs = limitNs("a step, if delivery", protocol);
        final LimitedMember member = start(protocol);
        handleWithin(member, limitNs);
        assertEquals(0, member.counter(ConsumerCounters.FENCES));

        for (int i = 0; i < RUNS; i++)
        {
            world.pass(10 * SECOND_NS + i * SECOND_NS / 3);
            member.handleOne(limitNs("each step", protocol) - SLACK_NS);
        }
        assertTrue(member.counter(ConsumerCounters.FENCES) > 0);
        member.assertStayed();
    }

    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldStayAMemberInAHandlerThatKeepsItAliveUnlessAPartitionMoves(final GroupProtocol protocol)
    {
        final long limitNs = limitNs("a handler that calls", protocol);
        final LimitedMember member = start(protocol);
        member.isKeptAlive = true;
        member.handleOne(10 * limitNs);
        assertEquals(0, member.counter(ConsumerCounters.FENCES));
        member.assertStayed();

        final LimitedMember second = world.join(protocol, RevocationHandler.AT_ONCE);
        member.handleOne(limitNs - 10 * SLACK_NS);
        world.until("one each", () -> member.owned.size() == 1 && second.owned.size() == 1);
        member.assertStayed();
        second.leave();
        world.until("all again", () -> member.owned.size() == PARTITIONS);
        world.pass(MINUTE_NS);

        world.join(protocol, RevocationHandler.AT_ONCE);
        member.handleOne(limitNs + 20 * SLACK_NS);
        world.pass(10 * SECOND_NS);
        assertTrue(member.isRemoved());
    }

    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldGiveUpWhenTheRevocationHandlerIsNotDoneInTime(final GroupProtocol protocol)
    {
        final long limitNs = limitNs("the revocation handler and", protocol);
        final List<Long> asked = new ArrayList<>();
        final LimitedMember member = start(protocol, (partition, nextOffset, remainingNs) ->
        {
            asked.add(world.clock.nowNs());
            return false;
        });
        final LimitedMember second = world.join(protocol, RevocationHandler.AT_ONCE);
        world.until("one each", () -> member.owned.size() == 1 && second.owned.size() == 1);

        final long tookNs = asked.get(asked.size() - 1) - asked.get(0);
        assertTrue(tookNs > limitNs - SLACK_NS && tookNs < limitNs + SLACK_NS, () -> "asked for " + tookNs + " ns");
        final int givenUp = protocol == GroupProtocol.CONSUMER ? 1 : PARTITIONS;
        assertEquals(givenUp, member.counter(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertEquals(givenUp, member.errors.size(), member.errors::toString);
        assertEquals(0, member.counter(ConsumerCounters.PARTITIONS_LOST));
    }
}
