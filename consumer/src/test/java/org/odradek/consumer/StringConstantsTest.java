// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks that the classes that the polling thread uses in every cycle hold no string constants; other classes build the
 * sentences. A list holds the constants of the classes below ours, and of the few of ours that still have some. To add
 * missing constants to the list, run this test with {@code -Dodradek.string.constants.write=true} on each JDK that is
 * supported.
 */
@Tag("smoke")
class StringConstantsTest
{
    private static final Path LIST = Path.of("src/main/resources/org/odradek/consumer", StringConstants.RESOURCE);

    /**
     * Classes of ours that run while records are delivered and still hold constants.
     */
    private static final String[] LISTED = {
        "consumer/ConsumerAgent", "consumer/PollerIdleStrategy", "consumer/core/Environment",
        "consumer/status/ConsumerCounters", "consumer/status/ConsumerHistograms", "protocol/ApiKey",
        "protocol/ErrorCode", "protocol/record/CompressionType", "protocol/record/ViewLender",
        "protocol/record/ViewLifetime",
    };

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
        for (final String name : LISTED)
        {
            names.add("org/odradek/" + name);
        }
        names.addAll(List.of(THIRD_PARTY));
        names.addAll(ClassConstants.classesIn(Epoll.class, "io/netty/channel/epoll"));
        names.addAll(ClassConstants.classesIn(Socket.class, "io/netty/channel/unix"));
        names.addAll(ClassConstants.classesIn(UnsafeBuffer.class, "org/agrona/collections"));
        return names;
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "consumer/engine/CountersFile$Progress", "consumer/engine/CycleRecorder",
        "consumer/engine/CycleRecorder$AgeRecorder",
        "consumer/engine/DutyCycle", "consumer/GroupMembership", "consumer/group/GroupReconciliation",
        "consumer/OffsetFile", "consumer/OffsetFile$Slots", "consumer/fetch/PartitionAssignment",
        "consumer/engine/PollGuard", "consumer/engine/SafeCallbacks", "consumer/engine/SafeCallbacks$SafeFrameHandler",
        "consumer/TopicConsumer", "consumer/cluster/Brokers", "consumer/engine/Conductor",
        "consumer/cluster/ControlConnection",
        "consumer/group/ClassicProtocol", "consumer/group/ConsumerProtocol", "consumer/group/FindCoordinator",
        "consumer/group/GroupCoordinator", "consumer/group/GroupMember", "consumer/cluster/Metadata",
        "consumer/group/OffsetCommits", "consumer/engine/OffsetLookup", "consumer/fetch/AbortedTransactions",
        "consumer/fetch/BatchCursor", "consumer/fetch/BrokerFetcher", "consumer/fetch/DecompressedBatch",
        "consumer/fetch/DirtyPartitions", "consumer/fetch/FetchFrame", "consumer/fetch/FetchReader",
        "consumer/fetch/FetchRequests", "consumer/fetch/FetchResponseReader", "consumer/fetch/FetchSession",
        "consumer/fetch/FetchTopic", "consumer/fetch/HandlerAdapter", "consumer/fetch/HandlerAdapter$Lending",
        "consumer/fetch/LegacyBatch", "consumer/fetch/PartitionState", "consumer/fetch/PartitionTable",
        "consumer/core/Backoff", "consumer/tls/BoringSsl$Engine", "consumer/net/BrokerConnection",
        "consumer/net/Connection",
        "consumer/core/CounterWriter", "consumer/core/DutyClock", "consumer/net/EpollPoller",
        "consumer/net/EpollPoller$EpollSocket", "consumer/core/MemoryBudget", "consumer/net/NioPoller",
        "consumer/net/NioPoller$NioSocket", "consumer/net/ReceiveBuffer", "consumer/net/RequestFrame",
        "consumer/tls/TlsPoller", "consumer/tls/TlsSocket",
        "consumer/net/TransportPoller", "consumer/net/TransportPoller$TransportSocket",
        "protocol/RequestHeaderEncoder", "protocol/ResponseHeader", "protocol/Varint", "protocol/WireBytes",
        "protocol/WireReader", "protocol/WireWriter", "protocol/compression/CompressedInput",
        "protocol/compression/Decompressor", "protocol/compression/GzipCodec", "protocol/compression/Lz4Codec",
        "protocol/compression/OutputBuffer", "protocol/compression/SnappyCodec", "protocol/compression/ZstdCodec",
        "protocol/control/ConsumerGroupHeartbeatRequestEncoder",
        "protocol/control/ConsumerGroupHeartbeatResponseFlyweight",
        "protocol/control/OffsetCommitRequestEncoder", "protocol/control/OffsetCommitResponseFlyweight",
        "protocol/control/MetadataRequestEncoder", "protocol/control/MetadataResponseFlyweight",
        "protocol/control/PartitionsResponseFlyweight", "protocol/control/ResponseFlyweight",
        "protocol/control/ResponseTopic",
        "protocol/fetch/AbortedTransactionsFlyweight", "protocol/fetch/FetchRequestEncoder",
        "protocol/fetch/FetchResponseFlyweight", "protocol/fetch/NodeEndpointsFlyweight",
        "protocol/record/LegacyMessageFlyweight", "protocol/record/LegacyMessageSet",
        "protocol/record/Record", "protocol/record/RecordBatchFlyweight", "protocol/record/RecordFlyweight",
        "protocol/record/RecordHeadersFlyweight", "protocol/record/RecordMemory", "protocol/record/RecordVarints",
        "protocol/record/StoredBatch", "protocol/record/StoredBatchFlyweight"
    })
    void shouldHoldNoStringConstantsInHotClasses(final String name) throws IOException
    {
        final List<String> strings = ClassConstants.strings("org/odradek/" + name);

        assertNotNull(strings, () -> name + " is no class");
        assertEquals(List.of(), strings);
    }

    @Test
    void shouldListTheConstantsOfTheClassesBelow() throws IOException, URISyntaxException
    {
        final TreeSet<String> constants = new TreeSet<>();
        for (final String name : listed())
        {
            final List<String> strings = ClassConstants.strings(name);
            if (strings == null)
            {
                // A missing class may be one of another JDK; a missing class of ours was renamed.
                assertTrue(!name.startsWith("org/odradek/"), () -> name + " is no class");
            }
            else
            {
                strings.forEach((text) -> constants.add(escaped(text)));
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

    private static String escaped(final String text)
    {
        final StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            if (c == '\\')
            {
                escaped.append("\\\\");
            }
            else if (c < ' ')
            {
                escaped.append(String.format("\\%03o", (int)c));
            }
            else
            {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    @Test
    void shouldCreateEachConstantOfTheList() throws IOException
    {
        StringConstants.make();
        StringConstants.make();

        final List<String> lines = Files.readAllLines(LIST);
        assertEquals(lines.size(), StringConstants.count());
        assertEquals(lines, lines.stream().map((line) -> escaped(line.translateEscapes())).toList());
        assertSame("fill", new String("fill").intern());
    }
}
