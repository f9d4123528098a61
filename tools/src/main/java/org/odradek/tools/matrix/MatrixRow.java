// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.matrix;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.odradek.tools.numbers.Environment;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What came of one version, as JSON, which is also how it is kept.
 */
final class MatrixRow
{
    private MatrixRow()
    {
    }

    static ObjectNode of(final KafkaVersion version, final SmokeTally tally)
    {
        final List<SmokeTopic> topics = version.topics();
        final ObjectNode row = JsonNodeFactory.instance.objectNode();
        row.put("version", version.text());
        row.put("metadata", version.hasZooKeeper() ? "ZooKeeper" : "KRaft");
        row.put("magic", topics.stream().map((topic) -> Integer.toString(topic.magic())).distinct()
            .collect(Collectors.joining(", ")));
        row.put("codecs", topics.stream().map(SmokeTopic::codec).distinct().collect(Collectors.joining(", ")));
        row.put("readings", tally.readings());
        row.put("records", tally.records());
        row.put("lost", tally.lost());
        row.put("repeated", tally.repeated());
        row.put("wrong", tally.wrong());
        row.put("passed", tally.problems().isEmpty() && tally.records() > 0);
        row.put("problems", tally.problems().stream()
            .map((problem) -> problem.lines().findFirst().orElse("")).collect(Collectors.joining("; ")));
        row.set("environment", Environment.here());
        return row;
    }

    static boolean isPassed(final JsonNode row)
    {
        return row.path("passed").asBoolean();
    }
}
