// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.capture;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.status.ConsumerCounters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What is written is read again, and nothing else: not what was cut off, nor what was changed.
 */
final class CapturedFramesTest
{
    private static final String TOPIC = "orders-ä";
    private static final int LIMIT = 64 << 10;
    private static final int FRAMES = 5;
    private static final int NODE_ID = 23;
    private static final int VERSION = 16;

    private final CounterWriter counters = new CounterWriter();
    private final List<String> events = new ArrayList<>();
    private Path file;

    @BeforeEach
    void file(@TempDir final Path folder)
    {
        file = folder.resolve("frames");
    }

    private FrameCapture capture(final int limit)
    {
        return FrameCapture.create(file, TOPIC, limit, new ConsumerListener()
        {
            @Override
            public void onCaptureFull(final String name, final long frames, final long bytes)
            {
                events.add(name + " " + frames + " " + bytes);
            }
        }, counters);
    }

    private static boolean write(final FrameCapture capture, final int number, final int length)
    {
        final UnsafeBuffer frame = new UnsafeBuffer(new byte[length + 3]);
        frame.setMemory(3, length, (byte)number);
        if (!capture.begin(NODE_ID, VERSION, 2, length))
        {
            return false;
        }
        capture.topicId(7, number);
        capture.set(number, 100L * number);
        capture.set(number + 1, Long.MAX_VALUE);
        capture.end(frame, 3);
        return true;
    }

    private static int length(final int number)
    {
        return 100 + 13 * number;
    }

    private void writeAll()
    {
        final FrameCapture capture = capture(LIMIT);
        for (int number = 0; number < FRAMES; number++)
        {
            assertTrue(write(capture, number, length(number)));
        }
        capture.end();
    }

    private static void check(final CapturedFrames frames)
    {
        long bytes = 0;
        for (int i = 0; i < frames.count(); i++)
        {
            assertEquals(NODE_ID, frames.nodeId(i));
            assertEquals(VERSION, frames.version(i));
            assertEquals(7, frames.topicIdMostSignificantBits(i));
            assertEquals(i, frames.topicIdLeastSignificantBits(i));
            assertEquals(2, frames.setCount(i));
            assertEquals(i, frames.partition(i, 0));
            assertEquals(100L * i, frames.fetchOffset(i, 0));
            assertEquals(i + 1, frames.partition(i, 1));
            assertEquals(Long.MAX_VALUE, frames.fetchOffset(i, 1));
            assertEquals(length(i), frames.frameLength(i));
            for (int at = 0; at < frames.frameLength(i); at++)
            {
                assertEquals(i, frames.buffer().getByte(frames.frameIndex(i) + at));
            }
            bytes += frames.frameLength(i);
        }
        assertEquals(bytes, frames.bytes());
    }

