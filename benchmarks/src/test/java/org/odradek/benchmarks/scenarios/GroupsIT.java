// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.clients.Member;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.EmbeddedBroker;

import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One round of the scenario with our members.
 */
@Tag("slow")
class GroupsIT
{
    private static final String SESSION_MS = "6000";

    @Test
    void shouldMeasureEachChangeAndAnIdleMember() throws InterruptedException
    {
        final Map<Metric, List<Double>> figures;
        try (EmbeddedBroker broker = EmbeddedBroker.start(Map.of("group.consumer.min.session.timeout.ms", SESSION_MS,
            "group.consumer.session.timeout.ms", SESSION_MS)))
        {
            figures = new Groups.Members(Cluster.given(broker.bootstrapServers()), Member.ODRADEK,
                Settings.of("sessionMs", SESSION_MS)).run(1);
        }

        assertEquals(Set.of(Metric.JOIN, Metric.LEAVE, Metric.KILL, Metric.REPEATED_AFTER_JOIN,
            Metric.REPEATED_AFTER_LEAVE, Metric.REPEATED_AFTER_KILL, Metric.PROCESS_CPU), figures.keySet());
        assertEquals(2, figures.get(Metric.JOIN).size());
        assertEquals(List.of(0.0, 0.0), figures.get(Metric.REPEATED_AFTER_JOIN));
        assertEquals(List.of(0.0), figures.get(Metric.REPEATED_AFTER_LEAVE));
        assertTrue(figures.get(Metric.KILL).get(0) > 0 && figures.get(Metric.PROCESS_CPU).get(0) > 0,
            figures::toString);
    }
}
