// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.testkit.EmbeddedBroker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Timeout(300)
class LibrdkafkaIT
{
    private static final String TOPIC = "read-natively";
    private static final int PARTITIONS = 2;
    private static final int RECORDS_PER_PARTITION = 2_500;
    private static final int VALUE_LENGTH = 23;
    private static final int START_TIMEOUT_MS = 60_000;

    @Test
    void shouldReadEveryRecordInEveryPassAndSayWhatThatCost() throws Exception
    {
        final NativeProgram program = LibrdkafkaBuild.program();
        assumeTrue(program.isThere(), program.whyNot());
        long sum = 0;
        for (int partition = 0; partition < PARTITIONS; partition++)
        {
            for (long number = 0; number < RECORDS_PER_PARTITION; number++)
            {
                final ByteBuffer value = ByteBuffer.wrap(value(partition, number)).order(ByteOrder.nativeOrder());
                sum += value.getLong(0) + value.getLong(8) + value.getLong(15);
            }
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            broker.client().createTopic(TOPIC, PARTITIONS, Map.of());
            for (int i = 0; i < PARTITIONS; i++)
            {
                final int partition = i;
                final LongFunction<byte[]> values = (number) -> value(partition, number);
                broker.client().produce(TOPIC, partition, RECORDS_PER_PARTITION, values);
            }

            final List<JsonNode> answers = ask(program, List.of("version", "pass", "pass"), settings(broker)
                .forPasses(PARTITIONS * RECORDS_PER_PARTITION));

            assertTrue(answers.get(0).get("version").asText().matches("[0-9.]+"), answers::toString);
            for (final JsonNode pass : answers.subList(1, 3))
            {
                assertEquals(PARTITIONS * RECORDS_PER_PARTITION, pass.get("records").asLong());
                assertEquals(PARTITIONS * RECORDS_PER_PARTITION * VALUE_LENGTH, pass.get("bytes").asLong());
                assertEquals(sum, pass.get("sum").asLong());
                assertTrue(pass.get("wallNs").asLong() > 0, pass::toString);
                assertTrue(pass.get("threadCpuNs").asLong() > 0, pass::toString);
                assertTrue(pass.get("processCpuNs").asLong() > pass.get("threadCpuNs").asLong(), pass::toString);
            }
        }
    }

    @Test
    void shouldNameASettingThatItsLibraryDoesNotKnow() throws Exception
    {
        final NativeProgram program = LibrdkafkaBuild.program();
        assumeTrue(program.isThere(), program.whyNot());

        final IllegalStateException error = assertThrows(IllegalStateException.class,
            () -> ask(program, List.of("pass"), List.of(TOPIC, "1", "1", "0", "0", "no.such.name=1")));
        assertTrue(error.getMessage().startsWith("no.such.name: "), error::getMessage);
    }

    private static List<JsonNode> ask(
        final NativeProgram program, final List<String> words, final List<String> arguments) throws IOException
    {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            NativeProcess process = new NativeProcess(program, server.getLocalPort(), arguments))
        {
            server.setSoTimeout(START_TIMEOUT_MS);
            try (Socket socket = server.accept();
                BufferedReader answers =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)))
            {
                final ObjectMapper mapper = new ObjectMapper();
                final List<JsonNode> lines = new ArrayList<>();
                for (final String word : words)
                {
                    socket.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
                    final String line = answers.readLine();
                    if (line == null)
                    {
                        throw new IllegalStateException(process.output());
                    }
                    lines.add(mapper.readTree(line));
                }
                return lines;
            }
        }
    }

    private static LibrdkafkaSettings settings(final EmbeddedBroker broker)
    {
        return new LibrdkafkaSettings(broker.bootstrapServers(), TOPIC, PARTITIONS, 1 << 20, 1 << 20, 1, 50, true);
    }

    private static byte[] value(final int partition, final long number)
    {
        return ByteBuffer.allocate(VALUE_LENGTH)
            .putLong(0, number + 1).putLong(8, number * 31 + partition).putLong(15, ~number).array();
    }
}
