// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.properties.KafkaKey;
import org.odradek.consumer.properties.KafkaProperties;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reads the keys of consumer groups from properties of a kafka-clients consumer. */
class GroupSettingsTest
{
    private final List<String> notes = new ArrayList<>();

    private GroupSettings from(final Object... keysAndValues)
    {
        final Map<String, Object> properties = new HashMap<>();
        properties.put("group.id", "ingest");
        properties.put("group.protocol", "consumer");
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            properties.put((String)keysAndValues[i], keysAndValues[i + 1]);
        }
        return ConsumerContext.from(properties, notes::add).joinGroup().group();
    }

    // Behaviour P205.
    @ParameterizedTest
    @CsvSource({"group.protocol, CONSUMER, consumer", "group.protocol, classic, classic",
        "session.timeout.ms, 10000, 10000", "heartbeat.interval.ms, 700, 700",
        "group.instance.id, ' a ', a",
        "group.remote.assignor, range, range",
        "max.poll.interval.ms, 300000, 300000", "enable.auto.commit, false, false", "enable.auto.commit, TRUE, true",
        "auto.commit.interval.ms, 700, 700", "auto.commit.interval.ms, 0, 1"})
    void shouldApplyTheValueOfEachKey(final String key, final String value, final String expected)
    {
        assertEquals(expected, KafkaSettings.ofGroup(from(key, value)).get(key).toString());
        assertEquals(key.equals("max.poll.interval.ms") ? 1 : 0, notes.size(), notes::toString);
    }

    @Test
    void shouldSayWhatAppliesInsteadOfTheLongestIntervalOfPolls()
    {
        from("max.poll.interval.ms", "300000");
        assertTrue(notes.get(0).startsWith("max.poll.interval.ms sets revocationTimeoutMs") &&
            notes.get(0).contains("keepAlive"), notes::toString);
    }

    @Test
    void shouldReadEachKeyOfGroups()
    {
        assertEquals(KafkaProperties.KEYS.stream().filter((key) -> key.groupSetting() != null).map(KafkaKey::name)
            .collect(Collectors.toSet()), KafkaSettings.ofGroup(from()).keySet());
    }

    @Test
    void shouldHaveItsOwnDefaults()
    {
        final GroupSettings settings = from("fetch.min.bytes", "5", "group.protocol", "consumer");

        assertEquals("ingest", settings.groupId());
        assertEquals(KafkaSettings.ofGroup(new GroupSettings("ingest").protocol(GroupProtocol.CONSUMER)),
            KafkaSettings.ofGroup(settings));
        assertEquals(List.of(), notes);
    }

    @Test
    void shouldNotCommitByItselfIfTold()
    {
        assertFalse(from("enable.auto.commit", false, "auto.commit.interval.ms", 700).commitPolicy().isDelivered());
    }

    @Test
    void shouldJoinWithKafkasDefaultProtocolAndNoteTheOther()
    {
        assertEquals(ConsumerConfig.DEFAULT_GROUP_PROTOCOL, KafkaSettings.ofGroup(
            ConsumerContext.from(Map.of("group.id", "g"), notes::add).joinGroup().group()).get("group.protocol"));
        assertEquals(1, notes.size());
        assertTrue(notes.get(0).startsWith("group.protocol is not given: the group is joined with Kafka's default, " +
            "classic; the other value, consumer (KIP-848), "), notes::toString);
        assertEquals(GroupProtocol.AUTO, new GroupSettings("g").protocol());
    }

    @ParameterizedTest
    @CsvSource({"group.id, '', it must not be empty, or must be left out",
        "group.instance.id, '', it must have at least one character",
        "group.remote.assignor, ' ', it must have at least one character",
        "group.protocol, share, it must be CLASSIC or CONSUMER", "session.timeout.ms, 0, it must be a whole number",
        "heartbeat.interval.ms, x, it must be a whole number from 1 to 2147483647",
        "max.poll.interval.ms, 0, it must be a whole number from 1 to 2147483647",
        "enable.auto.commit, yes, it must be true or false",
        "auto.commit.interval.ms, -1, it must be a whole number from 0 to 2147483647"})
    void shouldRefuseInOneSentence(final String key, final String value, final String expected)
    {
        final String message = assertThrows(IllegalArgumentException.class, () -> from(key, value)).getMessage();

        assertTrue(message.startsWith(key + " is '" + value.trim() + "': " + expected), message);
    }

    /** Kafka takes names of classes, and classes. */
    @Test
    void shouldNeedTheRangeAssignorUnlessTheBrokersAssign()
    {
        final String sticky = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";
        for (final Object names : List.of(sticky + ", org.apache.kafka.clients.consumer.RangeAssignor", "range",
            List.of(RangeAssignor.class), List.of(RangeAssignor.class.getName())))
        {
            assertEquals(GroupProtocol.CLASSIC,
                from("group.protocol", "classic", "partition.assignment.strategy", names).protocol());
        }
        assertEquals(GroupProtocol.CONSUMER, from("partition.assignment.strategy", sticky).protocol());
        final String message = assertThrows(IllegalArgumentException.class,
            () -> from("group.protocol", "classic", "partition.assignment.strategy", sticky)).getMessage();
        assertTrue(message.startsWith("partition.assignment.strategy is '" + sticky + "': it must contain "), message);
    }

    // Behaviour P205.
    @Test
    void shouldRefuseToJoinAGroupWithoutAName()
    {
        assertEquals("group.id is not set: it must name the group to join", assertThrows(
            IllegalArgumentException.class, () -> ConsumerContext.from(Map.of(), notes::add).joinGroup()).getMessage());
    }

    // Behaviour P205.
    @Test
    void shouldRefuseToJoinAGroupWithoutProperties()
    {
        assertEquals("joinGroup reads the properties that from was given, and there are none: set the group with " +
            "group(new GroupSettings(groupId))", assertThrows(
            IllegalStateException.class, () -> new ConsumerContext().joinGroup()).getMessage());
    }

    /** Only a group that is joined reads its keys, so wrong ones do no harm without it. */
    // Behaviour P205, tried 2026-11-29: `ConsumerContext.from` reads Kafka's properties. A later call of `joinGroup`
    // reads the keys that concern only members, such as `session.timeout.ms`, and joins the group that the properties
    // name.
    @Test
    void shouldReadKeysOfGroupsOnlyToJoin()
    {
        final ConsumerContext context = ConsumerContext.from(
            Map.of("bootstrap.servers", "a:1", "group.id", "g", "heartbeat.interval.ms", "x"), notes::add);

        assertNull(context.group());
        assertEquals(List.of(), notes);
        assertThrows(IllegalArgumentException.class, context::joinGroup);
        context.topic("topic").conclude();
        assertEquals(2, notes.stream().filter((note) -> note.contains("because no group is joined")).count(),
            notes::toString);
    }

    // Behaviour P205.
    @Test
    void shouldUseTheSettingsThatAreChangedAfterJoining()
    {
        final ConsumerContext context =
            ConsumerContext.from(Map.of("bootstrap.servers", "a:1", "group.id", "g"), notes::add);
        context.topic("topic").joinGroup().group().commitPolicy(CommitPolicy.explicit()).instanceId("i");

        assertEquals("group g as i", context.conclude().settings.group.toString());
        assertFalse(context.settings.group.hasCommitInterval());
        assertEquals("committed by group g, else latest", context.startPosition().toString());
        assertEquals(1, notes.size(), notes::toString);
    }
}
