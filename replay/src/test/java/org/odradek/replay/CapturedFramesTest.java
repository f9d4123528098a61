// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.consumer.ConsumerConfiguration;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Frames are read as they were written; incomplete and damaged entries are not read.
 */
final class CapturedFramesTest
{
    private static final String TOPIC = "orders-ä";
    private static final int LIMIT = 64 << 10;
    private static final int FRAMES = 5;
    private static final int NODE_ID = 23;
    private static final int VERSION = 16;

    private final List<String> events = new ArrayList<>();
    private long timeMs = 1_750_000_000_000L;
    private Path file;

    @BeforeEach
    void file(@TempDir final Path folder)
    {
        file = folder.resolve("frames");
    }

    private FrameCapture capture(final int limit)
    {
        final FrameCapture capture = new FrameCapture(file, limit);
        capture.onConnect(TOPIC, () -> timeMs++, new ConsumerListener()
        {
            @Override
            public void onCaptureFull(final Path name, final long frames, final long bytes)
            {
                events.add(name + " " + frames + " " + bytes);
            }
        });
        return capture;
    }

    @Test
    void shouldRefuseATopicThatIsNotPrintable() throws IOException
    {
        capture(LIMIT).close();
        final byte[] bytes = Files.readAllBytes(file);
        bytes[CaptureFileDescriptor.TOPIC_OFFSET] = 27;
        Files.write(file, bytes);

        assertEquals("the capture file " + file + " cannot be read: its topic is not printable: ?rders-ä",
            assertThrows(IllegalArgumentException.class, () -> CapturedFrames.open(file)).getMessage());
    }

