// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.BufferUtil;
import org.odradek.client.files.Uninterrupted;
import org.odradek.client.files.WrittenFile;
import org.odradek.protocol.PrintableText;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Opens, locks, checks and maps the file of an {@code OffsetFile}. */
public final class OffsetFileAccess
{
    public static final int HEADER_LENGTH = 512;
    /** The length in bytes of the two slots of a partition, 32 bytes each. */
    public static final int ENTRY_LENGTH = 64;

    public static final int MAX_PARTITIONS = 1_000_000;
    private static final long MAGIC = 0x0A6B_6564_6172_646FL;
    private static final int VERSION = 1;
    private static final int VERSION_FIELD_OFFSET = Long.BYTES;
    private static final int TOPIC_LENGTH_FIELD_OFFSET = VERSION_FIELD_OFFSET + Integer.BYTES;
    private static final int TOPIC_FIELD_OFFSET = TOPIC_LENGTH_FIELD_OFFSET + Integer.BYTES;
    private static final int MAX_TOPIC_LENGTH = 249;

    public final Path path;
    public final String topic;
    private final OffsetFileLock lock;
    private FileChannel channel;
    /** This reference keeps the lock reachable, because the JVM forgets a lock that is garbage-collected. */
    private FileLock channelLock;
    private MappedByteBuffer mapped;
    private int partitionCount;

    private OffsetFileAccess(final Path path, final String topic, final OffsetFileLock lock)
    {
        this.path = path;
        this.topic = topic;
        this.lock = lock;
    }

    public static OffsetFileAccess open(final Path path, final String topic, final String permissions)
    {
        if (topic == null || topic.isEmpty() || topic.getBytes(StandardCharsets.UTF_8).length > MAX_TOPIC_LENGTH)
        {
            throw new IllegalArgumentException(
                "topic is '" + topic + "': a topic's name has 1 to " + MAX_TOPIC_LENGTH + " characters");
        }
        try
        {
            return Uninterrupted.run(() -> lockAndOpen(path, topic, permissions));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("Offset file " + path + " cannot be opened: " + ex, ex);
        }
    }

    private static OffsetFileAccess lockAndOpen(final Path path, final String topic, final String permissions)
        throws IOException
    {
        final OffsetFileAccess access = new OffsetFileAccess(path, topic, new OffsetFileLock(path, permissions));
        try
        {
            access.openAndLock();
            access.writeOrCheckHeader();
            access.partitionCount =
                (int)Math.min((access.channel.size() - HEADER_LENGTH) / ENTRY_LENGTH, MAX_PARTITIONS);
            return access;
        }
        catch (final IOException | RuntimeException ex)
        {
            access.close();
            throw ex;
        }
    }

    private void writeOrCheckHeader() throws IOException
    {
        if (channel.size() > 0)
        {
            checkHeader();
            return;
        }
        final byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.nativeOrder());
        header.putLong(MAGIC).putInt(VERSION).putInt(name.length).put(name).clear();
        final int written = channel.write(header, 0);
        if (written != HEADER_LENGTH)
        {
            channel.truncate(0);
            throw new IOException("only " + written + " of the " + HEADER_LENGTH + " bytes of its header were written");
        }
    }

    private void checkHeader() throws IOException
    {
        final ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.nativeOrder());
        final int length = channel.read(header, 0);
        if (length < HEADER_LENGTH || header.getLong(0) != MAGIC)
        {
            throw new IllegalStateException("File " + path + " is not an offset file of a machine with this byte " +
                "order: remove it or choose another path.");
        }
        final int version = header.getInt(VERSION_FIELD_OFFSET);
        if (version != VERSION)
        {
            throw new IllegalStateException("Offset file " + path + " has version " + version +
                ", but this library reads version " + VERSION + ".");
        }
        final int topicLength = header.getInt(TOPIC_LENGTH_FIELD_OFFSET);
        if (topicLength < 1 || topicLength > MAX_TOPIC_LENGTH)
        {
            throw new IllegalStateException("Offset file " + path + " has a broken header: the length of its topic's " +
                "name is " + topicLength + ", but must be 1 to " + MAX_TOPIC_LENGTH + ".");
        }
        final String found = new String(header.array(), TOPIC_FIELD_OFFSET, topicLength, StandardCharsets.UTF_8);
        if (!found.equals(topic))
        {
            throw new IllegalStateException("Offset file " + path + " holds offsets of topic " +
                PrintableText.of(found) + ", not of " + topic + ".");
        }
    }

    public int partitionCount()
    {
        return partitionCount;
    }

    /**
     * The file is lengthened with slots of zeros, which count as never written.
     *
     * @throws UncheckedIOException if the file cannot be lengthened or mapped.
     */
    public ByteBuffer map(final int partitionCount)
    {
        final int count = Math.min(partitionCount, MAX_PARTITIONS);
        final int length = HEADER_LENGTH + count * ENTRY_LENGTH;
        // The operations of an interrupted thread close the channel, which ends its lock.
        boolean isInterrupted = Thread.interrupted();
        try
        {
            while (!tryMap(length))
            {
                isInterrupted = true;
            }
            return mapped;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("Offset file " + path + " cannot be given the " + length +
                " bytes that " + count + " partitions need: " + ex, ex);
        }
        finally
        {
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** @return false if the thread was interrupted; the file was then opened and locked again. */
    private boolean tryMap(final int length) throws IOException
    {
        try
        {
            WrittenFile.allocateBlocks(channel, length);
            final MappedByteBuffer longer = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
            BufferUtil.free(mapped);
            mapped = longer;
            return true;
        }
        catch (final ClosedChannelException ex)
        {
            if (!Thread.interrupted())
            {
                throw ex;
            }
            openAndLock();
            return false;
        }
    }

    private void openAndLock() throws IOException
    {
        channel = lock.open();
        channelLock = lock.locked(channel);
    }

    public void check(final boolean isOpen, final int partition, final long nextOffset)
    {
        checkOpen(isOpen);
        if (partition < 0 || partition >= MAX_PARTITIONS)
        {
            throw new IllegalArgumentException(
                "partition is " + partition + ": it must be from 0 to " + (MAX_PARTITIONS - 1));
        }
        if (nextOffset < 0)
        {
            throw new IllegalArgumentException("offset " + nextOffset + " is negative: an offset is 0 or more");
        }
    }

    private void checkOpen(final boolean isOpen)
    {
        if (!isOpen)
        {
            throw new IllegalStateException("offset file " + path + " is closed");
        }
    }

    public void force(final boolean isOpen)
    {
        checkOpen(isOpen);
        mapped.force();
    }

    public void close()
    {
        BufferUtil.free(mapped);
        try
        {
            if (channel != null)
            {
                channel.close();
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("Offset file " + path + " cannot be closed: " + ex, ex);
        }
        finally
        {
            lock.release();
        }
    }
}
