// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.harness.model.BrokerHooks;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelBroker;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelConnection;
import org.odradek.harness.model.ModelRequest;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A broker with one topic of one partition for one consumer, without a system call. What the test kit's model of a
 * broker answers to the first fetch is the answer to all others: only the correlation id and the base offsets of the
 * batches are renewed, so that the log seems to go on without end. (A batch's checksum does not cover its base offset.)
 * For our consumer it stands where the sockets of the system would: each is connected and ready at once.
 */
final class RecordedBroker implements Poller
{
    static final String TOPIC = "recorded";
    static final String HOST = "127.0.0.1";
    static final int PORT = 9092;
    /** The length in bytes of the size field of a frame. */
    static final int SIZE_LENGTH = 4;

    private static final int API_KEY_INDEX = 4;
    private static final int CORRELATION_ID_INDEX = 8;
    private static final int ANSWER_CORRELATION_ID_INDEX = 4;

    private final RecordedBatches batches;
    private final ModelConnection connection;
    private ByteBuffer fetchAnswer;
    private int recordsIndex;
    private int correlationId;
    private long firstOffset;

    RecordedBroker(final RecordedBatches batches)
    {
        this.batches = batches;
        final ModelBroker broker = new ModelCluster(() -> 0).addBroker(1, HOST, PORT, BrokerRelease.NEWEST);
        broker.cluster().createTopic(TOPIC, 1, 1);
        // No fetch session: each fetch names its partition, and each answer holds it.
        broker.sessions().grant(0);
        broker.hooks(new BrokerHooks()
        {
            @Override
            public PartitionData fetched(
                final ModelRequest request, final String topic, final FetchPartition requested)
            {
                return new PartitionData().setHighWatermark(Long.MAX_VALUE).setLastStableOffset(Long.MAX_VALUE)
                    .setLogStartOffset(0).setRecords(MemoryRecords.readableRecords(batches.bytes()));
            }
        });
        connection = broker.connect();
    }

    /**
     * @param request a whole request, its size in front, from the buffer's position to its limit.
     * @return a whole frame, its size in front, from index 0 to its limit; the same one for each fetch.
     */
    ByteBuffer answerTo(final ByteBuffer request)
    {
        final int index = request.position();
        final boolean isFetch = request.getShort(index + API_KEY_INDEX) == ApiKeys.FETCH.id;
        if (isFetch && fetchAnswer != null)
        {
            correlationId = request.getInt(index + CORRELATION_ID_INDEX);
            firstOffset += batches.recordCount();
            renew(fetchAnswer, 0);
            return fetchAnswer;
        }
        connection.request(request.slice(index + SIZE_LENGTH, request.remaining() - SIZE_LENGTH));
        final ByteBuffer answer = connection.response();
        if (isFetch)
        {
            fetchAnswer = answer;
            recordsIndex = indexOf(batches.bytes(), answer);
        }
        return answer;
    }

    /** Makes an earlier answer at this index the last one: its batches begin where those of the one before ended. */
    private void renew(final ByteBuffer buffer, final int index)
    {
        buffer.putInt(index + ANSWER_CORRELATION_ID_INDEX, correlationId);
        long baseOffset = firstOffset;
        for (final int batchIndex : batches.indexes())
        {
            buffer.putLong(index + recordsIndex + batchIndex, baseOffset);
            baseOffset += batches.recordCount() / batches.indexes().length;
        }
    }

    /** The record set is the last of the answer, but for the tagged fields that end it. */
    private static int indexOf(final ByteBuffer records, final ByteBuffer answer)
    {
        int index = answer.limit() - records.limit();
        while (answer.slice(index, records.limit()).mismatch(records) >= 0)
        {
            index--;
        }
        return index;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return new RecordedSocket();
    }

    /** There is always an answer to be read. */
    @Override
    public int await(final long timeoutNs)
    {
        return 1;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "recorded";
    }

    @Override
    public void close()
    {
    }

    /**
     * The answer to a fetch is copied into the receive buffer only the first time and stays there, as if the kernel had
     * just written it; then it is renewed.
     */
    private final class RecordedSocket implements PolledSocket
    {
        private ByteBuffer answer;
        private ByteBuffer copied;
        private ByteBuffer copiedInto;

        @Override
        public boolean connect(final InetSocketAddress address)
        {
            return true;
        }

        @Override
        public boolean finishConnect()
        {
            return true;
        }

        @Override
        public int send(final ByteBuffer buffer)
        {
            final int length = buffer.remaining();
            answer = answerTo(buffer);
            buffer.position(buffer.limit());
            return length;
        }

        @Override
        public int receive(final ByteBuffer buffer)
        {
            if (answer == null)
            {
                return NOTHING;
            }
            final int index = buffer.position();
            if (answer == copied && buffer == copiedInto)
            {
                renew(buffer, index);
            }
            else
            {
                buffer.put(index, answer, 0, answer.limit());
                copied = answer;
                copiedInto = buffer;
            }
            answer = null;
            buffer.position(index + copied.limit());
            return copied.limit();
        }

        @Override
        public void readInterest(final boolean on)
        {
        }

        @Override
        public void writeInterest(final boolean on)
        {
        }

        @Override
        public boolean isReady()
        {
            return true;
        }

        @Override
        public void clearReady()
        {
        }

        @Override
        public int receiveBufferLength()
        {
            return 0;
        }

        @Override
        public void close()
        {
        }
    }
}
