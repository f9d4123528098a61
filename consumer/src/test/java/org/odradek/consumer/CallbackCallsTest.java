// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.support.CallbackStage;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.PublicCalls;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests that every public method may be called from every callback: it takes effect, or is refused with a sentence. */
class CallbackCallsTest
{
    private static final int PARTITION = PublicCalls.NUMBER;
    private static final int POLLS = 20;
    private static final Set<String> HANDLERS = Set.of("RecordHandler", "ControlledRecordHandler", "BatchHandler",
        "BooleanSupplier", "ErrorHandler", "onFrame", "NameResolver", "RevocationHandler");
    /** They need TLS, tokens or a classic group, and are called as others are: in a step of a connection. */
    private static final Set<String> NOT_CALLED = Set.of(
        "onTokenNotRenewed", "onTlsFallback", "onCertificatesNotReloaded", "onClassicGroupConverted");

    /** Which calls a callback makes. */
    private enum Calls
    {
        ALL((calls) -> calls.makeAllBut(Set.of())),
        ALL_STAYING((calls) -> calls.makeAllBut(Set.of("unassign", "leave"))),
        SEEK((calls) -> calls.makeOnly(Set.of("seek"))),
        PAUSE((calls) -> calls.makeOnly(Set.of("pause"))),
        END((calls) -> calls.makeOnly(Set.of("unassign", "leave"))),
        KEEP_ALIVE((calls) -> calls.makeOnly(Set.of("keepAlive", "commitAsync", "describe")));

        private final Consumer<PublicCalls> action;

        Calls(final Consumer<PublicCalls> action)
        {
            this.action = action;
        }
    }

    /**
     * What leads to a callback.
     *
     * @param isLogChanged whether the log of the partition is not the same afterwards.
     * @param settings     of the consumer.
     * @param provoke      is run when the consumer is ready.
     */
    private record Scene(
        String callback,
        boolean isLogChanged,
        BiConsumer<OneTopicBroker, ConsumerContext> settings,
        BiConsumer<OneTopicBroker, CallbackStage> provoke)
    {
        static Scene of(final String callback, final BiConsumer<OneTopicBroker, CallbackStage> provoke)
        {
            return new Scene(callback, false, (broker, context) -> { }, provoke);
        }

        static Scene ofStart(final String callback, final BiConsumer<OneTopicBroker, ConsumerContext> settings)
        {
            return new Scene(callback, false, settings, null);
        }

        static Scene ofChangedLog(final String callback, final BiConsumer<OneTopicBroker, CallbackStage> provoke)
        {
            return new Scene(callback, true, (broker, context) -> { }, provoke);
        }

        @Override
        public String toString()
        {
            return callback;
        }
    }

    @TempDir
    private Path directory;

    private static List<Scene> scenes()
    {
        return List.of(
            Scene.of("RecordHandler", (broker, stage) -> broker.append(PARTITION, "c")),
            Scene.ofStart("RecordHandler", (broker, context) -> { }),
            Scene.of("ControlledRecordHandler", (broker, stage) ->
            {
                stage.form(CallbackStage::pollControlled);
                broker.append(PARTITION, "c");
            }),
            Scene.of("BatchHandler", (broker, stage) ->
            {
                stage.form(CallbackStage::pollBatches);
                broker.append(PARTITION, "c");
            }),
            Scene.of("BooleanSupplier", (broker, stage) -> stage.form(CallbackStage::await)),
            Scene.ofStart("onFrame", (broker, context) -> { }),
            Scene.ofStart("onCaptureFull", (broker, context) -> { }),
            Scene.ofStart("onCaughtUp", (broker, context) -> { }),
            Scene.ofStart("onPartitionAdded", (broker, context) -> { }),
            Scene.ofStart("NameResolver", (broker, context) -> broker.script(ApiMessageType.METADATA, (call) ->
            {
                final MetadataResponseData metadata = broker.metadata(call);
                metadata.brokers().forEach((named) -> named.setHost(CallbackStage.NAME));
                return call.answer(metadata);
            })),
            Scene.ofStart("onStall", (broker, context) -> context.stallThresholdNs(1)),
            Scene.ofStart("onBufferGrown", (broker, context) ->
            {
                context.fetchMaxBytes(1_000);
                broker.append(PARTITION, "c".repeat(1 << 22));
            }),
            Scene.ofStart("onAuthenticationFailed", (broker, context) -> context.security(
                SecuritySettings.sasl(PlainMechanism.plain("alice", "secret".toCharArray())).withoutTls())),
            Scene.of("onConnectionLost", (broker, stage) -> broker.peer().cut()),
            Scene.of("onConnectionRestored", (broker, stage) -> broker.peer().cut()),
            Scene.of("onLeaderChanged", (broker, stage) -> broker.lead(OneTopicBroker.LEADER_EPOCH + 1)),
            Scene.of("onThrottled", CallbackCallsTest::throttle),
            Scene.ofStart("onFetchConnections", (broker, context) ->
            {
                context.fetchConnections(2);
                throttle(broker, null);
            }),
            Scene.of("onRebootstrap", CallbackCallsTest::requireRebootstrap),
            Scene.of("ErrorHandler", (broker, stage) -> broker.script(
                PARTITION, (request) -> OneTopicBroker.error(PARTITION, ErrorCode.TOPIC_AUTHORIZATION_FAILED))),
            Scene.of("onPartitionStopped", CallbackCallsTest::stopOnce),
            Scene.of("ErrorHandler", CallbackCallsTest::corrupt),
            Scene.of("onGap", CallbackCallsTest::corrupt),
            Scene.ofChangedLog("onReset", CallbackCallsTest::deleteRecords),
            Scene.ofChangedLog("onGap", CallbackCallsTest::deleteRecords),
            Scene.ofChangedLog("onTruncation", (broker, stage) -> broker.change(() ->
            {
                broker.truncate(PARTITION, 1);
                broker.lead(OneTopicBroker.LEADER_EPOCH + 1);
            })));
    }

