// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.consumer.ConsumerConfiguration;
import org.odradek.consumer.OffsetFile;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.JavaProcess;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Whatever else this process does with an offset file, no other process may write it meanwhile: closing any descriptor
 * of a file ends the POSIX locks that the process has on it.
 */
class OffsetFileLockTest
{
    private static final String TOPIC = "trades";
    private static final int OPENED = 0;
    private static final int REFUSED = 3;
    private static final int PARTITIONS = 1_000;

    @TempDir
    Path folder;
    private Path path;
    private OffsetFile file;

    @BeforeEach
    void openFile()
    {
        path = folder.resolve("offsets");
        file = OffsetFile.map(path, TOPIC, 4);
    }

    @AfterEach
    void closeFile()
    {
        file.close();
    }

    /** Opens an offset file in a process of its own, and exits with 0, or with 3 if it is refused. */
    public static final class Opener
    {
        private Opener()
        {
        }

        public static void main(final String[] args)
        {
            try (OffsetFile opened = OffsetFile.map(Path.of(args[0]), TOPIC, 1))
            {
                opened.store(0, 666);
                System.exit(OPENED);
            }
            catch (final IllegalStateException ex)
            {
                System.out.println(ex.getMessage());
                System.exit(REFUSED);
            }
        }
    }

    private static int exitCodeOfAnother(final Path opened)
    {
        try (JavaProcess child = JavaProcess.of(Opener.class).startingQuickly().args(opened.toString()).start())
        {
            return child.exitCode(120, TimeUnit.SECONDS);
        }
    }

    private void assertIsInUse(final Path other)
    {
        final IllegalStateException refusal =
            assertThrows(IllegalStateException.class, () -> OffsetFile.map(other, TOPIC, 1));
        assertTrue(refusal.getMessage().startsWith("Offset file " + other + " is being written by another OffsetFile"),
            refusal::getMessage);
    }

    private void assertOthersAreRefused()
    {
        assertEquals(REFUSED, exitCodeOfAnother(path));
        file.store(0, 5);
        assertEquals(5, file.offset(0));
    }

    @Test
    void shouldKeepItsLockAfterASecondOneWasRefused()
    {
        assertIsInUse(path);
        assertOthersAreRefused();
        file.close();
        assertEquals(OPENED, exitCodeOfAnother(path));
        file = OffsetFile.map(path, TOPIC, 1);
        assertEquals(666, file.offset(0));
    }

    @Test
    void shouldKeepItsLockWhenTheFileWasRead() throws IOException
    {
        assertEquals(512 + 4 * 64, Files.readAllBytes(path).length);
        assertOthersAreRefused();
    }

    private void assertOlderReleasesAreRefused()
    {
        try (JavaProcess older = JavaProcess.of(OlderRelease.class).startingQuickly()
            .args(path.toString(), path + ".locked").start())
        {
            assertEquals(1, older.exitCode(120, TimeUnit.SECONDS));
        }
        assertFalse(Files.exists(Path.of(path + ".locked")));
    }

    /** Each operation on a channel by an interrupted thread closes it, and with it ends its lock. */
    @Test
    void shouldKeepItsLocksWhenItGrowsOnAnInterruptedThread()
    {
        Thread.currentThread().interrupt();
        file.store(10, 7);

        assertTrue(Thread.interrupted());
        assertEquals(11, file.partitionCount());
        assertEquals(7, file.offset(10));
        assertOthersAreRefused();
        assertOlderReleasesAreRefused();
        file.close();
        file = OffsetFile.map(path, TOPIC, 1);
        assertEquals(7, file.offset(10));
    }

    @Test
    void shouldBeOpenedOnAnInterruptedThread()
    {
        file.store(3, 7);
        file.close();
        Thread.currentThread().interrupt();
        file = OffsetFile.map(path, TOPIC, 1);

        assertTrue(Thread.interrupted());
        assertEquals(7, file.offset(3));
        assertOthersAreRefused();
        assertOlderReleasesAreRefused();
    }

    @Test
    void shouldKeepItsLocksWheneverTheThreadIsInterrupted() throws InterruptedException
    {
        final Thread owner = Thread.currentThread();
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread interrupting = new Thread(() ->
        {
            while (!isDone.get())
            {
                owner.interrupt();
            }
        });
        interrupting.start();
        try
        {
            for (int p = 4; p < PARTITIONS; p++)
            {
                file.store(p, p);
            }
        }
        finally
        {
            isDone.set(true);
            while (interrupting.isAlive())
            {
                Thread.interrupted();
                Thread.onSpinWait();
            }
            Thread.interrupted();
        }
        assertOthersAreRefused();
        assertOlderReleasesAreRefused();
        file.close();
        file = OffsetFile.map(path, TOPIC, 1);
        for (int p = 4; p < PARTITIONS; p++)
        {
            assertEquals(p, file.offset(p));
        }
    }

