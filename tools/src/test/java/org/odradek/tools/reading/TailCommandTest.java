// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.harness.Answer;
import org.odradek.harness.FullListener;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelTopic;
import org.odradek.protocol.PrintableText;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.tools.OdradekCommand;
import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests what tail and replay write of records that were made to drive a terminal.
 */
class TailCommandTest
{
    private static final String HOSTILE = "a\u001b[2J\tb\r\n\u0085\u009b31m\u202e\u2028\u200b\0 \\ \u00fc\ud83d\ude00";
    private static final String ESCAPED =
        "a\\x1b[2J\\tb\\r\\n\\u{85}\\u{9b}31m\\u{202e}\\u{2028}\\u{200b}\\x00 \\ \u00fc\ud83d\ude00";

    private static final int CRC_INDEX = 17;

    private final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
    private final ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST);
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteOutput out = new ByteOutput(stdout, false);

    TailCommandTest()
    {
        final ModelTopic topic = cluster.createTopic("orders", new Uuid(1, 2), 0, 1);
        final byte[] bytes = bytes(HOSTILE);
        peer.change(() ->
        {
            topic.addPartitions(1);
            topic.partition(0).elect(1, 1);
            topic.partition(0).log().append(BatchTemplate.of(MemoryRecords.withRecords(0, Compression.NONE, 1,
                new SimpleRecord(1, bytes, bytes, new Header[] {new RecordHeader("h\u001b", bytes)}))));
        });
    }

    @AfterEach
    void close()
    {
        peer.close();
    }

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String written(final Object command, final String... args)
    {
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = new CommandLine(command)
            .setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err, true));
        stdout.reset();
        assertEquals(0, commandLine.execute(args), err::toString);
        return stdout.toString(StandardCharsets.UTF_8);
    }

    /** Returns what a command that fails writes to standard error. */
    private static String failure(final Object command, final String... args)
    {
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = new CommandLine(command)
            .setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err, true))
            .setExecutionExceptionHandler((ex, failed, parsed) ->
            {
                failed.getErr().println(ex.getMessage());
                return 1;
            });
        assertEquals(1, commandLine.execute(args), err::toString);
        return err.toString();
    }

    private String tail(final boolean isTerminal, final String... options)
    {
        final String[] all = new String[options.length + 9];
        System.arraycopy(new String[] {"orders", "--bootstrap", peer.address(), "--from", "earliest",
            "--until", "latest", "--format", "%k|%s|%h\\n"}, 0, all, 0, 9);
        System.arraycopy(options, 0, all, 9, options.length);
        return written(new TailCommand(stdout, isTerminal, false), all);
    }

    @Test
    void shouldEscapeRecordsOnATerminalUnlessRaw(@TempDir final Path folder)
    {
        final String raw = HOSTILE + "|" + HOSTILE + "|h\u001b=" + HOSTILE + "\n";
        final String escaped = ESCAPED + "|" + ESCAPED + "|h\\x1b=" + ESCAPED + "\n";
        final String file = folder.resolve("frames").toString();

        assertEquals(escaped, tail(true));
        assertEquals(raw, tail(true, "--raw"));
        assertEquals(raw, tail(false, "--raw"));
        assertEquals(raw, tail(false, "--capture", file));
        assertEquals(escaped, written(new ReplayCommand(stdout, true, false), file, "--format", "%k|%s|%h\\n"));
        assertEquals(raw, written(new ReplayCommand(stdout, true, false), file, "--format", "%k|%s|%h\\n", "--raw"));
        assertEquals(raw, written(new ReplayCommand(stdout, false, false), file, "--format", "%k|%s|%h\\n"));
    }

    /** The example image starts java, whose output may be a terminal. */
    @Test
    void shouldEscapeRecordsWithoutTheLaunchScriptUnlessToldOtherwise(@TempDir final Path folder)
    {
        final String file = folder.resolve("frames").toString();
        tail(false, "--capture", file);

        assertEquals(List.of(ESCAPED), replayed(file));
        assertEquals(List.of(ESCAPED), replayed(file, "-Dodradek.terminal=true"));
        assertEquals(HOSTILE.lines().toList(), replayed(file, "-Dodradek.terminal=false"));
    }

    private static List<String> replayed(final String file, final String... flags)
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process = JavaProcess.of(OdradekCommand.class).startingQuickly().flags(flags)
            .args("replay", file, "--format", "%k\\n").onStdout(lines::add).start())
        {
            assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
        }
        return lines;
    }

    @Test
    void shouldAskForTheOffsetsOfAllPartitionsAtOnce()
    {
        peer.change(() -> cluster.createTopic("many", 50, 1));

        assertEquals("", written(new TailCommand(stdout, false, false),
            "many", "--bootstrap", peer.address(), "--from", "-1", "--until", "latest"));

        assertTrue(peer.requestCount(ApiMessageType.LIST_OFFSETS) < 50,
            () -> peer.requestCount(ApiMessageType.LIST_OFFSETS) + " requests");
    }

    @Test
    void shouldReadFromTheSecondServerIfTheFirstDoesNotAnswer()
    {
        try (FullListener silent = FullListener.start())
        {
            assertEquals(HOSTILE + "\n", written(new TailCommand(stdout, false, false), "orders", "--bootstrap",
                silent.address() + "," + peer.address(), "--from", "earliest", "--until", "latest"));
        }
    }

    @Test
    void shouldReportTheCauseOnceWhenTheTopicCannotBeRead()
    {
        final String err = failure(
            new TailCommand(stdout, false, false), "orders", "--bootstrap", "localhost:1", "--timeout", "5000");

        final List<String> lines = err.lines().toList();
        assertTrue(lines.get(0).startsWith("odradek: Cannot connect to bootstrap server localhost:1: "), err);
        assertEquals(List.of("Topic orders cannot be read at localhost:1: no answer within 5000 ms; the error above " +
            "says why."), lines.subList(1, lines.size()));
        assertFalse(err.contains("java."), err);
    }

    @Test
    void shouldEndAfterTheTimeoutWhenALeaderDoesNotAnswer()
    {
        peer.script(ApiMessageType.LIST_OFFSETS, (call) -> Answer.never());

        assertEquals("An offset of partition 0 cannot be looked up: no answer within 5000 ms.\n",
            failure(new TailCommand(stdout, false, false),
                "orders", "--bootstrap", peer.address(), "--from", "-1", "--timeout", "5000"));
        assertEquals("Topic orders cannot be read at " + peer.address() + ": no answer within 500 ms.\n",
            failure(new TailCommand(stdout, false, false),
                "orders", "--bootstrap", peer.address(), "--from", "latest", "--timeout", "500"));
    }

    @Test
    void shouldFailWhenAPartitionStops(@TempDir final Path folder)
    {
        final String file = folder.resolve("frames").toString();
        final MemoryRecords records = MemoryRecords.withRecords(
            0, Compression.NONE, 1, new SimpleRecord(1, bytes("key"), bytes("value")));
        records.buffer().putInt(CRC_INDEX, 0);
        peer.script(0, (requested) -> new PartitionData().setPartitionIndex(0).setHighWatermark(1)
            .setLastStableOffset(1).setLogStartOffset(0).setRecords(records));

        final String live = failure(new TailCommand(stdout, false, false), "orders", "--bootstrap", peer.address(),
            "--from", "earliest", "--capture", file, "--capture-limit", "65536");
        final String replayed = failure(new ReplayCommand(stdout, false, false), file);

        assertTrue(live.contains("CRC"), live);
        assertTrue(replayed.contains("CRC"), replayed);
    }

    private String escaped(final byte[] bytes)
    {
        stdout.reset();
        TerminalEscapes.write(new UnsafeBuffer(bytes), 0, bytes.length, out);
        out.flush();
        return stdout.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldEscapeEachCodePointThatIsNotPrintable()
    {
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++)
        {
            if (Character.getType(codePoint) != Character.SURROGATE)
            {
                final String text = Character.toString(codePoint);
                final boolean isVariationSelector = codePoint >= 0xFE00 && codePoint <= 0xFE0F;
                final String expected = PrintableText.isPrintable(codePoint) || isVariationSelector ? text :
                    codePoint == '\n' ? "\\n" : codePoint == '\t' ? "\\t" : codePoint == '\r' ? "\\r" :
                        String.format(codePoint < 0x80 ? "\\x%02x" : "\\u{%x}", codePoint);
                assertEquals("<" + expected + ">", escaped(bytes("<" + text + ">")));
            }
        }
    }

    @Test
    void shouldEscapeBytesThatAreNotUtf8()
    {
        final int[][] malformed = {{0x9B}, {0xFF}, {0xC0, 0x8A}, {0xE0, 0x80, 0x8A}, {0xF0, 0x80, 0x80, 0x8A},
            {0xF4, 0x90, 0x80, 0x80}, {0xF8, 0x80, 0x80, 0x80, 0x80}, {0xE2, 0x80}, {0xC3}};
        for (final int[] values : malformed)
        {
            final byte[] bytes = new byte[values.length];
            final StringBuilder expected = new StringBuilder();
            for (int i = 0; i < values.length; i++)
            {
                bytes[i] = (byte)values[i];
                expected.append(String.format("\\x%02x", values[i]));
            }
            assertEquals(expected.toString(), escaped(bytes));
        }
        assertEquals("\\u{d800}", escaped(new byte[] {(byte)0xED, (byte)0xA0, (byte)0x80}));
    }

    @Test
    void shouldWriteNoneOfRandomBytesThatIsNotPrintable()
    {
        final Random random = new Random(1);
        for (int i = 0; i < 2_000; i++)
        {
            final byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            final String shown = escaped(bytes).replaceAll("[\ufe00-\ufe0f]", "");

            assertTrue(PrintableText.isPrintable(shown), shown);
        }
    }
}
