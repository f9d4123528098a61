// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.produce.ProduceResponseFlyweight;

import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Tests every count and length that has a limit besides the bytes that are left. Each frame continues with many zeros,
 * which are valid elements, or at least do not exceed another limit.
 */
class WireLimitsTest
{
    private static final int CAPACITY = 1 << 24;

    private static final UnsafeBuffer BUFFER = new UnsafeBuffer(new byte[CAPACITY]);

    /** Reads a whole response. */
    @FunctionalInterface
    interface Reading
    {
        void read(UnsafeBuffer buffer, int limit);
    }

    private static Arguments of(
        final String field, final int limit, final Reading reading, final ObjIntConsumer<WireWriter> frame)
    {
        return Arguments.of(field, limit, reading, frame);
    }

    private static WireWriter array(final WireWriter writer)
    {
        return writer.arrayCount(1);
    }

    private static WireWriter beforeReplicas(final WireWriter writer)
    {
        // No throttling, brokers and cluster id; a controller; a topic with one partition.
        array(writer.int32(0).arrayCount(0).string(null).int32(0)).int16(0).string(new byte[1]).uuid(0, 0).bool(false);
        return array(writer).int16(0).int32(0).int32(0).int32(0);
    }

    static Stream<Arguments> limits()
    {
        return Stream.of(
            of("brokers", WireLimits.MAX_BROKERS, WireLimitsTest::readMetadata,
                (writer, count) -> writer.int32(0).arrayCount(count)),
            of("clusterId", WireLimits.MAX_CLUSTER_ID_LENGTH, WireLimitsTest::readMetadata,
                (writer, length) -> writer.int32(0).arrayCount(0).string(new byte[length])),
            of("host", WireLimits.MAX_STRING_LENGTH, WireLimitsTest::readMetadata,
                (writer, length) -> array(writer.int32(0)).int32(7).string(new byte[length])),
            of("partitions", WireLimits.MAX_PARTITIONS, WireLimitsTest::readMetadata, (writer, count) ->
                array(writer.int32(0).arrayCount(0).string(null).int32(0)).int16(0).string(new byte[1]).uuid(0, 0)
                    .bool(false).arrayCount(count)),
            of("replicaNodes", WireLimits.MAX_BROKERS, WireLimitsTest::readMetadata,
                (writer, count) -> beforeReplicas(writer).arrayCount(count)),
            of("isrNodes", WireLimits.MAX_BROKERS, WireLimitsTest::readMetadata,
                (writer, count) -> beforeReplicas(writer).arrayCount(0).arrayCount(count)),
            of("offlineReplicas", WireLimits.MAX_BROKERS, WireLimitsTest::readMetadata,
                (writer, count) -> beforeReplicas(writer).arrayCount(0).arrayCount(0).arrayCount(count)),
            of("partitions", WireLimits.MAX_PARTITIONS, WireLimitsTest::readFetch,
                (writer, count) -> array(writer.int32(0).int16(0).int32(0)).uuid(0, 0).arrayCount(count)),
            of("nodeEndpoints", WireLimits.MAX_BROKERS, WireLimitsTest::readFetch, (writer, count) ->
                writer.int32(0).int16(0).int32(0).arrayCount(0).uvarint(1).uvarint(0).uvarint(1 << 20)
                    .arrayCount(count)),
            of("partitionResponses", WireLimits.MAX_PARTITIONS, WireLimitsTest::readProduce,
                (writer, count) -> array(writer).uuid(0, 0).arrayCount(count)),
            of("nodeEndpoints", WireLimits.MAX_BROKERS, WireLimitsTest::readProduce, (writer, count) ->
                writer.arrayCount(0).int32(0).uvarint(1).uvarint(0).uvarint(1 << 20).arrayCount(count)),
            of("members", WireLimits.MAX_MEMBERS, WireLimitsTest::readJoin, (writer, count) -> writer.int32(0).int16(0)
                .int32(1).string(null).string(null).string(new byte[0]).bool(false).string(new byte[1])
                .arrayCount(count)),
            of("memberId", WireLimits.MAX_MEMBER_ID_LENGTH, WireLimitsTest::readJoin, (writer, length) ->
                writer.int32(0).int16(0).int32(1).string(null).string(null).string(new byte[0]).bool(false)
                    .string(new byte[length])),
            of("mechanisms", WireLimits.MAX_MECHANISMS, WireLimitsTest::readHandshake,
                (writer, count) -> writer.int16(0).int32(count)),
            of("partitions", WireLimits.MAX_PARTITIONS, WireLimitsTest::readHeartbeat, (writer, count) ->
                array(writer.int32(0).int16(0).string(null).string(null).int32(1).int32(1).int8(1)).uuid(0, 0)
                    .arrayCount(count)),
            of("partitions", WireLimits.MAX_PARTITIONS, WireLimitsTest::readSync, (writer, count) ->
            {
                writer.int32(0).int16(0).string(null).string(null).uvarint(1 << 20).int16(0).int32(1).int16(1).int8(1)
                    .int32(count);
            }));
    }

