// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.odradek.harness.model.ModelTopic;
import org.odradek.testkit.Await;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

import static org.apache.kafka.common.message.ApiMessageType.FETCH;
import static org.apache.kafka.common.message.ApiMessageType.INIT_PRODUCER_ID;
import static org.apache.kafka.common.message.ApiMessageType.PRODUCE;
import static org.odradek.simulation.fidelity.FidelityRequests.partition;

/** As {@link ModelFidelityIT}, for clients that publish: the same batches go to the model and to a real broker. */
class ProduceFidelityIT
{
    /** The default of max.message.bytes, as the model has it. */
    private static final int MAX_MESSAGE_BYTES = 1_048_588;

    private static final String TOPIC = "published";
    private static final int PARTITIONS = 3;
    private static final int FIRST = 3;
    private static final int LAST = 13;
    private static final byte MAGIC = 2;
    private static final short ACKS_ALL = -1;
    private static final int WAIT_MS = 5_000;
    private static final int CRC_INDEX = 17;
    private static final int EPOCH_INDEX = 51;
    private static final int COUNT_INDEX = 57;
    private static final short FIRST_EPOCH = 0;

    private static FidelityScene scene;
    private static FidelityRequests requests;
    private static long nextProducerId = 1_000;

    @BeforeAll
    static void start()
    {
        scene = new FidelityScene();
        requests = new FidelityRequests(scene.cluster());
        scene.createTopic(TOPIC, PARTITIONS);
        // The first id is fetched from the controller meanwhile.
        Await.until("a producer id", () -> scene.askReal(INIT_PRODUCER_ID, 2, idempotent()).toString()
            .contains("errorCode=0,"));
    }

    @AfterAll
    static void close()
    {
        System.out.println("comparisons with a real broker: " + scene.comparisons());
        scene.close();
    }

