// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.Internals;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

import static org.apache.kafka.common.message.ApiMessageType.OFFSET_FOR_LEADER_EPOCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests a leader with a new epoch that has the log of the old one or another. Partition 1 is read from an offset
 * without a known epoch, so it is never validated and shows that other partitions continue.
 */
class TruncationTest
{
    private static final int NEW_EPOCH = OneTopicBroker.LEADER_EPOCH + 1;
    private static final int MORE_FETCHES = 10;
    private static final String STOPPED = "stopped 0 at 4 for TRUNCATED error 0";

    private final List<OffsetForLeaderPartition> checks = new CopyOnWriteArrayList<>();
    private final CountDownLatch isReleased = new CountDownLatch(1);
    private OneTopicBroker broker;
    private Reading reading;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2).append(0, "a", "b").append(0, "c", "d");
        answerChecks((requested) -> null);
    }

    @AfterEach
    void close()
    {
        isReleased.countDown();
        reading.close();
        broker.close();
    }

    private ConsumerContext context()
    {
        return Reading.context(broker).startPosition(1, StartPosition.offset(0));
    }

    private void readAll(final OffsetResetPolicy policy)
    {
        reading = Reading.start(context().offsetResetPolicy(policy));
        reading.untilCount(0, 4);
    }

    /** Responds from the log where the script returns null. */
    private void answerChecks(final Function<OffsetForLeaderPartition, EpochEndOffset> script)
    {
        broker.script(OFFSET_FOR_LEADER_EPOCH, (call) ->
        {
            final OffsetForLeaderEpochResponseData response =
                (OffsetForLeaderEpochResponseData)broker.model().usual(call);
            final List<EpochEndOffset> ends = response.topics().find(OneTopicBroker.TOPIC).partitions();
            final List<OffsetForLeaderPartition> requested = ((OffsetForLeaderEpochRequestData)call.request())
                .topics().find(OneTopicBroker.TOPIC).partitions();
            for (int i = 0; i < requested.size(); i++)
            {
                checks.add(requested.get(i));
                final EpochEndOffset scripted = script.apply(requested.get(i));
                ends.set(i, scripted == null ? ends.get(i) : scripted);
            }
            return call.answer(response);
        });
    }

    private EpochEndOffset afterRelease(final EpochEndOffset answer)
    {
        awaitQuietly(isReleased);
        return answer;
    }

    private static EpochEndOffset end(final int partition, final int errorCode, final int epoch, final long endOffset)
    {
        return new EpochEndOffset().setPartition(partition).setErrorCode((short)errorCode)
            .setLeaderEpoch(epoch).setEndOffset(endOffset);
    }

    private void failOver(final Runnable change)
    {
        broker.change(() ->
        {
            change.run();
            broker.lead(NEW_EPOCH);
        });
    }

    private void loseTwo()
    {
        failOver(() ->
        {
            broker.truncate(0, 2);
            broker.append(NEW_EPOCH, 0, new String[]{"e", "f", "g"});
        });
    }

    private void untilOthersContinue()
    {
        final int before = broker.fetchCount(1);
        reading.until("other partitions to continue", () -> broker.fetchCount(1) > before + MORE_FETCHES);
    }

    private long counter(final int id)
    {
        return reading.consumer().counters().get(id);
    }

    // Behaviour L142, tried 2026-11-29: When the leader epoch of a partition changes, its next records are delivered
    // only after the new leader has confirmed the offset.
    @Test
    void shouldReadOnOnlyAfterTheNewLeaderHasValidatedTheOffset()
    {
        answerChecks((requested) ->
        {
            awaitQuietly(isReleased);
            return null;
        });
        readAll(OffsetResetPolicy.fail());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.until("the request", () -> checks.size() == 1);
        untilOthersContinue();
        final int before = broker.fetchCount(0); // including the fetch in flight

        untilOthersContinue();
        assertEquals(before, broker.fetchCount(0));
        assertEquals(4, reading.count(0));
        isReleased.countDown();
        reading.untilCount(0, 5);

        assertEquals(List.of("a", "b", "c", "d", "e"), reading.values(0));
        assertEquals(List.of(), reading.turns());
        assertEquals(OneTopicBroker.LEADER_EPOCH, checks.get(0).leaderEpoch());
        assertEquals(NEW_EPOCH, checks.get(0).currentLeaderEpoch());
        assertEquals(1, checks.size());
        assertTrue(reading.hasEvent("leader of 0 is 7 epoch 6"), () -> reading.events().toString());
    }

    // Behaviour L144, tried 2026-11-29: If the new leader's log ends before the offset, the partition stops with the
    // policy `fail`. With any other policy it continues at the offset of divergence.
    @Test
    void shouldStopWhenTheNewLeaderHasLostRecordsThatWereRead()
    {
        readAll(OffsetResetPolicy.fail());
        loseTwo();
        reading.until("the stop", () -> reading.hasEvent("stopped"));

        untilOthersContinue();
        assertEquals(List.of("truncation of 0 at 4 from 2 epoch 5", STOPPED), reading.turns());
        assertEquals(1, counter(ConsumerCounters.TRUNCATIONS));
        assertEquals(0, counter(ConsumerCounters.RESETS));
        final String error = reading.errors().get(0);
        assertTrue(error.contains("Partition 0 of topic scripted at offset 4, from broker 7, stopped") &&
            error.contains("truncated") && error.contains("offset 2"), error);
        assertEquals(1, reading.errors().size());

        reading.consumer().seek(0, 2);
        reading.forget(0);
        reading.untilCount(0, 3);
        assertEquals(List.of("e", "f", "g"), reading.values(0));
    }

    static Stream<OffsetResetPolicy> policies()
    {
        return Stream.of(OffsetResetPolicy.earliest(), OffsetResetPolicy.latest(), OffsetResetPolicy.nearest(),
            OffsetResetPolicy.byDuration(Duration.ofHours(1)));
    }

    // Behaviour L144.
    @ParameterizedTest
    @MethodSource("policies")
    void shouldContinueAtTheOffsetOfDivergenceUnderAnyOtherPolicy(final OffsetResetPolicy policy)
    {
        readAll(policy);
        loseTwo();
        reading.until("the reset", () -> reading.hasEvent("reset"));
        reading.untilCount(0, 3);

        assertEquals(List.of("e", "f", "g"), reading.values(0));
        assertEquals(List.of(2L, 3L, 4L), reading.offsets(0));
        assertEquals(List.of("truncation of 0 at 4 from 2 epoch 5", "reset 0 from 4 to 2"), reading.turns());
        assertEquals(1, counter(ConsumerCounters.TRUNCATIONS));
        assertEquals(1, counter(ConsumerCounters.RESETS));
        assertEquals(0, counter(ConsumerCounters.GAPS));
        assertEquals(List.of(), reading.errors());
    }

    // Behaviour L146.
    @Test
    void shouldLetAListenerChooseTheNextOffset()
    {
        readAll(OffsetResetPolicy.fail());
        reading.onTruncation(() -> reading.consumer().seek(0, 3));
        loseTwo();
        reading.until("the truncation", () -> reading.hasEvent("truncation"));
        reading.forget(0);
        reading.untilCount(0, 2);

        assertEquals(List.of("f", "g"), reading.values(0));
        assertEquals(List.of("truncation of 0 at 4 from 2 epoch 5"), reading.turns());
        assertEquals(List.of(), reading.errors());
    }

    @Test
    void shouldDetectATruncationThoughNothingWasDelivered()
    {
        reading = Reading.start(context().startPosition(0, StartPosition.latest()));
        reading.until("the end", () -> reading.hasEvent("caught up 0 at 4"));
        loseTwo();
        reading.until("the stop", () -> reading.hasEvent("stopped"));

        assertEquals(List.of("truncation of 0 at 4 from 2 epoch 5", STOPPED), reading.turns());
    }

    // Behaviour L145, tried 2026-11-29: An epoch that the new leader does not know counts as a truncation. The reset
    // policy then determines the next offset, or the partition stops with the policy `fail`.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTreatAnEpochUnknownToTheLeaderAsATruncation(final boolean isReset)
    {
        answerChecks((requested) -> end(0, 0, -1, -1));
        readAll(isReset ? OffsetResetPolicy.earliest() : OffsetResetPolicy.fail());
        loseTwo();
        reading.until("the end of the errors", () -> reading.turns().size() == 2);

        assertEquals(List.of("truncation of 0 at 4 from -1 epoch -1",
            isReset ? "reset 0 from 4 to 0" : STOPPED), reading.turns());
        if (isReset)
        {
            reading.untilCount(0, 5);
            assertEquals(List.of("a", "b", "e", "f", "g"), reading.values(0));
        }
        else
        {
            assertTrue(reading.hasError("does not know the leader epoch"), () -> reading.errors().toString());
        }
    }

    /** The present leader did not replicate what the last leader wrote, and an unclean election chose it. */
    // Behaviour L145.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDetectALogWithoutTheEpochOfTheRecordsThatWereRead(final boolean isReset)
    {
        answerChecks((requested) -> end(0, 0, OneTopicBroker.LEADER_EPOCH - 1, 6));
        readAll(isReset ? OffsetResetPolicy.latest() : OffsetResetPolicy.fail());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.until("the end of the errors", () -> reading.turns().size() == 2);

        assertEquals(List.of("truncation of 0 at 4 from 0 epoch 4", isReset ? "reset 0 from 4 to 0" : STOPPED),
            reading.turns());
    }

    /** The offset is that of a commit, and the broker was cut off from the controllers before. */
    @Test
    void shouldFindTheLaterLeaderWhenAFormerOneDoesNotHaveTheOffset()
    {
        readAll(OffsetResetPolicy.fail());
        Internals.table(reading.consumer()).seek(0, 5, NEW_EPOCH);
        final long before = counter(ConsumerCounters.PARTITION_ERRORS);
        reading.until("errors", () -> counter(ConsumerCounters.PARTITION_ERRORS) > before + 1);
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e", "f"}));
        reading.untilCount(0, 5);

        assertEquals(List.of("a", "b", "c", "d", "f"), reading.values(0));
        assertEquals(List.of(), reading.turns());
    }

    // Behaviour L147, tried 2026-11-29: A validation is repeated after a retriable error, and stops the partition
    // without a reset after any other error.
    @ParameterizedTest
    @ValueSource(ints = {-1, 3, 5, 6, 7, 29, 56, 74, 75, 78})
    void shouldRetryValidationAfterARetriableError(final int errorCode)
    {
        final AtomicInteger failures = new AtomicInteger();
        answerChecks((requested) -> failures.incrementAndGet() > 2 ? null : end(0, errorCode, -1, -1));
        readAll(OffsetResetPolicy.earliest());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.untilCount(0, 5);

        assertEquals(List.of("a", "b", "c", "d", "e"), reading.values(0));
        assertEquals(3, checks.size());
        assertEquals(List.of(), reading.turns());
        assertEquals(errorCode == 29 ? 1 : 0, reading.errors().size(), () -> reading.errors().toString());
    }

    // Behaviour L147.
    @ParameterizedTest
    @ValueSource(ints = {35, 42, 999})
    void shouldStopAndNotResetAfterAnErrorThatIsNotRetriable(final int errorCode)
    {
        answerChecks((requested) -> end(0, errorCode, -1, -1));
        readAll(OffsetResetPolicy.earliest());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.until("the stop", () -> reading.hasEvent("stopped"));

        untilOthersContinue();
        assertEquals(List.of("stopped 0 at 4 for BROKER_ERROR error " + errorCode), reading.turns());
        assertEquals(1, checks.size());
    }

    @Test
    void shouldReconnectAndRetryValidationAfterAMalformedResponse()
    {
        broker.script(OFFSET_FOR_LEADER_EPOCH, (call) ->
            broker.requestCount(OFFSET_FOR_LEADER_EPOCH) > 1 ? null : Answer.reply(new byte[]{0, 0, 0}));
        readAll(OffsetResetPolicy.fail());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.untilCount(0, 5);

        assertTrue(reading.hasError("OffsetForLeaderEpoch response from "), () -> reading.errors().toString());
        assertEquals(List.of(), reading.turns());
    }

    @Test
    void shouldRetryValidationWhenAResponseLeavesThePartitionOut()
    {
        broker.script(OFFSET_FOR_LEADER_EPOCH, (call) -> broker.requestCount(OFFSET_FOR_LEADER_EPOCH) > 2 ? null :
            call.answer(new OffsetForLeaderEpochResponseData()));
        readAll(OffsetResetPolicy.fail());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.untilCount(0, 5);

        assertEquals(3, broker.requestCount(OFFSET_FOR_LEADER_EPOCH));
        assertEquals(List.of(), reading.turns());
        assertEquals(List.of(), reading.errors());
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void shouldValidateInEveryVersion(final int version)
    {
        broker.maxVersion(OFFSET_FOR_LEADER_EPOCH, version);
        readAll(OffsetResetPolicy.nearest());
        loseTwo();
        reading.until("the reset", () -> reading.hasEvent("reset"));
        reading.untilCount(0, 3);

        assertEquals(List.of("e", "f", "g"), reading.values(0));
        assertEquals(List.of(version), broker.peer().requests().stream()
            .filter((request) -> request.apiKey() == OFFSET_FOR_LEADER_EPOCH.apiKey())
            .map((request) -> (int)request.apiVersion()).toList());
    }

    // Behaviour L146, tried 2026-11-29: A response to a validation that arrives after a seek is ignored, and a listener
    // may choose the next offset.
    @Test
    void shouldIgnoreAResponseThatArrivesAfterASeek()
    {
        answerChecks((requested) -> afterRelease(end(0, 0, 5, 0)));
        readAll(OffsetResetPolicy.earliest());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.until("the request", () -> checks.size() == 1);
        reading.consumer().seek(0, 2);
        reading.forget(0);
        reading.untilCount(0, 3);
        isReleased.countDown();
        reading.untilAnswered(OFFSET_FOR_LEADER_EPOCH);
        untilOthersContinue();

        assertEquals(List.of("c", "d", "e"), reading.values(0));
        assertEquals(List.of(), reading.turns());
        assertEquals(1, checks.size());
    }

    @Test
    void shouldKeepTheBackoffOfARefusedValidationThatIsOutdated()
    {
        final AtomicLong nowNs = new AtomicLong();
        answerChecks((requested) -> afterRelease(end(0, 75, -1, -1)));
        // The clock stops: an empty response to a fetch with a longer wait would look as if it had come too early.
        reading = Reading.start(Reading.withoutTimeouts(context()).nanoClock(nowNs::get).fetchMaxWaitMs(1));
        reading.untilCount(0, 4);
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.until("the request", () -> nowNs.addAndGet(100_000) > 0 && checks.size() == 1);
        reading.consumer().pause(0);
        reading.consumer().resume(0);
        nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
        untilOthersContinue();
        isReleased.countDown();
        reading.untilAnswered(OFFSET_FOR_LEADER_EPOCH);
        untilOthersContinue();
        assertEquals(1, checks.size());

        reading.until("the retry", () -> nowNs.addAndGet(100_000) > 0 && checks.size() == 2);
    }

    // Behaviour L142.
    @Test
    void shouldValidateAgainWhenTheLeaderChangesDuringValidation()
    {
        answerChecks((requested) ->
        {
            if (requested.currentLeaderEpoch() > NEW_EPOCH)
            {
                return null;
            }
            awaitQuietly(isReleased);
            return end(0, 0, 5, 0);
        });
        readAll(OffsetResetPolicy.earliest());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.until("the request", () -> checks.size() == 1);
        broker.lead(NEW_EPOCH + 1);
        reading.until("the next leader", () -> reading.hasEvent("leader of 0 is 7 epoch 7"));
        isReleased.countDown();
        reading.untilCount(0, 5);

        assertEquals(List.of("a", "b", "c", "d", "e"), reading.values(0));
        assertEquals(List.of(), reading.turns());
        assertEquals(NEW_EPOCH + 1, checks.get(checks.size() - 1).currentLeaderEpoch());
    }

    // Behaviour L148, tried 2026-11-29: All partitions of a leader are validated in one request, and a committed offset
    // is validated if the leader is known already.
    @Test
    void shouldValidateAllPartitionsOfALeaderInOneRequest()
    {
        broker.append(1, "x");
        reading = Reading.start(context());
        reading.untilCount(0, 4);
        reading.untilCount(1, 1);
        failOver(() -> broker.append(NEW_EPOCH, 1, new String[]{"y"}));
        reading.untilCount(1, 2);

        assertEquals(1, broker.requestCount(OFFSET_FOR_LEADER_EPOCH));
        assertEquals(2, checks.size());
    }

    // Behaviour L143, tried 2026-11-29: An offset whose epoch is not known, and a leader that does not let consumers
    // validate, are read without validation.
    @Test
    void shouldNotValidateWhenTheEpochOfTheOffsetIsUnknown()
    {
        reading = Reading.start(context().startPosition(0, StartPosition.offset(4)));
        reading.until("the end", () -> reading.hasEvent("caught up 0 at 4"));
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.untilCount(0, 1);

        assertEquals(0, broker.requestCount(OFFSET_FOR_LEADER_EPOCH));
    }

    // Behaviour L143.
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 2})
    void shouldNotValidateWithABrokerThatRefusesConsumers(final int maxVersion)
    {
        broker.maxVersion(OFFSET_FOR_LEADER_EPOCH, maxVersion);
        readAll(OffsetResetPolicy.fail());
        failOver(() -> broker.append(NEW_EPOCH, 0, new String[]{"e"}));
        reading.untilCount(0, 5);

        assertEquals(0, broker.requestCount(OFFSET_FOR_LEADER_EPOCH));
        assertEquals(List.of(), reading.turns());
    }

    // Behaviour K139, tried 2026-11-29: Lookups contain the leader epoch. FENCED_LEADER_EPOCH and UNKNOWN_LEADER_EPOCH
    // are retried. If a leader cannot be reached, metadata is requested, and the lookup moves to the next leader.
    @ParameterizedTest
    @ValueSource(ints = {8, 9})
    void shouldSendTheLeaderEpochWhenMetadataCanBeTrusted(final int metadataVersion)
    {
        final List<Integer> epochs = new CopyOnWriteArrayList<>();
        broker.maxVersion(ApiMessageType.METADATA, metadataVersion);
        broker.script(0, (requested) ->
        {
            epochs.add(requested.currentLeaderEpoch());
            return null;
        });
        broker.script(ApiMessageType.LIST_OFFSETS, (call) ->
        {
            epochs.add(((ListOffsetsRequestData)call.request()).topics().get(0).partitions().get(0)
                .currentLeaderEpoch());
            return null;
        });
        readAll(OffsetResetPolicy.fail());

        final int sent = metadataVersion == 8 ? -1 : OneTopicBroker.LEADER_EPOCH;
        assertFalse(epochs.isEmpty());
        assertTrue(epochs.stream().allMatch((epoch) -> epoch == sent), epochs::toString);
    }

    @Test
    void shouldWaitForALeaderThatDoesNotKnowItsEpochYet()
    {
        readAll(OffsetResetPolicy.fail());
        broker.append(0, "e");
        broker.lead(OneTopicBroker.LEADER_EPOCH - 1);
        untilOthersRetry();
        broker.lead(OneTopicBroker.LEADER_EPOCH);
        reading.untilCount(0, 5);

        assertEquals(List.of("a", "b", "c", "d", "e"), reading.values(0));
        assertEquals(List.of(), reading.turns());
        assertEquals(List.of(), reading.errors());
    }

    private void untilOthersRetry()
    {
        final int before = broker.fetchCount(1);
        reading.until("a few retries", () -> broker.fetchCount(1) > before + 2);
    }

    private static void awaitQuietly(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
