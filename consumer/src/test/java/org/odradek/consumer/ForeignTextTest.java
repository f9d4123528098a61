// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientException;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.ScriptedClassicGroup;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.PrintableText;

import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that no word of a broker reaches an error, an event or {@link TopicConsumer#describe()} as it was sent: neither
 * what drives a terminal, nor what forges a line or hides.
 */
class ForeignTextTest
{
    private static final String HOSTILE = "evil\nforged\u001b[2J\r\u0085\u009b31m\u202e\u2028\u200b\ufeff";
    private static final String CLEAN = "evil?forged?[2J???31m????";
    private static final int MAX_LENGTH = 1_500;

    private static void assertClean(final TopicConsumer consumer, final List<String> errors, final List<String> events)
    {
        final List<String> shown = new ArrayList<>(errors);
        shown.addAll(events);
        shown.addAll(List.of(consumer.describe().split("\n")));
        for (final String line : shown)
        {
            assertTrue(PrintableText.isPrintable(line), line);
            assertTrue(line.length() <= MAX_LENGTH, line);
            assertFalse(line.startsWith("forged"), line);
        }
    }

    private static void assertClean(final Reading reading)
    {
        assertClean(reading.consumer(), reading.errors(), reading.events());
    }

    private static void assertClean(final GroupReader member)
    {
        assertClean(member.consumer(), member.errors(), member.events());
    }

    @Test
    void shouldCleanTheWordsOfAHeartbeat()
    {
        try (ScriptedGroup group = new ScriptedGroup())
        {
            group.answerNext((call) -> call.answer(new ConsumerGroupHeartbeatResponseData()
                .setErrorCode(ErrorCode.INVALID_REQUEST).setErrorMessage(HOSTILE + "x".repeat(20_000))));
            group.start();
            group.until("failed", () -> group.state() == GroupState.FAILED);
            group.poll(5);

            assertTrue(group.member().errors().toString().contains(CLEAN), group.member().errors()::toString);
            assertTrue(group.member().events().toString().contains(CLEAN), group.member().events()::toString);
            assertClean(group.member());
        }
    }

    @Test
    void shouldCleanTheDescriptionOfAClassicGroup()
    {
        try (ScriptedGroup group = new ScriptedGroup())
        {
            group.broker().maxVersion(ApiMessageType.DESCRIBE_GROUPS, 6);
            group.broker().script(ApiMessageType.DESCRIBE_GROUPS, (call) -> call.answer(
                new DescribeGroupsResponseData().setGroups(List.of(new DescribedGroup().setGroupId(ScriptedGroup.GROUP)
                    .setGroupState(HOSTILE).setProtocolType(HOSTILE + "x".repeat(2_000)).setProtocolData("range")
                    .setMembers(List.of(new DescribedGroupMember().setMemberId(HOSTILE).setClientId(HOSTILE)))))));
            group.startStable();

            assertTrue(group.member().events().toString().contains("converted " + CLEAN),
                group.member().events()::toString);
            assertClean(group.member());
        }
    }

    @Test
    void shouldCleanAMemberIdButSendItAsItIs()
    {
        try (ScriptedClassicGroup group = new ScriptedClassicGroup())
        {
            group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> call.answer(new JoinGroupResponseData()
                .setErrorCode(ErrorCode.MEMBER_ID_REQUIRED).setGenerationId(-1).setProtocolName("")
                .setMemberId(HOSTILE)));
            group.failNext(ApiMessageType.JOIN_GROUP, ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
            group.start(ScriptedClassicGroup.settings());
            group.until("failed", () -> group.state() == GroupState.FAILED);
            group.poll(5);

            assertEquals(HOSTILE, group.lastJoin().memberId());
            assertEquals(CLEAN, group.member().consumer().group().memberId());
            assertTrue(group.member().errors().toString().contains("of member " + CLEAN),
                group.member().errors()::toString);
            assertTrue(group.member().consumer().describe().contains("member " + CLEAN),
                group.member().consumer()::describe);
            assertClean(group.member());
        }
    }

    @Test
    void shouldCleanTheIdOfACluster()
    {
        final String id = HOSTILE + "\nforged line".repeat(15);
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b"))
        {
            broker.change(() -> broker.model().broker().cluster().clusterId("1" + id));
            try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
            {
                reading.untilCount(0, 2);
                broker.change(() -> broker.model().broker().cluster().clusterId("2" + id));
                reading.until("the error", () -> !reading.errors().isEmpty());

                assertTrue(reading.hasError("this is cluster 2" + CLEAN), reading.errors()::toString);
                assertTrue(reading.hasError("where 1" + CLEAN), reading.errors()::toString);
                assertClean(reading);
            }
        }
    }

    @Test
    void shouldCleanTheIdOfAClusterThatABrokerRefuses()
    {
        final AtomicInteger refused = new AtomicInteger();
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b"))
        {
            broker.change(() -> broker.model().broker().cluster().clusterId(HOSTILE));
            broker.script(ApiMessageType.API_VERSIONS, (call) ->
                ((ApiVersionsRequestData)call.request()).nodeId() >= 0 && refused.getAndIncrement() == 0 ?
                    call.answer(new ApiVersionsResponseData().setErrorCode(ErrorCode.REBOOTSTRAP_REQUIRED)) : null);
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.until("the event", () -> reading.hasEvent("rebootstrap: "));
                reading.untilCount(0, 2);

                assertTrue(reading.events().toString().contains("cluster " + CLEAN), reading.events()::toString);
                assertClean(reading);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u009bb", "a\u0085b", "a\u202eb", "a\u2028b", "a\u200bb", "a\u001bb", "a\nb"})
    void shouldRefuseAHostThatIsNotPrintable(final String host)
    {
        final AtomicInteger answers = new AtomicInteger();
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b"))
        {
            broker.script(ApiMessageType.METADATA, (call) ->
            {
                final MetadataResponseData response = broker.metadata(call);
                if (answers.getAndIncrement() == 0)
                {
                    response.brokers().add(new MetadataResponseBroker().setNodeId(8).setHost(host).setPort(9092));
                }
                return call.answer(response);
            });
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.untilCount(0, 2);

                assertTrue(reading.hasError("of broker 8 where a port from 1 to 65535 and a host name"),
                    reading.errors()::toString);
                assertClean(reading);
            }
        }
    }

    @Test
    void shouldRefuseACoordinatorWhoseHostIsNotPrintable()
    {
        final AtomicInteger answers = new AtomicInteger();
        try (ScriptedGroup group = new ScriptedGroup())
        {
            group.broker().script(ApiMessageType.FIND_COORDINATOR, (call) -> answers.getAndIncrement() > 0 ? null :
                call.answer(new FindCoordinatorResponseData().setErrorMessage(HOSTILE).setCoordinators(List.of(
                    new Coordinator().setKey(ScriptedGroup.GROUP).setNodeId(8).setHost("a\u202eb").setPort(9092)
                        .setErrorMessage(HOSTILE)))));
            group.startStable();

            assertTrue(group.member().errors().toString().contains("of broker 8 where"),
                group.member().errors()::toString);
            assertClean(group.member());
        }
    }

    @Test
    void shouldCleanWhatAResolverQuotes()
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b"))
        {
            broker.script(ApiMessageType.METADATA, (call) ->
            {
                final MetadataResponseData response = broker.metadata(call);
                response.brokers().iterator().next().setHost("unknown.test");
                return call.answer(response);
            });
            final ConsumerContext context = Reading.context(broker).nameResolver((host) ->
            {
                throw new UnknownHostException(HOSTILE);
            });
            try (Reading reading = Reading.start(context))
            {
                reading.until("the error", () -> !reading.errors().isEmpty());

                assertTrue(reading.hasError("UnknownHostException: " + CLEAN), reading.errors()::toString);
                assertTrue(reading.consumer().describe().contains(CLEAN), reading.consumer()::describe);
                assertClean(reading);
            }
        }
    }

    @Test
    void shouldCleanAndBoundTheMessageOfEachError()
    {
        assertEquals(CLEAN, new ClientException(HOSTILE).getMessage());
        assertEquals(CLEAN, new AuthenticationException(HOSTILE).getMessage());
        assertEquals(PrintableText.MAX_SENTENCE_LENGTH, new ClientException("x".repeat(9_000)).getMessage().length());
        assertEquals(null, new ClientException(null).getMessage());
    }

    @Test
    void shouldCleanTheTopicOfAnotherOffsetFile(@TempDir final Path folder)
    {
        final Path file = folder.resolve("offsets");
        OffsetFile.map(file, HOSTILE, 1).close();

        final String message = assertThrows(
            IllegalStateException.class, () -> OffsetFile.map(file, "orders", 1)).getMessage();
        assertTrue(message.contains("holds offsets of topic " + CLEAN + ", not of orders."), message);
    }
}
