// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.files.CountersFileDescriptor;
import org.odradek.client.files.WrittenFile;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.client.support.AllocatedBlocks;
import org.odradek.testkit.internal.JavaProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CountersFileTest
{
    private static final String PERMISSIONS = WrittenFile.OWNER_ONLY;
    private static final String TOPIC = "some.topic-1";
    private static final long START_MS = System.currentTimeMillis();

    private long nowMs = START_MS;
    private final DutyClock clock = new DutyClock(() -> 0, () -> nowMs);

    @TempDir
    private Path folder;

    private Path path()
    {
        return folder.resolve("counters");
    }

    private CountersFile created()
    {
        return CountersFile.create(path(), PERMISSIONS, ClientKind.CONSUMER, TOPIC, clock);
    }

    private CountersFile begun()
    {
        final CountersFile file = created();
        file.begin();
        return file;
    }

    @Test
    void shouldShowTheCountersOfWorkers()
    {
        final CountersFile file = begun();
        final CountersFileReader reader = CountersFileReader.open(path());
        assertEquals(0, reader.workerValues(0).length);

        final AtomicBuffer values = file.allocateOfWorkers(2);
        values.putLongRelease(CountersReader.counterOffset(ListedCounter.workerCount() + 6), 5);

        assertArrayEquals(new long[] {0, 5}, reader.workerValues(6));
        assertArrayEquals(new long[] {0, 0}, reader.workerValues(7));
        final int count = reader.totalCount();
        assertEquals(ListedCounter.count(), count);
        assertEquals("records of worker 0", reader.counters().getCounterLabel(count));
        assertEquals("barrier age ns of worker 1",
            reader.counters().getCounterLabel(count + 2 * ListedCounter.workerCount() - 1));
        assertNull(file.allocateOfWorkers(502));
        assertEquals(2, reader.workerValues(0).length);
    }

    private void overwrite(final int index, final int length, final long value)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.putLong(0, value);
        if (length == Integer.BYTES)
        {
            bytes.putInt(0, (int)value);
        }
        bytes.limit(length);
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.WRITE))
        {
            channel.write(bytes, index);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public static final class Child
    {
        public static void main(final String[] args)
        {
            CountersFile.create(Path.of(args[0]), PERMISSIONS, ClientKind.CONSUMER, TOPIC,
                new DutyClock(() -> 0, () -> START_MS)).begin();
        }
    }

    @Test
    void shouldShowCounters()
    {
        final CountersFile file = begun();

        final CountersFileReader reader = CountersFileReader.open(path());
        file.counters().add(ClientCounters.CONNECTS, 5);
        file.counters().add(ClientCounters.CONNECTS, 2);
        file.counters().max(ClientCounters.THROTTLE_MS, 9);
        file.counters().max(ClientCounters.THROTTLE_MS, 8);

        assertEquals(7, reader.total(ClientCounters.CONNECTS));
        assertEquals(7, file.counters().get(ClientCounters.CONNECTS));
        assertEquals(9, reader.total(ClientCounters.THROTTLE_MS));
        assertEquals(ClientCounters.count(), reader.totalCount());
        for (int id = 0; id < reader.totalCount(); id++)
        {
            assertEquals(ClientCounters.name(id), reader.totalName(id));
        }
        assertEquals(TOPIC, reader.topic());
        assertEquals(ProcessHandle.current().pid(), reader.pid());
        assertEquals(START_MS, reader.startMs());
        assertTrue(reader.isRunning());
        assertEquals(0, reader.endMs());
    }

    /** The numbered list is in each file, and a publisher finds its own counters by type and key. */
    @Test
    void shouldShowTheCountersOfAPublisherAfterTheNumberedOnes()
    {
        final CountersFile file = CountersFile.create(path(), PERMISSIONS, ClientKind.PUBLISHER, "", clock);
        file.begin();
        final CountersFileReader reader = CountersFileReader.open(path());
        final int count = ListedCounter.publisherCount();
        for (int i = 0; i < count; i++)
        {
            file.ofPublisher().putLongRelease(CountersReader.counterOffset(i), 1_000 + i);
        }
        file.counters().add(ClientCounters.CONNECTS, 5);

        assertEquals(ClientKind.PUBLISHER, reader.kind());
        assertEquals("", reader.topic());
        assertEquals(ClientCounters.count(), reader.totalCount());
        assertEquals(5, reader.total(ClientCounters.CONNECTS));
        final long[] totals = reader.publisherTotals();
        final int first = ListedCounter.FIRST_ID_OF_PUBLISHER;
        assertEquals(first + count, totals.length);
        for (int id = 0; id < totals.length; id++)
        {
            assertEquals(id < first ? CountersFileReader.NULL_VALUE : 1_000 + id - first, totals[id]);
        }
        assertEquals(count * CountersReader.COUNTER_LENGTH, file.ofPublisher().capacity());
    }

    @Test
    void shouldSayWhichKindOfClientUsesIt()
    {
        assertEquals(ClientKind.CONSUMER, openBegun().kind());
        assertEquals(0, openBegun().publisherTotals().length);
        CountersFile.create(folder.resolve("other"), PERMISSIONS, ClientKind.PUBLISHER, "", clock).begin();

        final String message = assertThrows(IllegalStateException.class, () -> CountersFile.create(
            folder.resolve("other"), PERMISSIONS, ClientKind.PUBLISHER, "", clock)).getMessage();

        assertEquals("countersFile " + folder.resolve("other") + " is in use by process " +
            ProcessHandle.current().pid() + " for a publisher: give each client a file of its own", message);
    }

    private CountersFileReader openBegun()
    {
        begun().end();
        return CountersFileReader.open(path());
    }

    @Test
    void shouldNoteDistinctErrors()
    {
        final CountersFile file = begun();
        for (int i = 0; i < 3; i++)
        {
            assertTrue(file.errorLog().record(new ClientException("first")));
        }
        assertTrue(file.errorLog().record(new ClientException("second")));

        final List<String> seen = new ArrayList<>();
        ErrorLogReader.read(CountersFileReader.open(path()).errorLog(),
            (count, firstMs, lastMs, text) -> seen.add(
                count + " " + (lastMs - START_MS) + " " + text.strip().lines().findFirst().orElse("")));
        final String name = ClientException.class.getName();
        assertEquals(List.of("3 0 " + name + ": first", "1 0 " + name + ": second"), seen);
    }

    @Test
    void shouldShowTheTimeOfTheLastPoll()
    {
        final CountersFile file = begun();
        final CountersFileReader reader = CountersFileReader.open(path());
        assertEquals(0, reader.lastPollMs());

        nowMs += 7;
        file.onWork(0);

        assertEquals(START_MS + 7, reader.lastPollMs());
    }

    @Test
    void shouldShowThatItsConsumerIsClosedAndThenBeReplaced()
    {
        final CountersFile file = begun();
        file.counters().add(ClientCounters.CONNECTS, 5);
        final CountersFileReader old = CountersFileReader.open(path());
        nowMs += 9;
        file.end();
        assertFalse(old.isRunning());
        assertEquals(START_MS + 9, old.endMs());

        begun();

        assertTrue(CountersFileReader.open(path()).isRunning());
        assertEquals(0, CountersFileReader.open(path()).total(ClientCounters.CONNECTS));
        assertEquals(5, old.total(ClientCounters.CONNECTS));
        assertFalse(old.isRunning());
        assertEquals(5, file.counters().get(ClientCounters.CONNECTS));
    }

    @Test
    void shouldNotBeReplacedWhileInUse() throws IOException
    {
        begun();

        final String message = assertThrows(IllegalStateException.class, this::created).getMessage();

        assertEquals("countersFile " + path() + " is in use by process " + ProcessHandle.current().pid() +
            " for a consumer of topic " + TOPIC + ": give each client a file of its own", message);
        try (Stream<Path> files = Files.list(folder))
        {
            assertEquals(List.of(path()), files.toList());
        }
    }

    @Test
    void shouldBeReplacedIfItsConsumerWasNeverCreated()
    {
        created();
        assertFalse(CountersFileReader.open(path()).isRunning());

        begun();

        assertTrue(CountersFileReader.open(path()).isRunning());
    }

    @Test
    void shouldShowThatItsProcessHasEnded()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args(path().toString()).start())
        {
            assertEquals(0, child.exitCode(60, TimeUnit.SECONDS), child::outputTail);
            final CountersFileReader reader = CountersFileReader.open(path());
            assertEquals(child.pid(), reader.pid());
            assertFalse(reader.isRunning());
            assertEquals(0, reader.endMs());
        }
        begun();
        assertEquals(ProcessHandle.current().pid(), CountersFileReader.open(path()).pid());
    }

    /**
     * After a restart of a container, the process may have the id of the previous one.
     */
    @Test
    void shouldNotMistakeALaterProcessWithTheSameIdForItsOwn()
    {
        begun();
        overwrite(CountersFileDescriptor.START_FIELD_OFFSET, Long.BYTES, 1_000_000_000_000L);

        assertFalse(CountersFileReader.open(path()).isRunning());
        begun();
        assertTrue(CountersFileReader.open(path()).isRunning());
    }

    /** The start of a process moves with a clock that is set forward; that of the client in the file does not. */
    @Test
    void shouldKnowAClientWhoseClockWasSetForward()
    {
        final ProcessHandle other = ProcessHandle.current().parent().orElseThrow();
        final long otherStartMs = other.info().startInstant().orElseThrow().toEpochMilli();
        begun();
        overwrite(CountersFileDescriptor.PID_FIELD_OFFSET, Long.BYTES, other.pid());
        overwrite(CountersFileDescriptor.START_FIELD_OFFSET, Long.BYTES, otherStartMs - 60_000);
        overwrite(CountersFileDescriptor.HEARTBEAT_FIELD_OFFSET, Long.BYTES, otherStartMs + 1);
        assertTrue(CountersFileReader.open(path()).isRunning());
        assertThrows(IllegalStateException.class, this::created);

        overwrite(CountersFileDescriptor.HEARTBEAT_FIELD_OFFSET, Long.BYTES, otherStartMs - 1);
        assertFalse(CountersFileReader.open(path()).isRunning());
    }

    // Behaviour Q237.
    @Test
    void shouldReportWhatIsWrongWithAFile() throws IOException
    {
        assertRefused(" does not exist");

        Files.write(path(), new byte[100]);
        assertRefused(" is not a counters file: it has 100 bytes");

        Files.write(path(), new byte[10_000]);
        assertRefused(" is not a counters file");

        created();
        for (final int version : new int[] {1, 77})
        {
            overwrite(CountersFileDescriptor.VERSION_FIELD_OFFSET, Integer.BYTES, version);
            assertRefused(" is a counters file of version " + version + ", but this reader needs version 2: use the " +
                "tools of the release that wrote it");
        }

        created();
        overwrite(CountersFileDescriptor.KIND_FIELD_OFFSET, Integer.BYTES, 3);
        assertRefused(" is the counters file of a client of kind 3, which this reader does not know");
    }

    private void assertRefused(final String what)
    {
        assertEquals(path() + what,
            assertThrows(IllegalArgumentException.class, () -> CountersFileReader.open(path())).getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {CountersFileDescriptor.METADATA_LENGTH_FIELD_OFFSET,
        CountersFileDescriptor.VALUES_LENGTH_FIELD_OFFSET, CountersFileDescriptor.ERROR_LOG_LENGTH_FIELD_OFFSET,
        CountersFileDescriptor.TOPIC_FIELD_OFFSET})
    void shouldRefuseEveryImpossibleLength(final int index)
    {
        for (final int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1_000_001})
        {
            created();
            overwrite(index, Integer.BYTES, length);
            assertBroken();
        }
    }

    @Test
    void shouldRefuseAFileThatWasCutOff() throws IOException
    {
        created();
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.WRITE))
        {
            channel.truncate(channel.size() - 1);
        }
        assertBroken();
    }

    private void assertBroken()
    {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> CountersFileReader.open(path())).getMessage();
        assertTrue(message.contains(" is a broken counters file: "), message);
    }

    /** Another process may change them after the file was opened. */
    @Test
    void shouldReadNoMoreThanANameMayHaveWhateverLengthTheFileGives()
    {
        created();
        final CountersFileReader reader = CountersFileReader.open(path());
        for (final int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1_000_000, 100_000})
        {
            overwrite(CountersFileDescriptor.HEADER_LENGTH + CountersReader.LABEL_OFFSET, Integer.BYTES, length);
            overwrite(CountersFileDescriptor.TOPIC_FIELD_OFFSET, Integer.BYTES, length);

            assertTrue(reader.totalName(0).length() <= CountersReader.MAX_LABEL_LENGTH);
            assertEquals(length < 0, reader.totalName(0).isEmpty());
            assertTrue(reader.topic().length() <= 249);
        }
    }

    @Test
    void shouldNameTheFileThatCannotBeCreated()
    {
        final Path path = folder.resolve("missing").resolve("counters");

        final String message = assertThrows(UncheckedIOException.class,
            () -> CountersFile.create(path, PERMISSIONS, ClientKind.CONSUMER, TOPIC, clock)).getMessage();

        assertTrue(message.startsWith("countersFile " + path + " cannot be created: "), message);
    }

    /**
     * Another user who may write to the folder has created links with the names that the file could have.
     */
    @Test
    void shouldNotWriteThroughALinkOfAnother() throws IOException
    {
        final Path other = Files.writeString(folder.resolve("other"), "keep");
        Files.createSymbolicLink(folder.resolve("counters." + ProcessHandle.current().pid() + ".new"), other);
        final Path link = Files.createSymbolicLink(folder.resolve("link"), other);

        created();
        final String refusal = assertThrows(UncheckedIOException.class,
            () -> CountersFile.create(link, PERMISSIONS, ClientKind.CONSUMER, TOPIC, clock)).getMessage();

        assertEquals("keep", Files.readString(other));
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(refusal.endsWith(link + ": it is a link, which is not followed when a file is written, where a " +
            "regular file was expected"), refusal);
    }

    @Test
    void shouldBeReadableByItsOwnerOnlyUnlessSetOtherwise() throws IOException
    {
        created();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));

        CountersFile.create(path(), "rw-r-----", ClientKind.CONSUMER, TOPIC, clock);
        final Path possible = Files.createFile(folder.resolve("any"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        assertEquals(Files.getPosixFilePermissions(possible), Files.getPosixFilePermissions(path()));
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldReplaceNoPipe() throws Exception
    {
        assertEquals(0, new ProcessBuilder("mkfifo", path().toString()).start().waitFor());

        final String refusal = assertThrows(UncheckedIOException.class, this::created).getMessage();

        assertTrue(refusal.contains("it is a pipe, a socket or a device"), refusal);
    }

    @Test
    void shouldBeCreatedAndReadOnAnInterruptedThread()
    {
        Thread.currentThread().interrupt();
        begun();
        final CountersFileReader reader = CountersFileReader.open(path());
        final boolean isCountersFile = CountersFileReader.isCountersFile(path());
        final String refusal = assertThrows(IllegalStateException.class, this::created).getMessage();

        assertTrue(Thread.interrupted());
        assertEquals(TOPIC, reader.topic());
        assertTrue(isCountersFile);
        assertTrue(refusal.contains("is in use by process"), refusal);
    }

    /** A reader of many files may have a small heap. */
    @Test
    void shouldNotReadAFileThatIsLongerThanAnyOfAConsumer() throws IOException
    {
        begun();
        final long length = Files.size(path());
        assertTrue(CountersFileReader.isCountersFile(path()), () -> length + " bytes");
        overwrite((4 << 20) - Long.BYTES, Long.BYTES, 0);
        assertTrue(CountersFileReader.isCountersFile(path()));
        overwrite(4 << 20, Integer.BYTES, 0);

        assertFalse(CountersFileReader.isCountersFile(path()));
        assertEquals(path() + " is not a counters file: it has " + ((4 << 20) + 4) + " bytes",
            assertThrows(IllegalArgumentException.class, () -> CountersFileReader.open(path())).getMessage());
    }

    @Test
    void shouldOccupyAllItsBlocks() throws IOException
    {
        created();

        assertTrue(AllocatedBlocks.bytes(path()) >= Files.size(path()), () -> path() + " is sparse");
    }
}