    @Test
    void shouldBeKnownByEachOfItsNames() throws IOException
    {
        final Path hardLink = Files.createLink(folder.resolve("hard"), path);
        final Path otherFolder = Files.createSymbolicLink(folder.resolve("link"), folder);

        assertIsInUse(hardLink);
        assertIsInUse(otherFolder.resolve("offsets"));
        assertIsInUse(folder.resolve(".").resolve("offsets"));
        assertIsInUse(folder.resolve("offsets.lock"));
        assertOthersAreRefused();
    }

    /** Each class loader has classes, and so fields, of its own. */
    @Test
    void shouldBeKnownToOtherClassLoaders() throws Exception
    {
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader()))
        {
            final Method map = loader.loadClass(OffsetFile.class.getName())
                .getMethod("map", Path.class, String.class, int.class);
            final Throwable refusal =
                assertThrows(InvocationTargetException.class, () -> map.invoke(null, path, TOPIC, 1)).getCause();
            assertInstanceOf(IllegalStateException.class, refusal);
            assertOthersAreRefused();

            file.close();
            ((AutoCloseable)map.invoke(null, path, TOPIC, 1)).close();
        }
    }

    private static URL[] classPath() throws MalformedURLException
    {
        final List<URL> entries = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator))
        {
            entries.add(Path.of(entry).toUri().toURL());
        }
        return entries.toArray(URL[]::new);
    }

    @Test
    void shouldRespectTheLockOfAnOlderRelease() throws IOException
    {
        file.close();
        try (JavaProcess older = JavaProcess.of(OlderRelease.class).startingQuickly()
            .args(path.toString(), path + ".locked").start())
        {
            Await.until("the lock of another process", () -> Files.exists(Path.of(path + ".locked")));
            assertTrue(older.isAlive(), older::outputTail);
            assertIsInUse(path);
        }
        file = OffsetFile.map(path, TOPIC, 1);
    }

    /** Locks the file itself only. */
    public static final class OlderRelease
    {
        private OlderRelease()
        {
        }

        public static void main(final String[] args) throws IOException, InterruptedException
        {
            try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE))
            {
                assertTrue(channel.tryLock().isValid());
                Files.createFile(Path.of(args[1]));
                Thread.sleep(Long.MAX_VALUE);
            }
        }
    }

    @Test
    void shouldReleaseTheFileIfItCannotBeOpened() throws IOException
    {
        file.close();
        assertThrows(IllegalStateException.class, () -> OffsetFile.map(path, "quotes", 1));
        final byte[] content = Files.readAllBytes(path);
        Files.write(path, new byte[] {1, 2, 3});
        assertThrows(IllegalStateException.class, () -> OffsetFile.map(path, TOPIC, 1));
        Files.write(path, content);

        assertEquals(List.of(), System.getProperties().stringPropertyNames().stream()
            .filter((name) -> name.contains(folder.toString())).toList());
        assertTrue(Files.exists(folder.resolve("offsets.lock")));
        file = OffsetFile.map(path, TOPIC, 1);
    }

    private static void assertCannotBeOpened(final Path opened, final String what)
    {
        final String message =
            assertThrows(UncheckedIOException.class, () -> OffsetFile.map(opened, TOPIC, 1)).getMessage();
        assertTrue(message.startsWith("Offset file " + opened + " cannot be opened: "), message);
        assertTrue(message.contains(what), message);
    }

    @Test
    void shouldRefuseLinksAndWhatIsNoRegularFile() throws Exception
    {
        file.close();
        final Path link = Files.createSymbolicLink(folder.resolve("link"), path);
        final Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nothing"));
        final Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());

        assertCannotBeOpened(link, "it is a link, which is not followed when a file is written");
        assertCannotBeOpened(dangling, "it is a link, which is not followed when a file is written");
        assertCannotBeOpened(pipe, "it is a pipe, a socket or a device");
        assertCannotBeOpened(folder, "it is a directory");
        assertCannotBeOpened(Path.of("/"), "it must name a file");
        assertFalse(Files.exists(folder.resolve("nothing")));
        assertFalse(Files.exists(folder.resolve("link.lock")));

        Files.createSymbolicLink(folder.resolve("other.lock"), path);
        assertCannotBeOpened(folder.resolve("other"), "its lock file cannot be opened, which must be beside it: ");
        assertFalse(Files.exists(folder.resolve("other")));
    }

    @Test
    void shouldBeReadableByItsOwnerOnlyUnlessSetOtherwise() throws IOException
    {
        assertEquals("rw-------", permissions("offsets"));
        assertEquals("rw-------", permissions("offsets.lock"));

        System.setProperty(ConsumerConfiguration.FILE_PERMISSIONS_PROP_NAME, "rw-r-----");
        try
        {
            OffsetFile.map(folder.resolve("shared"), TOPIC, 1).close();
        }
        finally
        {
            System.clearProperty(ConsumerConfiguration.FILE_PERMISSIONS_PROP_NAME);
        }
        Files.createFile(folder.resolve("any"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        assertEquals(permissions("any"), permissions("shared"));
        assertEquals("rw-------", permissions("shared.lock"));
    }

    private String permissions(final String name) throws IOException
    {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name)));
    }
}
