// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.EachSecond.Second;
import org.odradek.benchmarks.scenarios.DemoScreen.Form;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DemoScreenTest
{
    private static final Second SECOND = new Second(3, 15_000, 1_234_567, 9.8166, 142.4, 1_310.2);

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Test
    void shouldWriteALineForEachSecondElsewhere()
    {
        final DemoScreen screen = screen(Form.LINES);

        screen.onProgress("backlog: filling the topic, 40 %");
        screen.onBacklog("odradek", SECOND);
        screen.onPractice("odradek", new Second(2, 15_000, 1_234_567, 9.8166, 2_000_000, 3_000_000));
        screen.onPractice("odradek", SECOND);
        screen.onMeasured("odradek", SECOND);
        screen.onUsage("odradek", usage());

        assertEquals(List.of(
            "demo: backlog: filling the topic, 40 %",
            "demo: odradek, has read 15,000",
            "demo: odradek, practises",
            "demo: odradek, practises: CPU of the polling thread 9.82 %, p50 142 µs, p99 1,310 µs",
            "demo: odradek, second 3 of 8: CPU of the polling thread 9.82 %, 1,234,567 bytes allocated, p50 142 µs, " +
            "p99 1,310 µs",
            "demo: odradek, measured: CPU of the polling thread 25.00 %, 0 bytes allocated, p50 1 µs, p99 1 µs"),
            output().lines().toList());
    }

    @Test
    void shouldDrawInPlaceOnATerminal()
    {
        final DemoScreen screen = screen(Form.PLAIN);

        screen.onProgress("starts the clients");
        screen.onMeasured("stock", SECOND);

        assertEquals("""
            after 42 s: starts the clients~
                             CPU of the         bytes     p50      p99~
            client            thread, %     allocated      µs       µs~
            odradek                                                     waits~
            stock                                                       waits~
            ^after 42 s~
                             CPU of the         bytes     p50      p99~
            client            thread, %     allocated      µs       µs~
            odradek                                                     waits~
            stock                  9.82     1,234,567     142    1,310  second 3 of 8~
            """, output().replace("\033[K", "~").replace("\033[5A", "^").replace(System.lineSeparator(), "\n"));
    }

    @Test
    void shouldColourTheClientWhoseTurnItIs()
    {
        screen(Form.COLOURED).onMeasured("stock", SECOND);

        assertTrue(output().contains("\033[1mstock "), output());
        assertTrue(output().contains("\033[2modradek "), output());
    }

    @Test
    void shouldChooseTheFormByTheTerminal()
    {
        assertEquals(Form.LINES, DemoScreen.form(false, Map.of("TERM", "xterm")));
        assertEquals(Form.LINES, DemoScreen.form(true, Map.of("TERM", "dumb")));
        assertEquals(Form.LINES, DemoScreen.form(true, Map.of()));
        assertEquals(Form.PLAIN, DemoScreen.form(true, Map.of("TERM", "xterm", "NO_COLOR", "1")));
        assertEquals(Form.COLOURED, DemoScreen.form(true, Map.of("TERM", "xterm", "NO_COLOR", "")));
    }

    @Test
    void shouldKeepTheFiguresForThePage()
    {
        final DemoScreen screen = screen(Form.LINES);

        screen.onMeasured("stock", SECOND);
        screen.onUsage("stock", usage());

        assertArrayEquals(new double[]{3, 9.8166}, screen.points(Second::threadCpuPercent).get("stock").get(0));
        assertEquals(1, screen.latencies().get("stock").getTotalCount());
    }

    private static Usage usage()
    {
        final Usage usage = new Usage();
        final Histogram latency = Usage.histogram();
        latency.recordValue(1_000);
        usage.records = 1;
        usage.wallNs = 8;
        usage.threadCpuNs = 2;
        usage.allocatedBytes = 0;
        usage.latency = Usage.encode(latency);
        return usage;
    }

    private DemoScreen screen(final Form form)
    {
        return new DemoScreen(new PrintStream(bytes, true, StandardCharsets.UTF_8), form, List.of("odradek", "stock"),
            8, () -> 42);
    }

    private String output()
    {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
