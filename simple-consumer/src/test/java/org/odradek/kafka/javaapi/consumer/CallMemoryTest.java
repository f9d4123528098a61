// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.harness.Answer;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelPeer.Call;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.message.MessageAndOffset;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Answers fetches with more than the memory of a JVM. */
class CallMemoryTest
{
    private static final String TOPIC = "large";
    private static final int LARGE = 40 << 20;
    private static final int COUNT = 10;
    /** The first call and its repetition. */
    private static final int ATTEMPTS = 2;

    private final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
    private final ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST);

    CallMemoryTest()
    {
        peer.change(() -> cluster.createTopic(TOPIC, 1, 1).partition(0).log().append(BatchTemplate.ofValues("a", "b")));
    }

    @AfterEach
    void close()
    {
        peer.close();
    }

    /** Fetches twice and prints what comes. */
    public static final class Fetcher
    {
        private Fetcher()
        {
        }

        public static void main(final String[] args)
        {
            final SimpleConsumer consumer =
                new SimpleConsumer("127.0.0.1", Integer.parseInt(args[0]), 20_000, 64 * 1024, "simple");
            for (int i = 0; i < 2; i++)
            {
                try
                {
                    consumer.fetch(new FetchRequestBuilder().clientId("simple").addFetch(TOPIC, 0, 1, 1 << 20).build())
                        .messageSet(TOPIC, 0).forEach((entry) -> System.out.println("offset " + entry.offset()));
                }
                catch (final Exception ex)
                {
                    System.out.println(ex.getMessage());
                }
            }
            consumer.close();
        }
    }

    /** Reads up to an offset and prints how many messages each call returns. */
    public static final class Reader
    {
        private Reader()
        {
        }

        public static void main(final String[] args)
        {
            final SimpleConsumer consumer =
                new SimpleConsumer("127.0.0.1", Integer.parseInt(args[0]), 60_000, 64 * 1024, "simple");
            final long endOffset = Long.parseLong(args[1]);
            long offset = 0;
            while (offset < endOffset)
            {
                long count = 0;
                for (final MessageAndOffset entry : consumer.fetch(new FetchRequestBuilder().clientId("simple")
                    .addFetch(TOPIC, 0, offset, 1 << 20).build()).messageSet(TOPIC, 0))
                {
                    offset = entry.nextOffset();
                    count++;
                }
                System.out.println(count);
            }
            consumer.close();
        }
    }

    private List<String> fetch()
    {
        return run(Fetcher.class, List.of("-XX:MaxDirectMemorySize=16m", "-Xmx128m"));
    }

    private List<String> run(final Class<?> program, final List<String> flags, final String... more)
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        final List<String> args = new ArrayList<>(List.of(Integer.toString(peer.peer().port())));
        args.addAll(List.of(more));
        try (JavaProcess process = JavaProcess.of(program).flags(flags.toArray(String[]::new))
            .args(args.toArray(String[]::new)).onStdout(lines::add).start())
        {
            assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
        }
        return lines;
    }

    private static void assertGoesOn(final List<String> lines, final String... parts)
    {
        for (final String part : parts)
        {
            assertTrue(lines.get(0).contains(part), lines::toString);
        }
        assertEquals(List.of("offset 0", "offset 1"), lines.subList(1, lines.size()));
    }

    @Test
    void shouldNameWhatWasFetchedIfThereIsNoMemoryForTheFrameAndGoOn()
    {
        final AtomicInteger calls = new AtomicInteger();
        peer.script(ApiMessageType.FETCH, (call) -> calls.getAndIncrement() >= ATTEMPTS ? null :
            Answer.raw(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(LARGE).putInt(call.frame().correlationId()).array()));

        assertGoesOn(fetch(), "FETCH of partition 0 of topic large at offset 1",
            "a frame of " + LARGE + " bytes, for which no direct memory is left: raise -XX:MaxDirectMemorySize");
    }

    @Test
    void shouldNameTheOffsetIfThereIsNoMemoryForTheContentAndGoOn()
    {
        answerFirst(gzip(1, 24 << 20));

        assertGoesOn(fetch(), "Partition 0 cannot be read at offset 1: its content needs a buffer of ",
            " bytes, for which no direct memory is left: raise -XX:MaxDirectMemorySize");
    }

    @Test
    void shouldNameTheOffsetIfTheFirstBatchAloneNeedsMoreThanAQuarterOfTheHeapAndGoOn()
    {
        answerFirst(gzip(1, LARGE));

        assertGoesOn(run(Fetcher.class, List.of("-Xmx128m")),
            "Partition 0 cannot be read at offset 1: its batch needs more than ",
            " bytes of the heap, a quarter of it: raise -Xmx");
    }

    /** Each batch has 40 MB of zeros. */
    @Test
    void shouldReturnOneBatchAtATimeIfTheContentOfMoreDoesNotFit()
    {
        answerAlways(batches((offset) -> MemoryRecords.withRecords(
            offset, Compression.zstd().build(), new SimpleRecord(new byte[LARGE]))));

        assertEquals(Collections.nCopies(COUNT, "1"), read(COUNT));
    }

    /** Each batch has as many messages as use a quarter of the heap as objects. */
    @Test
    void shouldReturnOneBatchAtATimeIfTheMessagesOfMoreDoNotFit()
    {
        final int perBatch = 250_000;
        final SimpleRecord[] records = Collections.nCopies(perBatch, new SimpleRecord(new byte[0]))
            .toArray(SimpleRecord[]::new);
        answerAlways(batches((batch) -> MemoryRecords.withRecords(
            batch * perBatch, Compression.zstd().build(), records)));

        assertEquals(Collections.nCopies(COUNT, Integer.toString(perBatch)), read((long)COUNT * perBatch));
    }

    /** The bytes of the set are half of what a call may use. */
    @Test
    void shouldReturnWholeBatchesOfASetThatIsLargerThanWhatFits()
    {
        answerAlways(batches((offset) -> MemoryRecords.withRecords(
            offset, Compression.NONE, new SimpleRecord(new byte[12 << 20]))));

        final List<String> counts = read(COUNT);

        assertTrue(counts.size() > 1, counts::toString);
        assertEquals(COUNT, counts.stream().mapToInt(Integer::parseInt).sum());
    }

    private List<String> read(final long endOffset)
    {
        return run(Reader.class, List.of("-Xmx256m"), Long.toString(endOffset));
    }

    private static MemoryRecords gzip(final long offset, final int length)
    {
        return MemoryRecords.withRecords(offset, Compression.gzip().build(), new SimpleRecord(new byte[length]));
    }

    private static List<MemoryRecords> batches(final LongFunction<MemoryRecords> factory)
    {
        return LongStream.range(0, COUNT).mapToObj(factory).toList();
    }

    private void answerFirst(final MemoryRecords records)
    {
        final AtomicInteger calls = new AtomicInteger();
        peer.script(ApiMessageType.FETCH, (call) -> calls.getAndIncrement() > 0 ? null : answer(call, records));
    }

    /** Answers with all batches from the requested offset on. */
    private void answerAlways(final List<MemoryRecords> batches)
    {
        peer.script(ApiMessageType.FETCH, (call) ->
        {
            final long offset = ((FetchRequestData)call.request()).topics().get(0).partitions().get(0).fetchOffset();
            final List<ByteBuffer> wanted = batches.stream()
                .filter((batch) -> batch.batchIterator().peek().lastOffset() >= offset)
                .map((batch) -> batch.buffer().duplicate()).toList();
            final ByteBuffer set = ByteBuffer.allocate(wanted.stream().mapToInt(ByteBuffer::remaining).sum());
            wanted.forEach(set::put);
            return answer(call, MemoryRecords.readableRecords(set.flip()));
        });
    }

    private Answer answer(final Call call, final MemoryRecords records)
    {
        final FetchResponseData response = (FetchResponseData)peer.usual(call);
        response.responses().get(0).partitions().get(0).setErrorCode((short)0).setRecords(records);
        return call.answer(response);
    }
}