    private static void readMetadata(final UnsafeBuffer buffer, final int limit)
    {
        new MetadataResponseFlyweight().wrap(buffer, 1, limit, 12);
    }

    private static void readFetch(final UnsafeBuffer buffer, final int limit)
    {
        final FetchResponseFlyweight response = new FetchResponseFlyweight().wrap(buffer, 1, limit, 17);
        while (response.nextPartition())
        {
            continue;
        }
    }

    private static void readProduce(final UnsafeBuffer buffer, final int limit)
    {
        final ProduceResponseFlyweight response = new ProduceResponseFlyweight().wrap(buffer, 1, limit, 13);
        while (response.nextPartition())
        {
            continue;
        }
    }

    private static void readJoin(final UnsafeBuffer buffer, final int limit)
    {
        final JoinGroupResponseFlyweight response = new JoinGroupResponseFlyweight().wrap(buffer, 1, limit, 9);
        while (response.nextMember())
        {
            continue;
        }
    }

    private static void readHandshake(final UnsafeBuffer buffer, final int limit)
    {
        // Its header has no tags.
        new SaslHandshakeResponseFlyweight().wrap(buffer, 2, limit, 1);
    }

    private static void readHeartbeat(final UnsafeBuffer buffer, final int limit)
    {
        final ConsumerGroupHeartbeatResponseFlyweight response =
            new ConsumerGroupHeartbeatResponseFlyweight().wrap(buffer, 1, limit, 1);
        while (response.nextPartition())
        {
            continue;
        }
    }

    private static void readSync(final UnsafeBuffer buffer, final int limit)
    {
        final SyncGroupResponseFlyweight response = new SyncGroupResponseFlyweight().wrap(buffer, 1, limit, 5);
        while (response.nextPartition())
        {
            continue;
        }
    }

    /** Returns what is wrong, or nothing. */
    private static String read(final Reading reading, final ObjIntConsumer<WireWriter> frame, final int count)
    {
        BUFFER.setMemory(0, CAPACITY, (byte)0);
        // Before the body are the tags of the header, of which there are none.
        frame.accept(new WireWriter().wrap(BUFFER, 1 + Byte.BYTES, true), count);
        try
        {
            reading.read(BUFFER, CAPACITY);
            return "";
        }
        catch (final WireFormatException ex)
        {
            return ex.getMessage();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("limits")
    void shouldRefuseMoreThanTheLimit(
        final String field, final int limit, final Reading reading, final ObjIntConsumer<WireWriter> frame)
    {
        assertFalse(read(reading, frame, limit).contains("expected at most"), () -> read(reading, frame, limit));
        final String refusal = read(reading, frame, limit + 1);
        assertEquals(field, refusal.substring(0, refusal.indexOf(' ')), refusal);
        assertEquals(limit + 1 + ", expected at most " + limit, refusal.replaceAll(".* (\\d+, )", "$1"), refusal);
        assertThrows(WireFormatException.class, () -> reading.read(BUFFER, CAPACITY));
    }
}
