// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.properties.KafkaKey;
import org.odradek.consumer.properties.KafkaProperties;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compares the table of docs/kafka-properties.md with the code and with the defaults of kafka-clients. If they differ,
 * the test writes the right table to target/kafka-properties.md.
 */
class KafkaPropertiesTableTest
{
    private static final Path PAGE = Path.of("..", "docs", "kafka-properties.md");
    private static final Path RIGHT = Path.of("target", "kafka-properties.md");
    private static final String BEGIN = "<!-- keys -->\n";
    private static final String END = "<!-- /keys -->";
    private static final Map<String, ConfigDef.ConfigKey> KAFKA = ConsumerConfig.configDef().configKeys();

    @Test
    void shouldListHowEachKeyIsTreated() throws IOException
    {
        final String page = Files.readString(PAGE);
        final int begin = page.indexOf(BEGIN) + BEGIN.length();
        final int end = page.indexOf(END);
        final String table = table();

        Files.writeString(RIGHT, table);

        assertTrue(begin > BEGIN.length() && end >= begin, PAGE + " has no markers for the table");
        assertEquals(table, page.substring(begin, end), () -> "put the lines of " + RIGHT + " into " + PAGE);
    }

    private static String table()
    {
        final StringBuilder table = new StringBuilder(
            "| key | in Kafka unless given | becomes | here unless given | what it sets, or why not |\n" +
            "|---|---|---|---|---|\n");
        final Map<String, Object> ours = KafkaSettings.all(new ConsumerContext());
        ours.putAll(KafkaSettings.ofGroup(new GroupSettings("g")));
        for (final KafkaKey key : KafkaProperties.KEYS)
        {
            table.append("| ").append(key.name()).append(" | ").append(kafkasDefault(key)).append(" | ")
                .append(becomes(key)).append(" | ")
                .append(ours.containsKey(key.name()) ? text(ours.get(key.name())) : "").append(" | ")
                .append(key.text()).append(" |\n");
        }
        return table.toString();
    }

    private static String kafkasDefault(final KafkaKey key)
    {
        final ConfigDef.ConfigKey kafka = KAFKA.get(key.name());
        return kafka == null ? "" : kafka.hasDefault() ? text(kafka.defaultValue) : "must be given";
    }

    private static String becomes(final KafkaKey key)
    {
        return switch (key.kind())
        {
            case ACCEPTED -> "accepted";
            case OF_GROUP -> "accepted by `joinGroup`";
            case IGNORED -> "ignored" + (key.same() == null ? "" : ", without a note if " + key.same());
            case REJECTED -> "rejected unless " + text(key.same());
        };
    }

    private static String text(final Object value)
    {
        if (value instanceof Collection<?> list)
        {
            return list.isEmpty() ? "empty" :
                list.stream().map(KafkaPropertiesTableTest::text).collect(Collectors.joining(", "));
        }
        final String text = value instanceof Class<?> type ? type.getSimpleName() : String.valueOf(value);
        return value == null ? "not set" : text.isEmpty() ? "empty" : text.replaceFirst("^org\\.apache\\..*\\.", "");
    }
}
