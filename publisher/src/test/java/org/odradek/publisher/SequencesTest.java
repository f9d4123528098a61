// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ProduceResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.record.RecordBatchFlyweight;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is sent after each kind of answer, and after none: the rules of an idempotent producer. */
class SequencesTest
{
    private static final String P0 = "0: 4711, epoch ";

    private static List<String> numbers(final ProducingBroker broker)
    {
        return broker.sent.stream().map(ProducingBroker.Sent::numbers).collect(Collectors.toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 8, 9, 10, 12, 13})
    void shouldCountTheSequencesOfEachPartition(final int version)
    {
        try (ProducingBroker broker = ProducingBroker.start(2, version); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a", "b");
            client.offer(1, "c");
            client.acknowledge();
            client.offer(0, "d");
            client.acknowledge();

            assertEquals(List.of(P0 + "0, sequence 0, count 2", "1: 4711, epoch 0, sequence 0, count 1",
                P0 + "0, sequence 2, count 1"), numbers(broker));
            assertEquals(List.of((short)-1, (short)-1), broker.acks);
            assertEquals(List.of("acknowledged 0: 1+2", "acknowledged 1: 1+1", "acknowledged 0: 3+1"), client.events);
            assertEquals(3, client.topic().acknowledgedPosition(0));
        }
    }

    // Behaviour Q215, tried 2026-11-29: A resend has the same sequence, boundaries and bytes. In another cluster, a
    // resend has a new producer id and the sequence of this id.
    @Test
    void shouldSendTheSameBytesAgainAfterALostAnswer()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.lose();
            client.offer(0, "a", "b");
            client.workUntil(() -> broker.sent.size() == 1);
            client.offer(0, "c");
            client.acknowledge();

