// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.types.LongValue;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;
import org.odradek.client.AuthenticationException;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.harness.PublicSignatures;
import org.odradek.protocol.record.Record;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks the settings of a source, what its checkpoints hold, and which types its users meet. */
class OdradekSourceTest
{
    private static final PartitionSplit SPLIT = new PartitionSplit("my-topic", 3, 1L << 40, PartitionSplit.NO_END);

    private final PartitionSplit.Serializer splits = new PartitionSplit.Serializer();
    private final EnumeratorState.Serializer states = new EnumeratorState.Serializer();

    @Test
    void shouldReadWhatItHasWritten() throws IOException
    {
        final EnumeratorState state = new EnumeratorState(7, List.of(SPLIT, new PartitionSplit("my-topic", 4, 0, 9)));

        assertEquals(SPLIT, splits.deserialize(splits.getVersion(), splits.serialize(SPLIT)));
        assertEquals(state, states.deserialize(states.getVersion(), states.serialize(state)));
        assertEquals(3, PartitionSplit.partition(SPLIT.splitId()));
    }

    @Test
    void shouldReadTheFormOfTheFirstRelease() throws IOException
    {
        final byte[] bytes = {0, 1, 't', 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 9};

        assertEquals(new PartitionSplit("t", 2, 5, 9), splits.deserialize(0x4F01, bytes));
    }

    @Test
    void shouldRefuseTheStateOfAKafkaSource() throws IOException
    {
        final byte[] bytes = splits.serialize(SPLIT);

        final String message = assertThrows(IOException.class, () -> splits.deserialize(0, bytes)).getMessage();

        assertTrue(message.contains("The state of a KafkaSource cannot be restored"), message);
        assertThrows(IOException.class, () -> states.deserialize(1, bytes));
    }

    @Test
    void shouldNameTheSettingThatIsMissing()
    {
        final OdradekSourceBuilder<byte[]> builder = OdradekSource.builder();

        assertTrue(assertThrows(IllegalArgumentException.class, builder::build).getMessage()
            .startsWith("bootstrapServers is null"));
        builder.bootstrapServers("localhost:9092");
        assertTrue(assertThrows(IllegalArgumentException.class, builder::build).getMessage()
            .startsWith("topic is null"));
        assertThrows(IllegalArgumentException.class,
            () -> SourceOffsets.of(Map.of(0, -2L), SourceOffsets.earliest()));
        assertThrows(IllegalArgumentException.class, () -> SourceOffsets.timestamp(-1));
    }

    private static OdradekSourceBuilder<LongValue> builder()
    {
        return OdradekSource.<LongValue>builder()
            .bootstrapServers("localhost:9092")
            .topic("my-topic")
            .deserializer(new LongDeserializer());
    }

    @Test
    void shouldAcceptThatOffsetsAreNotReset()
    {
        final ConsumerContext context =
            builder().property("auto.offset.reset", "none").build().newContext("0").conclude();

        assertEquals(OffsetResetPolicy.Kind.FAIL, context.offsetResetPolicy().kind());
    }

    @Test
    void shouldHaveNoLatencyBudgetWhereTheCustomizerContradictsIt()
    {
        assertEquals(1, builder().build().newContext("0").conclude().latencyBudgetMs());
        assertEquals(0, budget((context) -> context.fetchMinBytes(64 * 1024)));
        assertEquals(0, budget((context) -> context.fetchMaxWaitMs(0)));
        assertEquals(0, budget((context) -> context.latencyBudgetMs(0)));
        assertEquals(7, budget((context) -> context.latencyBudgetMs(7)));
    }

    private static int budget(final OdradekSourceBuilder.ContextCustomizer customizer)
    {
        return builder().consumer(customizer).build().newContext("0").conclude().latencyBudgetMs();
    }

    @Test
    void shouldFailTheTaskWhoseCredentialsAreRefused()
    {
        final ReaderEvents events = new ReaderEvents("my-topic");
        events.onError(new IllegalStateException("a broker is gone"));
        events.rethrow();
        events.onError(new AuthenticationException("broker 1 refuses PLAIN"));

        assertEquals("Topic my-topic cannot be read: broker 1 refuses PLAIN",
            assertThrows(FlinkRuntimeException.class, events::rethrow).getMessage());
    }

    @Test
    void shouldNameOnlyTypesOfTheApi()
    {
        assertEquals(List.of(), PublicSignatures.leaks(
            (name) -> name.startsWith("org.odradek.flink.") || name.startsWith("org.apache.flink.") ||
                name.equals(Record.class.getName()) || name.equals(ConsumerContext.class.getName()),
            PublicSignatures.publicClasses(OdradekSource.class)));
    }
}
