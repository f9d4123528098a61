// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.MemoryPoller;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.fuzz.FuzzTarget;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireWriter;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * A consumer whose broker sends responses with as many brokers, partitions or leaders as an input says, up to half a
 * million, and with ids in any order. The consumer must refuse a response or take it, in a bounded number of polls, and
 * then read from a sound broker. What it allocates, and so what it copies, is bounded by the length of the frames, and
 * the number of brokers among which it searches by their limit.
 * <p>
 * The first bytes of an input are counts and the rules of the elements; the others change bytes of the response.
 */
public enum CountsFuzz implements FuzzTarget
{
    METADATA_COUNTS(ApiKey.METADATA),
    ENDPOINT_COUNTS(ApiKey.FETCH);

    private static final int MAX_FRAME_LENGTH = 4 << 20;
    private static final int MAX_ELEMENT_LENGTH = 1 << 10;
    /** How often the response of the input is sent: the second time, all that it names is known. */
    private static final int REPETITIONS = 2;
    private static final int MAX_POLLS = 400;
    private static final int MAX_CONNECTS = 100;
    private static final long POLL_NS = 10_000_000;
    /** The changed bytes may throttle the consumer for two minutes. */
    private static final long LATE_POLL_NS = 10_000_000_000L;
    /** A consumer and its connections. */
    private static final long FIXED_ALLOCATION = 12 << 20;
    /** The least partition has 26 bytes, and takes some hundreds: in the table, and for each of up to eight leaders. */
    private static final int ALLOCATION_PER_BYTE = 48;
    private static final int MAX_LEADERS = 8;
    /** In each poll, one to each leader and one for metadata. */
    private static final int MAX_REQUESTS = MAX_POLLS * (MAX_LEADERS + 1);
    /** Brokers are counted in a description, which has a line for each partition. */
    private static final int MAX_DESCRIBED = 1_000;
    private static final byte[] TOPIC = WireWriter.encode("t");
    private static final int METADATA_VERSION = 12;
    private static final int FETCH_VERSION = 17;
    private static final short NOT_LEADER_OR_FOLLOWER = 6;
    /** The inputs say the next one. Sound metadata says the last one afterwards, because an earlier one is ignored. */
    private static final int FIRST_EPOCH = 5;
    private static final int NODE_ENDPOINTS_TAG = 0;
    private static final int CURRENT_LEADER_TAG = 1;

    /** Used by one run at a time. */
    private static final UnsafeBuffer HOSTILE = new UnsafeBuffer(new byte[MAX_FRAME_LENGTH + MAX_ELEMENT_LENGTH]);
    private static final UnsafeBuffer TAG = new UnsafeBuffer(new byte[MAX_FRAME_LENGTH]);

    private final ApiKey apiKey;

    CountsFuzz(final ApiKey apiKey)
    {
        this.apiKey = apiKey;
    }

    @Override
    public byte[] seed(final Random random)
    {
        final byte[] seed = new byte[random.nextBoolean() ? 11 : 11 + 3 * random.nextInt(4)];
        random.nextBytes(seed);
        final byte step = (byte)(random.nextBoolean() ? 1 : -1);
        if (apiKey == ApiKey.METADATA)
        {
            // Few replicas, ids of brokers that go up or down by one, and all partitions.
            seed[4] &= 3;
            seed[5] = 0;
            seed[6] = 100;
            seed[7] = step;
            seed[8] = 0;
            seed[9] = 1;
        }
        else
        {
            seed[2] = 100;
            seed[3] = step;
        }
        return seed;
    }

    @Override
    public String digest(final byte[] input)
    {
        String excess = "";
        // Loading and instrumenting classes also allocates, but only once.
        for (int i = 0; i < ATTEMPTS; i++)
        {
            final Run run = new Run(apiKey, ByteBuffer.wrap(input));
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            run.poll();
            final long allocated = THREADS.getCurrentThreadAllocatedBytes() - before - run.ownAllocated -
                run.poller.ownBytes;
            if (allocated <= FIXED_ALLOCATION + (long)ALLOCATION_PER_BYTE * REPETITIONS * run.hostileLength)
            {
                return run.outcome();
            }
            excess = allocated + " bytes were allocated for frames of " + run.hostileLength;
        }
        throw new AssertionError(excess);
    }

