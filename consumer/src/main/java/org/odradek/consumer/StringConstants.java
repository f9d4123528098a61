// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the string constants of the classes on the polling thread's way when a consumer is made.
 * <p>
 * HotSpot turns the string constants of a class into objects when C2 is first asked to compile one of its methods, and
 * charges them to the thread that called the method ({@code CompileBroker::compile_method}): a few hundred bytes a
 * class, seconds or minutes after the start, on a thread that is to allocate nothing. A constant that is there
 * already costs it nothing. They stay as long as this class does. Where classes cannot be read as files, as in some
 * launchers, nothing is made and nothing is lost but that.
 */
final class StringConstants
{
    private static final int HEADER_LENGTH = 8;
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int STRING = 8;
    /**
     * Bytes that follow the tag of each kind of constant (JVM specification, 4.4).
     */
    private static final int[] LENGTHS = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    /**
     * A class, and the packages beside it that the polling thread comes through.
     */
    private static final String[][] PACKAGES = {
        {"org.odradek.consumer.TopicConsumer", "org/odradek"},
        {"org.odradek.protocol.ApiKey", "org/odradek"},
        {"io.netty.channel.epoll.Epoll", "io/netty/channel/epoll"},
        {"io.netty.channel.unix.Socket", "io/netty/channel/unix"},
        {"org.agrona.concurrent.UnsafeBuffer", "org/agrona/collections"},
    };
    private static final String[] CLASSES = {
        "org/agrona/AbstractMutableDirectBuffer", "org/agrona/BufferUtil", "org/agrona/concurrent/UnsafeBuffer",
        "org/agrona/concurrent/SystemNanoClock", "org/agrona/concurrent/status/CountersReader",
        "org/agrona/concurrent/status/CountersManager", "org/HdrHistogram/Histogram",
        "org/HdrHistogram/AbstractHistogram", "org/HdrHistogram/AbstractHistogramBase",
        "io/netty/channel/DefaultIoRegistration",
        "io/netty/util/collection/IntObjectHashMap", "io/netty/util/internal/PlatformDependent",
        "io/netty/util/internal/PlatformDependent0", "io/netty/util/internal/CleanableDirectBuffer",
        "java/nio/Buffer", "java/nio/ByteBuffer", "java/nio/DirectByteBuffer", "java/util/zip/CRC32C",
        "java/nio/channels/SelectionKey", "java/nio/channels/spi/AbstractInterruptibleChannel",
        "java/nio/channels/spi/AbstractSelectableChannel", "java/nio/channels/spi/AbstractSelector",
        "java/nio/channels/spi/AbstractSelectionKey", "java/util/concurrent/locks/AbstractQueuedSynchronizer",
        "java/util/concurrent/locks/LockSupport", "java/util/concurrent/locks/ReentrantLock", "java/util/Objects",
        "java/util/ArrayDeque", "java/util/HashMap", "java/util/HashSet", "sun/nio/ch/EPoll",
        "sun/nio/ch/EPollSelectorImpl", "sun/nio/ch/EventFD", "sun/nio/ch/IOStatus", "sun/nio/ch/IOUtil",
        "sun/nio/ch/NativeThread", "sun/nio/ch/Net", "sun/nio/ch/SelectionKeyImpl", "sun/nio/ch/SelectorImpl",
        "sun/nio/ch/SocketChannelImpl", "sun/nio/ch/SocketDispatcher", "jdk/internal/misc/Unsafe",
    };

    private static final StringConstants MADE = new StringConstants();

    private final List<String> strings = new ArrayList<>();
    private boolean isDone;

    private StringConstants()
    {
    }

    /**
     * Make them, unless they have been made.
     */
    static void make()
    {
        synchronized (MADE)
        {
            if (!MADE.isDone)
            {
                MADE.isDone = true;
                for (final String[] entry : PACKAGES)
                {
                    MADE.internPackages(entry[0], entry[1]);
                }
                for (final String name : CLASSES)
                {
                    MADE.internClass(name);
                }
            }
        }
    }

    private void internClass(final String name)
    {
        final ClassLoader loader = StringConstants.class.getClassLoader();
        try (InputStream in = loader.getResourceAsStream(name + ".class"))
        {
            if (in != null)
            {
                intern(new DataInputStream(in));
            }
        }
        catch (final IOException ignore)
        {
            // Then its constants are made later.
        }
    }

    private void internPackages(final String className, final String folder)
    {
        try
        {
            final Class<?> type = Class.forName(className, false, StringConstants.class.getClassLoader());
            final Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(place))
            {
                internAll(place.resolve(folder));
            }
            else
            {
                try (FileSystem jar = FileSystems.newFileSystem(place))
                {
                    internAll(jar.getPath("/" + folder));
                }
            }
        }
        catch (final ClassNotFoundException | IOException | URISyntaxException | RuntimeException ignore)
        {
            // Then its constants are made later.
        }
    }

    private void internAll(final Path folder) throws IOException
    {
        final List<Path> paths;
        try (Stream<Path> walk = Files.walk(folder))
        {
            paths = walk.filter((path) -> path.toString().endsWith(".class")).collect(Collectors.toList());
        }
        for (final Path path : paths)
        {
            try (InputStream in = Files.newInputStream(path))
            {
                intern(new DataInputStream(in));
            }
        }
    }

    private void intern(final DataInputStream in) throws IOException
    {
        in.skipNBytes(HEADER_LENGTH);
        final String[] texts = new String[in.readUnsignedShort()];
        final List<Integer> indexes = new ArrayList<>();
        int i = 1;
        while (i < texts.length)
        {
            final int tag = in.readUnsignedByte();
            if (tag == UTF8)
            {
                texts[i] = in.readUTF();
            }
            else if (tag == STRING)
            {
                indexes.add(in.readUnsignedShort());
            }
            else
            {
                in.skipNBytes(LENGTHS[tag]);
            }
            // These two take up two places.
            i += tag == LONG || tag == DOUBLE ? 2 : 1;
        }
        indexes.forEach((index) -> strings.add(texts[index].intern()));
    }

    static int count()
    {
        synchronized (MADE)
        {
            return MADE.strings.size();
        }
    }
}