    @Test
    void shouldReadWhatWasWritten() throws IOException
    {
        final long before = System.currentTimeMillis();
        writeAll();
        final long after = System.currentTimeMillis();

        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            assertEquals(FRAMES, frames.count());
            assertEquals(TOPIC, frames.topic());
            assertEquals(0, frames.missedCount());
            assertFalse(frames.isTorn());
            assertTrue(frames.timeMs(0) >= before && frames.timeMs(FRAMES - 1) <= after);
            check(frames);
        }
        assertEquals(FRAMES, counters.get(ConsumerCounters.FRAMES_CAPTURED));
        assertTrue(Files.size(file) < 2_000, "size " + Files.size(file));
    }

    @Test
    void shouldReadAFileThatIsStillWrittenTo()
    {
        final FrameCapture capture = capture(LIMIT);
        write(capture, 0, length(0));

        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            write(capture, 1, length(1));
            capture.end();
            assertEquals(1, frames.count());
            assertFalse(frames.isTorn());
            check(frames);
        }
    }

    @Test
    void shouldEndWhenItIsFullAndSaySoOnce()
    {
        final FrameCapture capture = capture(LIMIT);
        final int length = LIMIT / 4;
        int written = 0;
        while (write(capture, written, length))
        {
            written++;
        }
        // One that would fit: what is captured has no holes.
        assertFalse(write(capture, written, 1));
        capture.end();

        assertEquals(3, written);
        assertEquals(1, events.size());
        assertTrue(events.get(0).startsWith(file + " 3 "), events.get(0));
        assertEquals(3, counters.get(ConsumerCounters.FRAMES_CAPTURED));
        assertEquals(2, counters.get(ConsumerCounters.FRAMES_NOT_CAPTURED));
        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            assertEquals(3, frames.count());
            assertEquals(2, frames.missedCount());
            assertFalse(frames.isTorn());
        }
    }

    @Test
    void shouldReadTheWholeFramesOfAFileThatWasCutOffAnywhere() throws IOException
    {
        writeAll();
        final byte[] bytes = Files.readAllBytes(file);
        final int header = CaptureFileDescriptor.entriesIndex(TOPIC.length() + 1);
        int most = 0;
        for (int length = header; length < bytes.length; length++)
        {
            Files.write(file, Arrays.copyOf(bytes, length));
            try (CapturedFrames frames = CapturedFrames.open(file))
            {
                int end = header;
                int whole = 0;
                while (whole < FRAMES && end + entryLength(whole) <= length)
                {
                    end += entryLength(whole++);
                }
                assertEquals(whole, frames.count(), "cut off at " + length);
                assertEquals(end != length, frames.isTorn(), "cut off at " + length);
                check(frames);
                most = Math.max(most, frames.count());
            }
        }
        assertEquals(FRAMES - 1, most);
    }

    private static int entryLength(final int number)
    {
        return (int)CaptureFileDescriptor.entryLength(2, length(number));
    }

    @Test
    void shouldBelieveNothingBehindAByteThatWasChanged() throws IOException
    {
        writeAll();
        final byte[] bytes = Files.readAllBytes(file);
        final int from = CaptureFileDescriptor.entriesIndex(TOPIC.length() + 1) + entryLength(0) + entryLength(1);
        for (int at = from; at < from + entryLength(2); at++)
        {
            final byte[] changed = bytes.clone();
            changed[at] ^= 0x40;
            Files.write(file, changed);
            try (CapturedFrames frames = CapturedFrames.open(file))
            {
                assertEquals(2, frames.count(), "changed at " + at);
                assertTrue(frames.isTorn(), "changed at " + at);
                check(frames);
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNoSuchFile() throws IOException
    {
        assertRefused("NoSuchFileException");
        Files.write(file, new byte[0]);
        assertRefused("they do not begin as captured frames do");
        Files.write(file, new byte[100]);
        assertRefused("they do not begin as captured frames do");
        writeAll();
        final byte[] bytes = Files.readAllBytes(file);
        bytes[CaptureFileDescriptor.VERSION_FIELD_OFFSET] = 9;
        Files.write(file, bytes);
        assertRefused("they have version 9 where 1 was expected");
        bytes[CaptureFileDescriptor.VERSION_FIELD_OFFSET] = 1;
        bytes[CaptureFileDescriptor.TOPIC_LENGTH_FIELD_OFFSET + 3] = -1;
        Files.write(file, bytes);
        assertRefused("bytes is beyond their end");
    }

    private void assertRefused(final String reason)
    {
        final IllegalArgumentException ex =
            assertThrows(IllegalArgumentException.class, () -> CapturedFrames.open(file));
        assertTrue(ex.getMessage().startsWith("the frames in " + file + " cannot be read: "), ex.getMessage());
        assertTrue(ex.getMessage().contains(reason), ex.getMessage());
    }

    @Test
    void shouldNameAFileThatCannotBeMade()
    {
        file = file.resolve("below");

        final UncheckedIOException ex = assertThrows(UncheckedIOException.class, () -> capture(LIMIT));

        assertTrue(ex.getMessage().startsWith("captureFile " + file + " cannot be made: "), ex.getMessage());
    }
}
