// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what a member does with descriptions of a classic group that a real coordinator does not send on request. */
class ClassicGroupTest
{
    private static final int METADATA_LENGTH = 50_000;

    private final ScriptedGroup group = new ScriptedGroup();
    private final AtomicReference<Function<ModelPeer.Call, Answer>> first = new AtomicReference<>();

    @BeforeEach
    void script()
    {
        group.broker().maxVersion(ApiMessageType.DESCRIBE_GROUPS, 6);
        group.broker().script(ApiMessageType.DESCRIBE_GROUPS, (call) ->
        {
            final Function<ModelPeer.Call, Answer> answer = first.getAndSet(null);
            return answer == null ? call.answer(description(call, 0, 3)) : answer.apply(call);
        });
    }

    @AfterEach
    void close()
    {
        group.close();
    }

    private static DescribeGroupsResponseData description(
        final ModelPeer.Call call, final int errorCode, final int memberCount)
    {
        final DescribedGroup described = new DescribedGroup().setErrorCode((short)errorCode)
            .setGroupId(((DescribeGroupsRequestData)call.request()).groups().get(0))
            .setGroupState("Stable").setProtocolType("consumer").setProtocolData("range");
        for (int i = 0; i < memberCount; i++)
        {
            described.members().add(new DescribedGroupMember().setMemberId("member-" + i)
                .setMemberMetadata(new byte[METADATA_LENGTH]));
        }
        return new DescribeGroupsResponseData().setGroups(List.of(described));
    }

    private void assertConversions(final int count)
    {
        assertEquals(count, group.member().counter(ConsumerCounters.CLASSIC_GROUPS_CONVERTED));
        assertEquals(count, group.member().events().stream().filter("converted consumer Stable 3"::equals).count());
    }

    private int descriptions()
    {
        return group.broker().requestCount(ApiMessageType.DESCRIBE_GROUPS);
    }

    // Behaviour O188.
    @Test
    void shouldReadTheFirstPartOfALargeDescriptionAndAskOnce()
    {
        group.startStable();
        assertConversions(1);
        assertEquals(0, group.member().counter(ConsumerCounters.BUFFERS_GROWN));
        assertEquals(0, group.member().counter(ConsumerCounters.CONNECTIONS_LOST));
        final List<String> events = group.member().events();
        assertTrue(events.indexOf("converted consumer Stable 3") < events.indexOf("assigned 0 at 0"), events::toString);

        group.failNext(25);
        group.forgetRequests();
        group.untilRequest("join 0");
        group.until("lost", () -> group.member().counter(ConsumerCounters.PARTITIONS_LOST) == 2);
        group.untilStable();
        assertConversions(1);
        assertEquals(1, descriptions());
        // The removal alone is an error.
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        assertTrue(group.member().errors().get(0).contains("UNKNOWN_MEMBER_ID"), group.member().errors()::toString);
    }

    // Behaviour O188.
    @ParameterizedTest
    @ValueSource(ints = {30, 42, 35, 69, -1})
    void shouldJoinWhenTheDescriptionIsRefused(final int code)
    {
        first.set((call) -> call.answer(description(call, code, 3)));
        group.startStable();
        assertConversions(0);
        assertEquals(1, descriptions());
        assertEquals(List.of(), group.member().errors());
    }

    // Behaviour O188.
    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16})
    void shouldAskAgainWhereTheJoinWouldBeRefusedToo(final int code)
    {
        first.set((call) -> call.answer(description(call, code, 0)));
        group.startStable();
        assertConversions(1);
        assertEquals(2, descriptions());
    }

    // Behaviour O188.
    @Test
    void shouldJoinWhenTheDescriptionIsLost()
    {
        first.set((call) -> Answer.close());
        group.startStable();
        assertConversions(0);
        assertEquals(1, descriptions());
    }

    @Test
    void shouldJoinWhenTheDescriptionCannotBeRead()
    {
        first.set((call) -> Answer.reply(new byte[]{0, 0, 0, 0, 0, 1}));
        group.startStable();
        assertConversions(0);
        assertEquals(1, descriptions());
        assertTrue(group.member().errors().get(0).contains("DescribeGroups response"),
            group.member().errors()::toString);
    }

    @Test
    void shouldReportNothingForAGroupWithoutMembers()
    {
        first.set((call) -> call.answer(description(call, 0, 0)));
        group.startStable();
        assertConversions(0);
    }
}
