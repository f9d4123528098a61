// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.testkit.internal.TempFolder;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the broker's logs and the queues are during a run: in memory if there is enough, so that no write-back of the
 * kernel hits the turn of a client by chance. It is made when it is first asked for, and deleted at the end, even if
 * the run is broken off.
 */
final class LogFolder implements AutoCloseable
{
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ENOUGH_BYTES = 8L << 30;

    private final Thread atExit = new Thread(this::delete, "bench-delete-logs");
    private final Path parent;
    private TempFolder folder;

    private LogFolder(final Path parent)
    {
        this.parent = parent;
    }

    static LogFolder find()
    {
        final File memory = MEMORY.toFile();
        return new LogFolder(memory.canWrite() && memory.getUsableSpace() >= ENOUGH_BYTES ? MEMORY :
            Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** The kind of the file system, as the report has it. */
    String kind()
    {
        try
        {
            return Files.getFileStore(parent).type();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    String ofBroker()
    {
        return path().resolve("broker").toString();
    }

    Path ofQueues()
    {
        return path().resolve("queues");
    }

    private Path path()
    {
        if (folder == null)
        {
            folder = new TempFolder(parent, "odradek-chain-");
            Runtime.getRuntime().addShutdownHook(atExit);
        }
        return folder.path();
    }

    @Override
    public void close()
    {
        if (folder != null)
        {
            delete();
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
    }

    private void delete()
    {
        folder.delete();
    }
}
