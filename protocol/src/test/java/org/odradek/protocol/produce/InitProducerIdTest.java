// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class InitProducerIdTest
{
    private static final int BEFORE = 5;

    private final InitProducerIdResponseFlyweight flyweight = new InitProducerIdResponseFlyweight();
    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.INIT_PRODUCER_ID);
    }

    /** What Kafka's producer without transactions sends for its first id. */
    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final InitProducerIdRequestEncoder encoder = new InitProducerIdRequestEncoder(clientId);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

            assertEquals(
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(Integer.MAX_VALUE),
                KafkaFrames.request(
                    ApiKey.INIT_PRODUCER_ID, version, buffer, encoder.build(buffer, version), clientId));
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final InitProducerIdResponseData expected = ProduceSeeds.initProducerId(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.INIT_PRODUCER_ID, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            assertEquals(expected.errorCode(), flyweight.errorCode());
            assertEquals(expected.producerId(), flyweight.producerId());
            assertEquals(expected.producerEpoch(), flyweight.producerEpoch());
            assertEquals(BEFORE + frame.length, flyweight.index());
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldSurviveEveryPrefixAndEveryChangedByte(final int version)
    {
        final byte[] frame = KafkaFrames.response(ApiKey.INIT_PRODUCER_ID, version,
            ProduceSeeds.initProducerId(version, new Random(2)), Cases.unknownTags(new Random(3)));

        new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            flyweight.wrap(buffer, index, limit, version);
            values.append(flyweight.throttleTimeMs()).append(' ').append(flyweight.errorCode()).append(' ')
                .append(flyweight.producerId()).append(' ').append(flyweight.producerEpoch());
        }).tryAll();
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, producerId at index 14: found -1", "5, -1, producerEpoch at index 22: found -1"})
    void shouldRefuseAProducerThatIsNone(final long producerId, final short producerEpoch, final String refusal)
    {
        final InitProducerIdResponseData data =
            new InitProducerIdResponseData().setProducerId(producerId).setProducerEpoch(producerEpoch);
        final byte[] frame = KafkaFrames.response(ApiKey.INIT_PRODUCER_ID, 1, data, List.of());
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);

        final WireFormatException ex = assertThrows(WireFormatException.class,
            () -> flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, 1));
        assertTrue(ex.getMessage().startsWith(refusal), ex.getMessage());
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBuildAndReadWithoutAllocating(final int version)
    {
        final byte[] frame = KafkaFrames.response(ApiKey.INIT_PRODUCER_ID, version,
            new InitProducerIdResponseData().setProducerId(5), Cases.unknownTags(new Random(3)));
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);
        final InitProducerIdRequestEncoder encoder = new InitProducerIdRequestEncoder("client");
        final UnsafeBuffer request = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            sink += encoder.build(request, version);
            sink += flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version).producerId();
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @Test
    void shouldRefuseUnsupportedVersions()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);

        assertThrows(IllegalArgumentException.class, () -> flyweight.wrap(buffer, 0, 64, 6));
        assertThrows(IllegalArgumentException.class,
            () -> new InitProducerIdRequestEncoder(null).build(buffer, 6));
    }
}
