// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Tests responses over two connections to one broker. */
class FetchResponseReaderTest
{
    private static final int NODE = 1;
    private static final int P = 0;
    private static final String TOPIC = "topic";
    /** The newest version with topic names. */
    private static final short VERSION = 12;
    private static final int HEADER_TAGS_LENGTH = 1;

    private final ConsumerSettings settings = new ConsumerSettings();
    private final PartitionTable table = new PartitionTable(settings);
    private final Environment environment = new Environment(settings, null, new DutyClock(() -> 0, () -> 0),
        UnlimitedMemory.budget(0), new CounterWriter(), ConsumerListener.NONE, (error) -> {});
    private final Connection first = new Connection();
    private final Connection second = new Connection();

    FetchResponseReaderTest()
    {
        settings.topic = TOPIC;
        table.ensureCapacity(1);
        table.leader(P, NODE, 0);
        table.assignAtOffset(P, 100, PartitionTable.NULL_EPOCH);
    }

    private final class Connection
    {
        private final FetchSession session = new FetchSession(1);
        private final FetchResponseReader reader = new FetchResponseReader(NODE, new TopicIdentity(TOPIC),
            new PartitionErrors(table, environment), table, session, environment);

        void request()
        {
            session.ensureCapacity(1);
            session.hold(P, table.nextOffset(P), table.leaderEpoch(P), table.generation(P));
        }

        void respond(final long highWatermark)
        {
            final FetchResponseData data = new FetchResponseData().setResponses(List.of(new FetchableTopicResponse()
                .setTopic(TOPIC).setPartitions(List.of(new PartitionData().setPartitionIndex(P)
                .setHighWatermark(highWatermark).setLastStableOffset(highWatermark).setLogStartOffset(0)))));
            final ByteBuffer bytes = MessageUtil.toByteBufferAccessor(data, VERSION).buffer();
            final RecordMemory memory = new RecordMemory(HEADER_TAGS_LENGTH + bytes.remaining());
            memory.buffer().putBytes(HEADER_TAGS_LENGTH, bytes, bytes.remaining());
            reader.begin(memory, 0, memory.capacity(), true, VERSION);
            reader.readPartitions();
        }
    }

    @Test
    void shouldStoreTheHighWatermarkOfAResponseThatASeekMadeOutdated()
    {
        first.request();
        table.seek(P, 50);
        first.respond(200);

        assertEquals(200, table.partition(P).highWatermark());
    }

    @Test
    void shouldNotReplaceTheHighWatermarkByThatOfAnOlderRequest()
    {
        first.request();
        table.seek(P, 50);
        second.request();
        second.respond(300);
        first.respond(200);

        assertEquals(300, table.partition(P).highWatermark());
    }
}