    /** The memory of a closed capture is not mapped any more, so a write would end the JVM. */
    @Test
    void shouldNotTakeAFrameAfterItWasClosed()
    {
        final FrameCapture capture = capture(LIMIT);
        assertTrue(write(capture, 1, 10));
        capture.close();

        assertFalse(write(capture, 2, 10));

        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            assertEquals(1, frames.count());
        }
    }

    private static boolean write(final FrameCapture capture, final int number, final int length)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[length + 3]);
        buffer.setMemory(3, length, (byte)number);
        return capture.onFrame(new Frame(number, buffer, length));
    }

    /** Returns a frame of two partitions. */
    private record Frame(int number, DirectBuffer buffer, int length) implements FetchFrameHandler.Frame
    {
        @Override
        public int nodeId()
        {
            return NODE_ID;
        }

        @Override
        public int fetchVersion()
        {
            return VERSION;
        }

        @Override
        public long topicIdMostSignificantBits()
        {
            return 7;
        }

        @Override
        public long topicIdLeastSignificantBits()
        {
            return number;
        }

        @Override
        public int partitionCount()
        {
            return 2;
        }

        @Override
        public int partition(final int i)
        {
            return number + i;
        }

        @Override
        public long requestedOffset(final int i)
        {
            return i == 0 ? 100L * number : Long.MAX_VALUE;
        }

        @Override
        public int index()
        {
            return 3;
        }
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
        capture.close();
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
        final long firstMs = timeMs;
        writeAll();

        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            assertEquals(FRAMES, frames.count());
            assertEquals(TOPIC, frames.topic());
            assertEquals(0, frames.missedCount());
            assertFalse(frames.isTorn());
            assertEquals(firstMs, frames.timeMs(0));
            assertEquals(firstMs + FRAMES - 1, frames.timeMs(FRAMES - 1));
            check(frames);
        }
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
            capture.close();
            assertEquals(1, frames.count());
            assertFalse(frames.isTorn());
            check(frames);
        }
    }

    @Test
    void shouldEndWhenItIsFullAndReportItOnce()
    {
        final FrameCapture capture = capture(LIMIT);
        final int length = LIMIT / 4;
        int written = 0;
        while (write(capture, written, length))
        {
            written++;
        }
        // A later frame that would fit is not written either, so that the file has no holes.
        assertFalse(write(capture, written, 1));
        capture.close();

        assertEquals(3, written);
        assertEquals(1, events.size());
        assertTrue(events.get(0).startsWith(file + " 3 "), events.get(0));
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

    @Test
    void shouldEndWithTheLastEntryIfTheWriterClosesMeanwhile() throws IOException
    {
        writeAll();

        try (FileChannel channel = FileChannel.open(file))
        {
            // A reader that has begun before the writer closes takes the file to be as long as it was then.
            final int end = (int)channel.size();
            assertEquals(entryLength(FRAMES - 1),
                CapturedFrames.entryLength(channel, end - entryLength(FRAMES - 1), LIMIT));
            assertEquals(0, CapturedFrames.entryLength(channel, end, LIMIT));
            assertEquals(-1, CapturedFrames.entryLength(channel, end - 1, LIMIT));
        }
    }

    @Test
    void shouldNotFollowALengthThatNoEntryHas() throws IOException
    {
        writeAll();
        final byte[] bytes = Files.readAllBytes(file);
        final int from = CaptureFileDescriptor.entriesIndex(TOPIC.length() + 1) + entryLength(0) + entryLength(1);
        Arrays.fill(bytes, from, from + Integer.BYTES, (byte)0);
        bytes[from] = 1;
        Files.write(file, bytes);

        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            assertEquals(2, frames.count());
            assertTrue(frames.isTorn());
            assertEquals(from, frames.memory().capacity());
        }
    }

    private static int entryLength(final int number)
    {
        return (int)CaptureFileDescriptor.entryLength(2, length(number));
    }

    @Test
    void shouldIgnoreEverythingAfterAByteThatWasChanged() throws IOException
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
    void shouldRefuseAFileThatIsNotACapture() throws IOException
    {
        assertRefused("NoSuchFileException");
        Files.write(file, new byte[0]);
        assertRefused("it does not begin with the header of a capture file");
        Files.write(file, new byte[100]);
        assertRefused("it does not begin with the header of a capture file");
        writeAll();
        final byte[] bytes = Files.readAllBytes(file);
        bytes[CaptureFileDescriptor.VERSION_FIELD_OFFSET] = 9;
        Files.write(file, bytes);
        assertRefused("its version is 9 where 1 was expected");
        bytes[CaptureFileDescriptor.VERSION_FIELD_OFFSET] = 1;
        bytes[CaptureFileDescriptor.TOPIC_LENGTH_FIELD_OFFSET + 3] = -1;
        Files.write(file, bytes);
        assertRefused("bytes does not fit");
    }

    private void assertRefused(final String reason)
    {
        final IllegalArgumentException ex =
            assertThrows(IllegalArgumentException.class, () -> CapturedFrames.open(file));
        assertTrue(ex.getMessage().startsWith("the capture file " + file + " cannot be read: "), ex.getMessage());
        assertTrue(ex.getMessage().contains(reason), ex.getMessage());
    }

    @Test
    void shouldNameAFileThatCannotBeCreated()
    {
        file = file.resolve("below");

        final UncheckedIOException ex = assertThrows(UncheckedIOException.class, () -> capture(LIMIT));

        assertTrue(ex.getMessage().startsWith("the capture file " + file + " cannot be made: "), ex.getMessage());
    }

    @Test
    void shouldNotChangeFilesWithPredictableNames() throws IOException
    {
        final Path predictable = file.resolveSibling("frames." + ProcessHandle.current().pid() + ".new");
        Files.writeString(predictable, "precious");

        writeAll();

        assertEquals("precious", Files.readString(predictable));
        try (Stream<Path> names = Files.list(file.getParent()))
        {
            assertEquals(Set.of(file, predictable), names.collect(Collectors.toSet()));
        }
    }

    @Test
    void shouldRefuseToWriteToALink() throws IOException
    {
        final Path target = Files.writeString(file.resolveSibling("target"), "precious");
        Files.createSymbolicLink(file, target);

        final UncheckedIOException ex = assertThrows(UncheckedIOException.class, () -> capture(LIMIT));

        assertTrue(ex.getMessage().contains(file + ": it is a link, which is not followed when a file is written"),
            ex.getMessage());
        assertEquals("precious", Files.readString(target));
        assertTrue(Files.isSymbolicLink(file));
    }

    @Test
    void shouldBeReadableByItsOwnerOnlyUnlessSetOtherwise() throws IOException
    {
        writeAll();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));

        System.setProperty(ConsumerConfiguration.FILE_PERMISSIONS_PROP_NAME, "rw-r-----");
        try
        {
            writeAll();
        }
        finally
        {
            System.clearProperty(ConsumerConfiguration.FILE_PERMISSIONS_PROP_NAME);
        }
        final Path possible = Files.createFile(file.resolveSibling("any"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        assertEquals(Files.getPosixFilePermissions(possible), Files.getPosixFilePermissions(file));
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldOpenRegularFilesOnly() throws Exception
    {
        assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());

        final String refusal =
            assertThrows(IllegalArgumentException.class, () -> CapturedFrames.open(file)).getMessage();

        assertTrue(refusal.contains("it is a pipe, a socket or a device where a regular file was expected"), refusal);
    }

    @Test
    void shouldBeMadeAndReadOnAnInterruptedThread()
    {
        Thread.currentThread().interrupt();
        try
        {
            final FrameCapture capture = capture(LIMIT);
            write(capture, 0, length(0));
            capture.close();

            try (CapturedFrames frames = CapturedFrames.open(file))
            {
                assertEquals(1, frames.count());
            }
        }
        finally
        {
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldReleaseTheUnusedPartOnAnInterruptedThread() throws IOException
    {
        final FrameCapture capture = capture(LIMIT);
        write(capture, 0, length(0));

        Thread.currentThread().interrupt();
        capture.close();

        assertTrue(Thread.interrupted());
        assertTrue(Files.size(file) < 1_000, "size " + Files.size(file));
    }

    @Test
    void shouldRefuseASecondConsumerAndWrongSettings()
    {
        final FrameCapture capture = capture(LIMIT);
        refuse(capture);
        capture.close();
        refuse(capture);

        assertEquals("the capture file is limited to 65535 bytes: it must be 65536 or more",
            assertThrows(IllegalArgumentException.class, () -> new FrameCapture(file, LIMIT - 1)).getMessage());
        assertEquals("the capture file is /: it must name a file",
            assertThrows(IllegalArgumentException.class, () -> new FrameCapture(Path.of("/"))).getMessage());
    }

    private void refuse(final FrameCapture capture)
    {
        assertThrows(IllegalStateException.class, () -> capture.onConnect(TOPIC, () -> timeMs, ConsumerListener.NONE));
        // A consumer that fails to connect closes its handler, too.
        capture.close();
    }

    @Test
    void shouldGoOnForItsConsumerAfterItHasRefusedAnother() throws IOException
    {
        final FrameCapture capture = capture(LIMIT);
        assertTrue(write(capture, 0, length(0)));

        final IllegalStateException ex = assertThrows(IllegalStateException.class, () -> TopicConsumer.connect(
            new ConsumerContext().bootstrapServers("127.0.0.1:9092").topic("orders").frameHandler(capture)));

        assertEquals("the capture to " + file + " already has a consumer: make one for each", ex.getMessage());
        // The file is cut off when the capture ends.
        assertEquals(LIMIT, Files.size(file));
        assertTrue(write(capture, 1, length(1)));
        capture.close();
        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            assertEquals(2, frames.count());
            assertFalse(frames.isTorn());
            check(frames);
        }
    }
}