    private static void check(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            throw new AssertionError(what);
        }
    }

    /** One consumer and its broker. */
    private static final class Run
    {
        private final ApiKey apiKey;
        private final ByteBuffer program;
        private final int hostileLength;
        private final MemoryPoller poller = new MemoryPoller(this::answer);
        private final List<String> errors = new ArrayList<>();
        private int hostileLeft = REPETITIONS;
        private int checksLeft;
        private int soundFetches;
        private int partitionCount;
        private long ownAllocated;
        private long nowNs;

        Run(final ApiKey apiKey, final ByteBuffer program)
        {
            this.apiKey = apiKey;
            this.program = program;
            final WireWriter writer = begin(HOSTILE);
            if (apiKey == ApiKey.METADATA)
            {
                writeMetadata(writer);
            }
            else
            {
                writeFetch(writer);
            }
            hostileLength = writer.index();
            while (program.remaining() > 2)
            {
                final int index = 9 + ((program.getShort() & 0xFFFF) % (hostileLength - 9));
                HOSTILE.putByte(index, (byte)(HOSTILE.getByte(index) ^ program.get()));
            }
        }

        private int next()
        {
            return program.hasRemaining() ? program.get() : 0;
        }

        /** Small or large. */
        private int nextCount(final int maxShift)
        {
            return (next() & 0xFF) << (next() & 0xFF) % (maxShift + 1);
        }

        private static WireWriter begin(final UnsafeBuffer buffer)
        {
            // The size and the correlation id come later; the header has no tags.
            return new WireWriter().wrap(buffer, 2 * Integer.BYTES, true).noTags();
        }

        private void writeMetadata(final WireWriter writer)
        {
            final int brokers = nextCount(11);
            final int partitions = nextCount(7);
            final int replicas = nextCount(7);
            final int start = next() << 8;
            final int step = next();
            final int firstPartition = next();
            final int partitionStep = next();
            final int hostLength = next() & 31;
            writer.int32(0);
            writeBrokers(writer, brokers, start, step, hostLength);
            writer.string(null).int32(0).arrayCount(1).int16(0).string(TOPIC).uuid(1, 1).bool(false)
                .arrayCount(partitions);
            for (int i = 0; i < partitions && writer.index() < MAX_FRAME_LENGTH; i++)
            {
                writer.int16(0).int32(firstPartition + i * partitionStep).int32(start + i % MAX_LEADERS * step)
                    .int32(FIRST_EPOCH + 1).arrayCount(i == 0 ? replicas : 0);
                for (int r = 0; r < replicas && i == 0 && writer.index() < MAX_FRAME_LENGTH; r++)
                {
                    writer.int32(r);
                }
                writer.arrayCount(0).arrayCount(0).noTags();
            }
            writer.int32(Integer.MIN_VALUE).noTags().noTags();
        }

        /** Metadata and leaders have the same fields. */
        private static void writeBrokers(
            final WireWriter writer, final int count, final int start, final int step, final int hostLength)
        {
            final byte[] host = new byte[hostLength];
            writer.arrayCount(count);
            for (int i = 0; i < count && writer.index() < MAX_FRAME_LENGTH / 2; i++)
            {
                Arrays.fill(host, (byte)('a' + i % 26));
                writer.int32(start + i * step).string(host).int32(1 + (i & 0xFFF)).string(null).noTags();
            }
        }

        private void writeFetch(final WireWriter writer)
        {
            final int endpoints = nextCount(11);
            final int start = next() << 8;
            final int step = next();
            final int hostLength = next() & 31;
            writer.int32(0).int16(0).int32(0).arrayCount(1).uuid(1, 1).arrayCount(1);
            writer.int32(0).int16(NOT_LEADER_OR_FOLLOWER).int64(-1).int64(-1).int64(-1).arrayCount(0).int32(-1)
                .uvarint(0).uvarint(1).uvarint(CURRENT_LEADER_TAG).uvarint(2 * Integer.BYTES + 1)
                .int32(start).int32(FIRST_EPOCH + 1).noTags().noTags();
            final WireWriter leaders = new WireWriter().wrap(TAG, 0, true);
            writeBrokers(leaders, endpoints, start, step, hostLength);
            writer.uvarint(1).uvarint(NODE_ENDPOINTS_TAG).uvarint(leaders.index());
            HOSTILE.putBytes(writer.index(), TAG, 0, leaders.index());
            writer.wrap(HOSTILE, writer.index() + leaders.index(), true);
        }

        private ByteBuffer answer(
            final short key, final short version, final int correlationId, final ByteBuffer request)
        {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            final boolean isHostile = key == apiKey.key() && hostileLeft > 0;
            final UnsafeBuffer buffer = isHostile ? HOSTILE : new UnsafeBuffer(new byte[1 << 10]);
            int length = hostileLength;
            if (isHostile)
            {
                hostileLeft--;
                checksLeft = 3;
            }
            else
            {
                length = sound(key, version, buffer);
            }
            buffer.putInt(0, length - Integer.BYTES, BIG_ENDIAN);
            buffer.putInt(Integer.BYTES, correlationId, BIG_ENDIAN);
            final ByteBuffer frame = ByteBuffer.wrap(buffer.byteArray(), 0, length);
            ownAllocated += THREADS.getCurrentThreadAllocatedBytes() - before;
            return frame;
        }

        private int sound(final short key, final short version, final UnsafeBuffer buffer)
        {
            if (key == ApiKey.API_VERSIONS.key())
            {
                final WireWriter writer =
                    new WireWriter().wrap(buffer, 2 * Integer.BYTES, version >= 3).int16(0).arrayCount(3);
                writer.int16(ApiKey.API_VERSIONS.key()).int16(0).int16(4).noTags();
                writer.int16(ApiKey.METADATA.key()).int16(0).int16(METADATA_VERSION).noTags();
                writer.int16(ApiKey.FETCH.key()).int16(4).int16(FETCH_VERSION).noTags();
                return (version >= 1 ? writer.int32(0) : writer).noTags().index();
            }
            if (key == ApiKey.METADATA.key())
            {
                final int epoch = hostileLeft == REPETITIONS ? FIRST_EPOCH : Integer.MAX_VALUE;
                return begin(buffer).int32(0)
                    .arrayCount(1).int32(1).string(WireWriter.encode("sound")).int32(1).string(null).noTags()
                    .string(null).int32(1).arrayCount(1).int16(0).string(TOPIC).uuid(1, 1).bool(false)
                    .arrayCount(1).int16(0).int32(0).int32(1).int32(epoch).arrayCount(0).arrayCount(0).arrayCount(0)
                    .noTags().int32(Integer.MIN_VALUE).noTags().noTags().index();
            }
            check(key == ApiKey.FETCH.key(), "request " + key);
            soundFetches += hostileLeft == 0 ? 1 : 0;
            return begin(buffer).int32(0).int16(0).int32(0).arrayCount(0).noTags().index();
        }

        /** Changed bytes may also be an error that stops the partition. */
        private boolean isReading()
        {
            return hostileLeft == 0 && soundFetches > 1 || !errors.isEmpty() && errors.get(0).contains(" stopped: ");
        }

        void poll()
        {
            final ConsumerContext context = Reading.context("127.0.0.1:1", "t").startPosition(StartPosition.offset(0))
                .poller(poller).nanoClock(() -> nowNs).random(() -> Long.MIN_VALUE).metadataMaxAgeMs(200)
                .nameResolver((host) -> new InetAddress[] {InetAddress.getLoopbackAddress()})
                .errorHandler((error) -> errors.add(error.getMessage()));
            try (TopicConsumer consumer = TopicConsumer.connect(context))
            {
                for (int i = 0; i < MAX_POLLS && !isReading(); i++)
                {
                    nowNs += i < MAX_POLLS / 2 ? POLL_NS : LATE_POLL_NS;
                    consumer.poll((record) -> {}, 1, 0);
                    // Leaders are taken in the poll after the one that has read them.
                    if (checksLeft > 0 && consumer.partitionCount() < MAX_DESCRIBED)
                    {
                        checksLeft--;
                        checkCounts(consumer);
                    }
                }
                if (!isReading())
                {
                    throw new AssertionError("nothing was fetched: " + errors + consumer.describe());
                }
                partitionCount = consumer.partitionCount();
                final long connects = consumer.counters().get(ConsumerCounters.CONNECTS);
                check(connects <= MAX_CONNECTS, connects + " connects");
            }
            check(poller.requests <= MAX_REQUESTS, poller.requests + " requests");
        }

        /** What is searched again and again stays within the limits, whatever the response said. */
        private void checkCounts(final TopicConsumer consumer)
        {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            final String brokers = consumer.describe().lines().filter((line) -> line.startsWith("brokers"))
                .findFirst().orElseThrow();
            final long count = brokers.chars().filter((letter) -> letter == '@').count();
            check(count <= WireLimits.MAX_BROKERS, count + " brokers are known");
            ownAllocated += THREADS.getCurrentThreadAllocatedBytes() - before;
        }

        String outcome()
        {
            return errors.size() + " errors, " + partitionCount + " partitions: " +
                (errors.isEmpty() ? "" : errors.get(0).replaceAll(" at index \\d+", ""));
        }
    }
}
