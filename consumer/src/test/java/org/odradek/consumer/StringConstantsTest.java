// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import com.sun.management.ThreadMXBean;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.core.StringConstants;
import org.odradek.protocol.record.Record;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks that the string constants of the classes that the polling thread uses are created in advance, and that they
 * cost nothing afterwards. To add missing constants of the classes below ours to their list, run this test with
 * {@code -Dodradek.string.constants.write=true} on each JDK that is supported.
 */
@Tag("smoke")
class StringConstantsTest
{
    private static final Path LIST =
        Path.of("../client/src/main/resources/org/odradek/client", StringConstants.RESOURCE);
    private static final Path OWN_LIST = Path.of("target/classes" + TopicConsumer.OWN_CONSTANTS);

    private static final String[] THIRD_PARTY = {
        "org/agrona/AbstractMutableDirectBuffer", "org/agrona/BufferUtil", "org/agrona/concurrent/UnsafeBuffer",
        "org/agrona/concurrent/SystemNanoClock", "org/agrona/concurrent/status/CountersReader",
        "org/agrona/concurrent/status/CountersManager", "org/HdrHistogram/Histogram",
        "org/HdrHistogram/AbstractHistogram", "org/HdrHistogram/AbstractHistogramBase",
        "io/netty/channel/DefaultIoRegistration", "io/netty/internal/tcnative/SSL",
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

    private static List<String> listed() throws IOException, URISyntaxException
    {
        final List<String> names = new ArrayList<>();
        names.addAll(List.of(THIRD_PARTY));
        names.addAll(ClassConstants.classesIn(Epoll.class, "io/netty/channel/epoll"));
        names.addAll(ClassConstants.classesIn(Socket.class, "io/netty/channel/unix"));
        names.addAll(ClassConstants.classesIn(UnsafeBuffer.class, "org/agrona/collections"));
        return names;
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster", "core", "engine", "net", "tls"})
    void shouldListTheConstantsOfTheClient(final String room) throws IOException, URISyntaxException
    {
        // A consumer has an environment of its own.
        assertListed(ClassConstants.classesIn(StringConstants.class, "org/odradek/client/" + room).stream()
            .filter((name) -> !name.endsWith("/PlainEnvironment")).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"core", "engine", "fetch", "group"})
    void shouldListTheConstantsOfAllClassesOfARoom(final String room) throws IOException, URISyntaxException
    {
        assertListed(ClassConstants.classesIn(TopicConsumer.class, "org/odradek/consumer/" + room));
    }

    @ParameterizedTest
    @ValueSource(strings = {"compression", "control", "fetch", "record"})
    void shouldListTheConstantsOfTheProtocol(final String room) throws IOException, URISyntaxException
    {
        // A consumer writes no records.
        assertListed(ClassConstants.classesIn(Record.class, "org/odradek/protocol/" + room).stream()
            .filter((name) -> !name.contains("/RecordBatchEncoder")).toList());
    }

    private static void assertListed(final List<String> classes) throws IOException
    {
        final Set<String> constants = new TreeSet<>();
        for (final String name : classes)
        {
            ClassConstants.strings(name).forEach((text) -> constants.add(ClassConstants.escaped(text)));
        }
        assertFalse(classes.isEmpty());
        constants.removeAll(Files.readAllLines(OWN_LIST));
        assertEquals(Set.of(), constants);
    }

    /** Two constants, of which the test creates the first in advance. */
    private static final class Sentences
    {
        static String first()
        {
            return "a sentence that exists before it is first used";
        }

        static String second()
        {
            return "a sentence that is created when it is first used";
        }
    }

    @Test
    void shouldCostNothingToUseAConstantThatExists() throws IOException
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final String created = ClassConstants.strings(Sentences.class.getName().replace('.', '/')).stream()
            .filter((text) -> text.contains("exists")).findAny().orElseThrow().intern();
        new Sentences();
        threads.getCurrentThreadAllocatedBytes();

        final long start = threads.getCurrentThreadAllocatedBytes();
        final String first = Sentences.first();
        final long between = threads.getCurrentThreadAllocatedBytes();
        Sentences.second();
        final long end = threads.getCurrentThreadAllocatedBytes();

        assertSame(created, first);
        assertEquals(0, between - start);
        assertTrue(end - between > 0, "the other sentence was created when it was first used");
    }

    @Test
    void shouldListTheConstantsOfTheClassesBelow() throws IOException, URISyntaxException
    {
        final TreeSet<String> constants = new TreeSet<>();
        for (final String name : listed())
        {
            final Set<String> strings = ClassConstants.strings(name);
            // A missing class may be one of another JDK.
            if (strings != null)
            {
                strings.forEach((text) -> constants.add(ClassConstants.escaped(text)));
            }
        }
        assertTrue(constants.size() > 500, () -> "only " + constants.size() + " constants were found");
        if (Boolean.getBoolean("odradek.string.constants.write"))
        {
            if (Files.exists(LIST))
            {
                constants.addAll(Files.readAllLines(LIST));
            }
            Files.write(LIST, constants);
        }
        constants.removeAll(Files.readAllLines(LIST));
        assertEquals(new TreeSet<>(), constants, "run with -Dodradek.string.constants.write=true");
    }

    @Test
    void shouldListEachConstantInOneLine() throws IOException
    {
        StringConstants.make(TopicConsumer.OWN_CONSTANTS, TopicConsumer.class::getResourceAsStream);

        final List<String> lines = Files.readAllLines(LIST);
        assertEquals(lines, lines.stream().map((line) -> ClassConstants.escaped(line.translateEscapes())).toList());
        assertEquals(List.copyOf(ClassConstants.ours()), Files.readAllLines(OWN_LIST));
    }
}