    private static void stopOnce(final OneTopicBroker broker, final CallbackStage stage)
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        broker.script(PARTITION, (request) -> isDone.getAndSet(true) ? null :
            OneTopicBroker.error(PARTITION, ErrorCode.CORRUPT_MESSAGE));
    }

    private static void throttle(final OneTopicBroker broker, final CallbackStage stage)
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        broker.script(ApiMessageType.FETCH, (call) -> isDone.getAndSet(true) ? null :
            call.answer(((FetchResponseData)broker.model().usual(call)).setSessionId(0).setThrottleTimeMs(5)));
    }

    private static void requireRebootstrap(final OneTopicBroker broker, final CallbackStage stage)
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        broker.script(ApiMessageType.METADATA, (call) -> isDone.getAndSet(true) ? null :
            call.answer(new MetadataResponseData().setErrorCode(ErrorCode.REBOOTSTRAP_REQUIRED)));
        broker.lead(OneTopicBroker.LEADER_EPOCH + 1);
    }

    /** The batch in the middle of three is corrupt, and is skipped. */
    private static void corrupt(final OneTopicBroker broker, final CallbackStage stage)
    {
        broker.append(PARTITION, "c", "d").append(PARTITION, "e");
        final ByteBuffer corrupt = OneTopicBroker.batch(2, "c", "d").buffer().duplicate();
        corrupt.put(corrupt.limit() - 1, (byte)0x7F);
        broker.script(PARTITION, (request) -> request.fetchOffset() >= 4 ? null : OneTopicBroker.data(PARTITION, 5,
            OneTopicBroker.batch(0, "a", "b"), MemoryRecords.readableRecords(corrupt), OneTopicBroker.batch(4, "e")));
        stage.consumer().seek(PARTITION, 0);
    }

    private static void deleteRecords(final OneTopicBroker broker, final CallbackStage stage)
    {
        broker.append(PARTITION, "c", "d");
        broker.deleteBefore(PARTITION, 4);
        stage.consumer().seek(PARTITION, 0);
    }

    private static List<Scene> memberScenes()
    {
        return List.of(
            Scene.ofStart("RecordHandler", (broker, context) -> { }),
            Scene.ofStart("onPartitionAssigned", (broker, context) -> { }),
            Scene.ofStart("onGroupState", (broker, context) -> { }),
            Scene.ofStart("onGroupProtocol", (broker, context) -> { }),
            Scene.of("BooleanSupplier", (broker, stage) -> stage.form(CallbackStage::await)),
            Scene.of("onConnectionLost", (broker, stage) -> broker.peer().cut()));
    }

    /** Callbacks that the coordinator provokes. */
    private static List<String> coordinated()
    {
        return List.of("RevocationHandler", "onPartitionRevoked", "onPartitionLost", "ErrorHandler",
            "onDeliveryFenced", "onDeliveryUnfenced", "onAcknowledgementRefused");
    }

    private static void provoke(final String callback, final ScriptedGroup group, final CallbackStage stage)
    {
        switch (callback)
        {
            case "onPartitionLost":
                group.failNext(ErrorCode.UNKNOWN_MEMBER_ID);
                break;
            case "ErrorHandler":
                group.failCommits((int)ErrorCode.GROUP_AUTHORIZATION_FAILED);
                // The stage acknowledges the record, and the offset is committed.
                group.broker().append(PARTITION, "c");
                break;
            case "onAcknowledgementRefused":
                stage.acknowledge(PARTITION, Integer.MAX_VALUE);
                break;
            case "onDeliveryFenced":
            case "onDeliveryUnfenced":
                group.answerNext((call) -> Answer.never().thenClose());
                stage.skipMs(60_000);
                break;
            default:
                group.assign(2, 0);
        }
    }

    static Stream<Arguments> plain()
    {
        return scenes().stream().flatMap((scene) -> Stream.of(Calls.values())
            .filter((calls) -> calls != Calls.KEEP_ALIVE).map((calls) -> Arguments.of(scene, calls)));
    }

    @ParameterizedTest
    @MethodSource("plain")
    void shouldTakeOrRefuseEveryCall(final Scene scene, final Calls calls)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a", "b").append(PARTITION, "a", "b"))
        {
            final ConsumerContext context = context(broker);
            scene.settings().accept(broker, context);
            try (CallbackStage stage = new CallbackStage(context, directory, scene.callback(), calls.action))
            {
                if (scene.provoke() != null)
                {
                    stage.until("all records", () -> stage.count("b") == 2);
                    scene.provoke().accept(broker, stage);
                }
                stage.arm().untilCalled();
                broker.heal(PARTITION);
                if (!scene.callback().equals("onAuthenticationFailed"))
                {
                    assertEffect(scene, calls, stage);
                    assertReadsOn(broker, stage);
                }
            }
        }
    }

    private static ConsumerContext context(final OneTopicBroker broker)
    {
        return Reading.context(broker).offsetResetPolicy(OffsetResetPolicy.earliest())
            .corruptBatchPolicy(CorruptBatchPolicy.SKIP)
            .histograms(ConsumerHistograms.create());
    }

    private static void assertEffect(final Scene scene, final Calls calls, final CallbackStage stage)
    {
        if (calls == Calls.SEEK && stage.calls().isEffective("seek") && !scene.isLogChanged())
        {
            stage.until("the offset that was sought", () -> !stage.offsetsSince().isEmpty());
            assertEquals(PublicCalls.NUMBER, stage.offsetsSince().get(0));
            return;
        }
        for (int i = 0; i < POLLS; i++)
        {
            stage.pollRecords();
        }
        if (calls == Calls.PAUSE && stage.calls().isEffective("pause") && stage.consumer().isAssigned(PARTITION))
        {
            assertTrue(stage.consumer().isPaused(PARTITION));
            assertEquals(List.of(), stage.offsetsSince());
        }
        if (calls == Calls.END && stage.calls().isEffective("unassign"))
        {
            assertFalse(stage.consumer().isAssigned(PARTITION));
            assertEquals(List.of(), stage.offsetsSince());
        }
    }

    private static void assertReadsOn(final OneTopicBroker broker, final CallbackStage stage)
    {
        broker.append(0, "end").append(PARTITION, "end");
        for (int p = 0; p <= PARTITION; p++)
        {
            if (!stage.consumer().isAssigned(p))
            {
                stage.consumer().assign(p, StartPosition.earliest());
            }
            stage.consumer().resume(p);
            stage.consumer().seek(p, 0);
        }
        stage.until("the last record of each", () -> stage.count("end") >= 2);
    }

    static Stream<Arguments> member()
    {
        return Stream.concat(memberScenes().stream(),
            coordinated().stream().map((callback) -> Scene.ofStart(callback, null)))
            .flatMap((scene) -> Stream.of(Calls.values()).map((calls) -> Arguments.of(scene, calls)));
    }

    @ParameterizedTest
    @MethodSource("member")
    void shouldTakeOrRefuseEveryCallOfAMember(final Scene scene, final Calls calls)
    {
        try (ScriptedGroup group = new ScriptedGroup();
            CallbackStage stage = join(group, scene.callback(), calls.action))
        {
            if (scene.settings() == null)
            {
                untilStable(stage);
                provoke(scene.callback(), group, stage);
            }
            else if (scene.provoke() != null)
            {
                untilStable(stage);
                scene.provoke().accept(group.broker(), stage);
            }
            stage.arm().untilCalled();
            assertGoesOn(group, stage);
        }
    }

    private CallbackStage join(final ScriptedGroup group, final String callback, final Consumer<PublicCalls> action)
    {
        return new CallbackStage(context(group.broker()).group(ScriptedGroup.settings().fenceAfterMs(30_000)),
            directory, callback, action);
    }

    private static void untilStable(final CallbackStage stage)
    {
        stage.until("stable", () -> stage.consumer().group().state() == GroupState.STABLE && stage.count("b") == 2);
    }

    private static void assertGoesOn(final ScriptedGroup group, final CallbackStage stage)
    {
        final GroupMembership membership = stage.consumer().group();
        if (stage.calls().isEffective("leave"))
        {
            stage.until("left", () -> membership.state() == GroupState.LEFT);
            assertFalse(stage.consumer().isAssigned(0) || stage.consumer().isAssigned(PARTITION));
            return;
        }
        stage.until("stable", () -> membership.state() == GroupState.STABLE && membership.isOwned(0));
        group.broker().append(0, "end");
        stage.consumer().resume(0);
        stage.consumer().seek(0, 0);
        stage.until("the last record", () -> stage.count("end") > 0);
    }

    /** As from a thread that does something else, and keeps the member alive meanwhile. */
    @ParameterizedTest
    @MethodSource("keptAlive")
    void shouldTakeOrRefuseEveryCallWhileTheMemberIsKeptAlive(final Calls calls)
    {
        try (ScriptedGroup group = new ScriptedGroup();
            CallbackStage stage = join(group, "onConnectionLost", calls.action))
        {
            untilStable(stage);
            group.broker().peer().cut();
            stage.form((kept) -> kept.consumer().keepAlive());
            stage.arm().untilCalled();
            assertGoesOn(group, stage);
        }
    }

    static Stream<Calls> keptAlive()
    {
        return Stream.of(Calls.values());
    }

    /** It owns its poller from then on, as a poll does. */
    @Test
    void shouldBelongToTheThreadThatKeepsItAliveFirst()
    {
        try (ScriptedGroup group = new ScriptedGroup(); CallbackStage stage = join(group, "", (calls) -> { }))
        {
            stage.consumer().keepAlive();
            assertEquals(Thread.currentThread(), stage.consumer().owner());
        }
    }

    @ParameterizedTest
    @MethodSource("closing")
    void shouldTakeOrRefuseEveryCallWhileAMemberIsClosed(final String callback, final Calls calls)
    {
        try (ScriptedGroup group = new ScriptedGroup())
        {
            final CallbackStage stage = join(group, callback, calls.action);
            untilStable(stage);
            stage.arm().close();
            assertTrue(stage.calls().isDone());
            assertEquals(GroupState.LEFT, stage.consumer().group().state());
            assertEquals(0, stage.consumer().resources.budget.heldBytes());
        }
    }

    static Stream<Arguments> closing()
    {
        return Stream.of("RevocationHandler", "onPartitionRevoked", "onGroupState", "FetchFrameHandler.close")
            .flatMap((callback) -> Stream.of(Calls.values()).map((calls) -> Arguments.of(callback, calls)));
    }

    @ParameterizedTest
    @MethodSource("keptAlive")
    void shouldTakeOrRefuseEveryCallWhileItIsClosedByAnotherThread(final Calls calls) throws Exception
    {
        try (OneTopicBroker broker = OneTopicBroker.start(2))
        {
            final CallbackStage stage =
                new CallbackStage(context(broker), directory, "FetchFrameHandler.close", calls.action);
            stage.pollRecords();
            final List<Throwable> thrown = new ArrayList<>();
            final Thread closer = new Thread(stage.arm()::close);
            closer.setUncaughtExceptionHandler((thread, ex) -> thrown.add(ex));
            closer.start();
            closer.join();
            assertEquals(List.of(), thrown);
            assertTrue(stage.calls().isDone());
            assertEquals(0, stage.consumer().resources.budget.heldBytes());
        }
    }

    @Test
    void shouldHaveASceneForEveryCallback()
    {
        final Set<String> provoked = new TreeSet<>(NOT_CALLED);
        scenes().forEach((scene) -> provoked.add(scene.callback()));
        memberScenes().forEach((scene) -> provoked.add(scene.callback()));
        provoked.addAll(coordinated());

        final Set<String> callbacks = new TreeSet<>(HANDLERS);
        Stream.of(ConsumerListener.class.getMethods()).map(Method::getName).forEach(callbacks::add);
        assertEquals(callbacks, provoked);
    }
}
