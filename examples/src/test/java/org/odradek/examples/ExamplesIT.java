/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.examples;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.testkit.EmbeddedBroker;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class ExamplesIT
{
    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start();
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    @Test
    void shouldPrintRecords()
    {
        broker.createTopic("printed", 1);
        broker.produce("printed", 0, 5, (i) -> ("value-" + i).getBytes(StandardCharsets.UTF_8));
        final ByteArrayOutputStream out = new ByteArrayOutputStream();

        PrintRecords.print(broker.bootstrapServers(), "printed", 5, new PrintStream(out, true));

        final String[] lines = out.toString(StandardCharsets.UTF_8).split("\n");
        assertEquals(5, lines.length);
        for (int i = 0; i < lines.length; i++)
        {
            assertTrue(lines[i].matches("0 " + i + " \\d+ null value-" + i), lines[i]);
        }
    }

    @Test
    void shouldReadSeveralTopicsOnOneThread()
    {
        for (int topic = 0; topic < 3; topic++)
        {
            broker.createTopic("many-" + topic, 2);
            broker.produce("many-" + topic, topic % 2, 100 * (topic + 1), (i) -> new byte[10]);
        }

        final long[] counts =
            ManyConsumersOneThread.read(broker.bootstrapServers(), 600, "many-0", "many-1", "many-2");

        assertArrayEquals(new long[]{100, 200, 300}, counts);
    }
}