            assertArrayEquals(broker.sent.get(0).bytes(), broker.sent.get(1).bytes());
            assertEquals(List.of(P0 + "0, sequence 0, count 2", P0 + "0, sequence 0, count 2",
                P0 + "0, sequence 2, count 1"), numbers(broker));
            assertEquals(1, client.counter(PublisherCounters.BATCHES_RESENT));
        }
    }

    /** A batch is compressed once; under another epoch only its numbers and its checksum differ. */
    // Behaviour Q215.
    @Test
    void shouldSendTheSameCompressedRecordsAgain()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).compression(Compression.ZSTD), ProducingBroker.TOPIC))
        {
            broker.lose().answer(0, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
            client.offer(0, "a".repeat(1_000), "b".repeat(1_000));
            client.acknowledge();

            assertEquals(List.of(P0 + "0, sequence 0, count 2", P0 + "0, sequence 0, count 2",
                P0 + "1, sequence 0, count 2"), numbers(broker));
            assertTrue(broker.sent.get(0).bytes().length < 200);
            assertArrayEquals(broker.sent.get(0).bytes(), broker.sent.get(1).bytes());
            assertArrayEquals(records(broker.sent.get(0)), records(broker.sent.get(2)));
        }
    }

    private static byte[] records(final ProducingBroker.Sent sent)
    {
        return Arrays.copyOfRange(sent.bytes(), RecordBatchFlyweight.HEADER_LENGTH, sent.bytes().length);
    }

    /** Brokers before 2.1 (KIP-110). */
    @Test
    void shouldStopBeforeZstdIsSentToABrokerThatDoesNotKnowIt()
    {
        try (ProducingBroker broker = ProducingBroker.start(1, 6);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).compression(Compression.ZSTD), ProducingBroker.TOPIC))
        {
            client.offer(0, "a");
            client.workUntil(() -> client.topic().isStopped(0));

            assertEquals(List.of("failed 0: 1+1 REFUSED " + ErrorCode.UNSUPPORTED_COMPRESSION_TYPE), client.events);
            assertEquals(List.of(), broker.sent);
            final long requests = client.counter(PublisherCounters.REQUESTS);
            client.topic().skipFailed(0);
            client.offer(0, "b");
            client.workUntil(() -> client.topic().isStopped(0));
            assertEquals(requests, client.counter(PublisherCounters.REQUESTS));
        }
    }

    // Behaviour Q215, Q217.
    @ParameterizedTest
    @ValueSource(shorts = {ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_SERVER_ERROR,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.KAFKA_STORAGE_ERROR})
    void shouldSendTheSameBytesAgainAfterARetriableError(final short errorCode)
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.answer(0, errorCode).answer(0, errorCode);
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(3, broker.sent.size());
            assertArrayEquals(broker.sent.get(0).bytes(), broker.sent.get(2).bytes());
            assertEquals(List.of("acknowledged 0: 1+1"), client.events);
        }
    }

    // Behaviour Q216, tried 2026-11-29: A batch that the broker already has is a success, perhaps without an offset.
    @Test
    void shouldTakeADuplicateAsSuccessWithoutOffset()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.answer(0, ErrorCode.DUPLICATE_SEQUENCE_NUMBER);
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(List.of("acknowledged 0: 1+1 without offset"), client.events);
            assertEquals(1, broker.sent.size());
        }
    }

    // Behaviour Q217, tried 2026-11-29: The epoch is raised for one partition only, and only in three cases: the broker
    // has refused the sequence of its first batch, a batch was given up that may have been written, or the topic was
    // created again. After the last epoch the publisher requests a new producer id.
    @ParameterizedTest
    @ValueSource(shorts = {ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID})
    void shouldBumpTheEpochOfOnePartitionOnly(final short errorCode)
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.offer(1, "b");
            client.acknowledge();
            broker.answer(0, errorCode);
            client.offer(0, "c");
            client.acknowledge();
            client.offer(0, "d");
            client.offer(1, "e");
            client.acknowledge();

            assertEquals(List.of(P0 + "0, sequence 0, count 1", P0 + "0, sequence 1, count 1",
                P0 + "1, sequence 0, count 1", P0 + "1, sequence 1, count 1"),
                numbers(broker).stream().filter((text) -> text.startsWith("0")).toList());
            assertEquals("1: 4711, epoch 0, sequence 1, count 1",
                numbers(broker).stream().filter((text) -> text.startsWith("1")).reduce((a, b) -> b).orElseThrow());
            assertEquals(1, client.counter(PublisherCounters.EPOCH_BUMPS));
            assertEquals(1, broker.idCount());
        }
    }

    // Behaviour Q217.
    @Test
    void shouldTakeANewIdAfterTheLastEpoch()
    {
        try (ProducingBroker broker = ProducingBroker.start(2).id(9, Short.MAX_VALUE, 0);
            Publishing client = Publishing.start(broker))
        {
            client.offer(1, "a");
            client.acknowledge();
            broker.answer(0, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
            client.offer(0, "b");
            client.acknowledge();
            client.offer(1, "c");
            client.acknowledge();

            assertEquals(List.of("1: 9, epoch 32767, sequence 0, count 1", "0: 9, epoch 32767, sequence 0, count 1",
                P0 + "0, sequence 0, count 1", "1: 9, epoch 32767, sequence 1, count 1"), numbers(broker));
        }
    }

    /** In another cluster the id is that of another producer, whose batches ours would be taken for. */
    // Behaviour Q215.
    @Test
    void shouldTakeANewIdInAnotherCluster()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.acknowledge();
            broker.change(() -> broker.cluster().clusterId("another"));
            // Metadata is requested again and again.
            broker.always((call, response) ->
            {
                response.responses().forEach((topic) -> topic.partitionResponses().forEach((partition) ->
                    partition.setErrorCode(broker.idCount() == 1 ? ErrorCode.NOT_LEADER_OR_FOLLOWER : ErrorCode.NONE)));
                return call.answer(response);
            });
            client.offer(0, "b");
            client.acknowledge();

            assertEquals(P0 + "0, sequence 0, count 1", broker.sent.get(0).numbers());
            assertEquals(P0 + "0, sequence 1, count 1", broker.sent.get(1).numbers());
            assertEquals("0: 4712, epoch 0, sequence 0, count 1", broker.sent.get(broker.sent.size() - 1).numbers());
            assertEquals(2, broker.idCount());
        }
    }

    /** The broker refuses the version probe, which names the cluster of before. */
    // Behaviour Q215.
    @Test
    void shouldTakeANewIdAfterARebootstrapIntoAnotherCluster()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.acknowledge();
            broker.change(() -> broker.cluster().clusterId("another"));
            broker.lose();
            client.offer(0, "b");
            client.acknowledge();

            assertEquals(List.of(P0 + "0, sequence 0, count 1", P0 + "0, sequence 1, count 1",
                "0: 4712, epoch 0, sequence 0, count 1"), numbers(broker));
        }
    }

    /** As after a connection that was lost, or a rebootstrap because no broker has answered. */
    // Behaviour Q215.
    @Test
    void shouldHaveTheSameIdInTheSameCluster()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.lose().answer(0, ErrorCode.NOT_LEADER_OR_FOLLOWER);
            client.offer(0, "a");
            client.acknowledge();
            client.offer(0, "b");
            client.acknowledge();

            assertEquals(P0 + "0, sequence 1, count 1", broker.sent.get(broker.sent.size() - 1).numbers());
            assertEquals(1, broker.idCount());
        }
    }

    // Behaviour Q220, tried 2026-11-29: After a failure the partition stops: no later position is acknowledged before
    // `skipFailed`. `skipAll` also gives up all other records of the partition, and frees their memory. A wait for
    // acknowledgements does not spin while a partition has stopped. The listener receives the position of the record
    // that the broker names, and the message of the broker.
    // Behaviour Q212.
    @Test
    void shouldStopAtARefusedBatchUntilItIsSkipped()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.acknowledge();
            broker.answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            client.offer(0, "b", "c");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            assertEquals(OfferResult.STOPPED, client.tryOffer(0, "d"));
            assertEquals(1, client.topic().acknowledgedPosition(0));
            assertTrue(client.topic().isStopped(0));
            assertEquals(List.of("acknowledged 0: 1+1", "failed 0: 2+2 REFUSED 10"), client.events);
            assertEquals(1, client.errors.size(), client.errors::toString);

            client.topic().skipFailed(0);
            client.offer(0, "e");
            client.acknowledge();

            assertEquals(4, client.topic().acknowledgedPosition(0));
            // What was refused has used up no sequence.
            assertEquals(List.of(P0 + "0, sequence 0, count 1", P0 + "0, sequence 1, count 2",
                P0 + "0, sequence 1, count 1"), numbers(broker));
        }
    }

    /** A broker may still have the request, and execute it at any time. The newer epoch fences it off. */
    // Behaviour Q217, Q221.
    @Test
    void shouldNotUseAnEpochAgainInWhichABatchMayHaveBeenWritten()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.lose().answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            client.offer(0, "a");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
            client.topic().skipFailed(0);
            client.offer(0, "b");
            client.acknowledge();

            assertEquals("failed 0: 1+1 REFUSED 10 maybe written", client.events.get(0));
            assertEquals(List.of(P0 + "0, sequence 0, count 1", P0 + "0, sequence 0, count 1",
                P0 + "1, sequence 0, count 1"), numbers(broker));
        }
    }

    /** A later broker may answer so after the append. */
    @Test
    void shouldReportABatchWithAnErrorThatIsNotKnownAsUnknown()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.answer(0, 999);
            client.offer(0, "a");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
            client.topic().skipFailed(0);
            client.offer(0, "b");
            client.acknowledge();

            assertEquals("failed 0: 1+1 REFUSED 999 maybe written", client.events.get(0));
            assertEquals(List.of(P0 + "0, sequence 0, count 1", P0 + "1, sequence 0, count 1"), numbers(broker));
        }
    }

    /** The disk of the leader may have failed after the append. */
    @Test
    void shouldSayThatALeaderWhoseDiskHasFailedMayHaveAppendedABatch()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).acks(Acks.LEADER), ProducingBroker.TOPIC))
        {
            broker.answer(0, ErrorCode.KAFKA_STORAGE_ERROR).answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            client.offer(0, "a");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            assertEquals(List.of("failed 0: 1+1 REFUSED 10 maybe written"), client.events);
        }
    }

    // Behaviour Q221, tried 2026-11-30: Batches expire in real time. A batch that may have been written is reported as
    // such when it expires, and the epoch of its producer id is not used again. If the broker executes requests late,
    // neither an expired batch nor a later one is in the log twice.
    @Test
    void shouldReportAnExpiredBatchThatWasSentAsUnknown()
    {
        final int timeoutMs = 30_000;
        final long[] skippedNs = {0};
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(Publishing.context(broker.address()).requestTimeoutMs(timeoutMs)
                .deliveryTimeoutMs(timeoutMs).nanoClock(() -> System.nanoTime() + skippedNs[0]), ProducingBroker.TOPIC))
        {
            broker.script((call, response) -> Answer.never()).always((call, response) -> Answer.close());
            client.offer(0, "a");
            client.workUntil(() -> broker.sent.size() == 1);
            client.offer(0, "b");
            skippedNs[0] = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            assertEquals("failed 0: 1+1 EXPIRED 0 maybe written", client.events.get(0));
        }
    }

    @Test
    void shouldFailWithTheAclWhereNoIdIsGiven()
    {
        try (ProducingBroker broker = ProducingBroker.start(1).id(-1, -1, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
            .id(-1, -1, ErrorCode.CLUSTER_AUTHORIZATION_FAILED);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            client.workUntil(() -> client.topic().partitionCount() == 1 && client.errors.size() == 1);
            client.offer(0, "a");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            assertTrue(client.errors.get(0).contains("ACL IdempotentWrite"), client.errors::toString);
            assertEquals(1, client.errors.size());
            assertEquals(List.of("failed 0: 1+1 NO_PRODUCER_ID 31"), client.events);

            client.topic().skipFailed(0);
            client.offer(0, "b");
            client.acknowledge();
        }
    }

    @Test
    void shouldSendAgainWhatAResponseLeavesOut()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            broker.script((call, response) ->
            {
                response.responses().forEach((topic) -> topic.partitionResponses().remove(1));
                return call.answer(response);
            });
            client.offer(0, "a");
            client.offer(1, "b");
            client.acknowledge();

            assertEquals(3, broker.sent.size());
            assertEquals(List.of("acknowledged 0: 1+1", "acknowledged 1: 1+1"), client.events);
        }
    }

    @Test
    void shouldFollowALeaderThatAResponseNames()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); ProducingBroker other = broker.another(2);
            Publishing client = Publishing.start(broker))
        {
            broker.script((call, response) ->
            {
                broker.change(() -> broker.cluster().topic(ProducingBroker.TOPIC).partitions().get(0)
                    .replicas(List.of(2)));
                broker.change(() -> broker.cluster().topic(ProducingBroker.TOPIC).partitions().get(0).elect(2));
                final int epoch = broker.cluster().topic(ProducingBroker.TOPIC).partitions().get(0).leaderEpoch();
                response.responses().forEach((topic) -> topic.partitionResponses().get(0)
                    .setErrorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER).setBaseOffset(-1)
                    .setCurrentLeader(new ProduceResponseData.LeaderIdAndEpoch().setLeaderId(2).setLeaderEpoch(epoch)));
                response.nodeEndpoints().add(new ProduceResponseData.NodeEndpoint().setNodeId(2).setHost("127.0.0.1")
                    .setPort(other.port()));
                return call.answer(response);
            });
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(1, broker.sent.size());
            assertArrayEquals(broker.sent.get(0).bytes(), other.sent.get(0).bytes());
        }
    }

    @Test
    void shouldHaveNoSequencesWithAcksOfTheLeader()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).acks(Acks.LEADER), ProducingBroker.TOPIC))
        {
            client.offer(0, "a");
            client.acknowledge();
            broker.answer(0, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
            client.offer(0, "b");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            assertEquals("0: -1, epoch -1, sequence -1, count 1", broker.sent.get(0).numbers());
            assertEquals(List.of((short)1, (short)1), broker.acks);
            assertEquals(0, broker.requestCount(ApiMessageType.INIT_PRODUCER_ID));
            assertEquals("failed 0: 2+1 REFUSED 45", client.events.get(1));
        }
    }

    /** By requests that name the topic, and by those that have its id. Partition 1 has nothing open, and continues. */
    // Behaviour Q222, tried 2026-11-29: When metadata shows that the topic was deleted and created again, all batches
    // that are not acknowledged fail.
    // Behaviour Q217.
    @ParameterizedTest
    @CsvSource({"12, " + ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "13, " + ErrorCode.UNKNOWN_TOPIC_ID})
    void shouldFailWhatIsOpenWhenTheTopicIsAnotherOne(final int version, final short errorCode)
    {
        try (ProducingBroker broker = ProducingBroker.start(3, version); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.acknowledge();
            client.offer(1, "a");
            client.acknowledge();
            broker.always((call, response) ->
            {
                ProducingBroker.error(2, errorCode).apply(call, response);
                return ProducingBroker.error(0, errorCode).apply(call, response);
            });
            broker.createTopic(ProducingBroker.TOPIC, 3);
            client.offer(0, "b");
            client.offer(2, "b");
            client.workUntil(() -> client.topic().isStopped(0) && client.topic().isStopped(2));
            assertEquals(4, client.events.size(), client.events::toString);
            for (final String failed : List.of("failed 0: 2+1", "failed 2: 1+1"))
            {
                assertTrue(client.events.contains(failed + " TOPIC_RECREATED " + errorCode + " maybe written"),
                    client.events::toString);
            }
            assertFalse(client.topic().isStopped(1));
            broker.always(null);
            client.topic().skipFailed(0);
            client.topic().skipFailed(2);
            client.offer(0, "c");
            client.acknowledge();
            // What is on its way may be written into the new topic: its numbers are not used again.
            assertEquals(P0 + "1, sequence 0, count 1", broker.sent.get(broker.sent.size() - 1).numbers());
            client.offer(1, "d");
            client.acknowledge();
            assertEquals("1: 4711, epoch 1, sequence 0, count 1",
                broker.sent.get(broker.sent.size() - 1).numbers());
            assertEquals(3, client.counter(PublisherCounters.EPOCH_BUMPS));
        }
    }
}