    /** Both logs must hold the same bytes. */
    @AfterEach
    void assertEqual()
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            final int index = p;
            scene.compare("log", FETCH, 18, (side, version) ->
                requests.fetch(version, TOPIC, partition(index, 0)));
        }
        scene.assertEqual();
    }

    private static InitProducerIdRequestData idempotent()
    {
        return new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(Integer.MAX_VALUE);
    }

    private static SimpleRecord[] values(final int count)
    {
        final SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++)
        {
            records[i] = new SimpleRecord(1_000L + i, null, ("value " + i).getBytes());
        }
        return records;
    }

    private static MemoryRecords batch(final long producerId, final int epoch, final int sequence, final int count)
    {
        return MemoryRecords.withIdempotentRecords(MAGIC, 0, Compression.NONE, producerId, (short)epoch, sequence, -1,
            values(count));
    }

    private static MemoryRecords plain(final int count)
    {
        return MemoryRecords.withRecords(Compression.NONE, values(count));
    }

    private static PartitionProduceData to(final int partition, final MemoryRecords records)
    {
        return new PartitionProduceData().setIndex(partition).setRecords(records);
    }

    private static ProduceRequestData request(
        final short version, final String topic, final short acks, final PartitionProduceData... partitions)
    {
        final ProduceRequestData request = new ProduceRequestData().setAcks(acks).setTimeoutMs(WAIT_MS);
        final ModelTopic known = scene.cluster().topic(topic);
        final Uuid id = known == null ? FidelityRequests.UNKNOWN_ID : known.id();
        final TopicProduceData data = new TopicProduceData().setPartitionData(List.of(partitions));
        request.topicData().add(version >= LAST ? data.setTopicId(id) : data.setName(topic));
        return request;
    }

    private static void compare(final String name, final int partition, final MemoryRecords records)
    {
        scene.compare(name, PRODUCE, LAST, (side, version) ->
            request(version, TOPIC, ACKS_ALL, to(partition, records)));
    }

    private static MemoryRecords changed(final MemoryRecords records, final int index, final int value)
    {
        final ByteBuffer copy = ByteBuffer.allocate(records.sizeInBytes()).put(records.buffer().duplicate()).flip();
        copy.putInt(index, value);
        return MemoryRecords.readableRecords(copy);
    }

    @Test
    void shouldGiveProducerIds()
    {
        scene.compare("idempotent", INIT_PRODUCER_ID, 0, 5, (side, version) -> idempotent());
        scene.compare("again", INIT_PRODUCER_ID, 3, 5, (side, version) ->
            idempotent().setProducerId(7).setProducerEpoch((short)1));
        scene.compare("without an epoch", INIT_PRODUCER_ID, 3, 5, (side, version) -> idempotent().setProducerId(7));
        scene.compare("without an id", INIT_PRODUCER_ID, 3, 5, (side, version) ->
            idempotent().setProducerEpoch((short)7));
    }

    @Test
    void shouldAppendInAllVersions()
    {
        for (final short acks : new short[]{ACKS_ALL, 1})
        {
            scene.compare("plain", PRODUCE, FIRST, LAST, (side, version) ->
                request(version, TOPIC, acks, to(0, plain(3)), to(1, plain(1))));
            scene.compare("with an id", PRODUCE, FIRST, LAST, (side, version) ->
                request(version, TOPIC, acks, to(2, batch(100 + acks, FIRST_EPOCH, (version - FIRST) * 2, 2))));
            scene.compare("compressed", PRODUCE, FIRST, LAST, (side, version) -> request(version, TOPIC, acks,
                to(0, MemoryRecords.withRecords(Compression.lz4().build(), values(9)))));
        }
        scene.compare("acks 2", PRODUCE, FIRST, LAST, (side, version) ->
            request(version, TOPIC, (short)2, to(0, plain(3))));
    }

    @Test
    void shouldRefuseWhatDoesNotExist()
    {
        scene.compare("unknown topic", PRODUCE, FIRST, LAST, (side, version) ->
            request(version, "unknown", ACKS_ALL, to(0, plain(1))));
        scene.compare("unknown partition", PRODUCE, FIRST, LAST, (side, version) ->
            request(version, TOPIC, ACKS_ALL, to(9, plain(1)), to(0, plain(1)), to(-1, plain(1))));
    }

    /** With a checksum that fits. */
    private static MemoryRecords withEpoch(final MemoryRecords records, final int epoch)
    {
        final ByteBuffer copy = ByteBuffer.allocate(records.sizeInBytes()).put(records.buffer().duplicate()).flip();
        copy.putShort(EPOCH_INDEX, (short)epoch);
        final CRC32C crc = new CRC32C();
        crc.update(copy.duplicate().position(CRC_INDEX + Integer.BYTES));
        return MemoryRecords.readableRecords(copy.putInt(CRC_INDEX, (int)crc.getValue()));
    }

    /** A producer takes another id instead. */
    @Test
    void shouldRefuseNegativeEpochs()
    {
        final long id = nextProducerId++;
        compare("of an unknown producer", 0, withEpoch(batch(id, 0, 0, 2), Short.MIN_VALUE));
        compare("the last one", 0, batch(id, Short.MAX_VALUE, 0, 2));
        compare("after the last one", 0, withEpoch(batch(id, 0, 0, 2), Short.MIN_VALUE));
    }

    @Test
    void shouldCheckSequences()
    {
        for (int partition = 0; partition < 2; partition++)
        {
            final long id = nextProducerId++;
            for (int i = 0; i < 7; i++)
            {
                compare("batch " + i, partition, batch(id, 3, 2 * i, 2));
            }
            for (int i = 0; i < 7; i++)
            {
                compare("batch " + i + " again", partition, batch(id, 3, 2 * i, 2));
            }
            compare("other end", partition, batch(id, 3, 12, 3));
            compare("part of one", partition, batch(id, 3, 13, 1));
            compare("gap", partition, batch(id, 3, 15, 1));
            compare("earlier epoch", partition, batch(id, 2, 14, 1));
            compare("earlier epoch, duplicate", partition, batch(id, 2, 12, 2));
            compare("later epoch, next sequence", partition, batch(id, 4, 14, 1));
            compare("later epoch", partition, batch(id, 4, 0, 1));
            compare("later epoch again", partition, batch(id, 4, 0, 1));
            compare("epoch of before", partition, batch(id, 3, 12, 2));
            compare("next", partition, batch(id, 4, 1, 4));
        }
    }

    @Test
    void shouldBeginAnywhereWithAnUnknownProducer()
    {
        final long id = nextProducerId++;
        compare("first", 0, batch(id, 5, 10, 2));
        compare("next", 0, batch(id, 5, 12, 2));
        compare("before", 0, batch(id, 5, 8, 2));
        compare("other partition", 1, batch(id, 5, 99, 2));
    }

    @Test
    void shouldWrapSequences()
    {
        final long id = nextProducerId++;
        compare("last", 0, batch(id, 0, Integer.MAX_VALUE - 1, 2));
        compare("first again", 0, batch(id, 0, 0, 1));
        compare("within a batch", 1, batch(id, 0, Integer.MAX_VALUE - 1, 4));
        compare("after it", 1, batch(id, 0, 2, 1));
        compare("again", 1, batch(id, 0, Integer.MAX_VALUE - 1, 4));
    }

    @Test
    void shouldRefuseBadBatches()
    {
        final MemoryRecords good = batch(nextProducerId++, 0, 0, 3);
        compare("checksum", 0, changed(good, CRC_INDEX, 1));
        compare("count, with the checksum of before", 0, changed(good, COUNT_INDEX, 4));
        compare("base offset", 0, MemoryRecords.withRecords(5L, Compression.NONE, values(1)));
        compare("too large", 0, MemoryRecords.withRecords(Compression.NONE,
            new SimpleRecord(1_000, null, new byte[MAX_MESSAGE_BYTES])));
        compare("old format", 0, MemoryRecords.withRecords((byte)1, Compression.NONE, values(1)));
        compare("no batch", 0, MemoryRecords.EMPTY);
        compare("not changed", 0, good);
        scene.compare("zstd", PRODUCE, FIRST, LAST, (side, version) -> request(version, TOPIC, ACKS_ALL,
            to(0, MemoryRecords.withRecords(Compression.zstd().build(), values(5)))));
    }
}
