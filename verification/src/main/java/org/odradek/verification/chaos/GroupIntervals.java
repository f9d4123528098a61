// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.HashMap;
import java.util.Map;

/**
 * How often members of a group send heartbeats, and how long they may be silent.
 */
enum GroupIntervals
{
    /** So short that a minute holds many rebalances. */
    SHORT(4_000, 200, 0),
    /** Those of a broker without settings. */
    KAFKA(45_000, 5_000, 1_000);

    private final int sessionMs;
    private final int heartbeatMs;
    private final int assignmentMs;

    GroupIntervals(final int sessionMs, final int heartbeatMs, final int assignmentMs)
    {
        this.sessionMs = sessionMs;
        this.heartbeatMs = heartbeatMs;
        this.assignmentMs = assignmentMs;
    }

    int sessionMs()
    {
        return sessionMs;
    }

    int heartbeatMs()
    {
        return heartbeatMs;
    }

    /** How long a group may take to settle: a member that is gone must expire first. */
    int settlingMs()
    {
        return sessionMs + 2 * heartbeatMs + assignmentMs;
    }

    /** The settings of the brokers. */
    Map<String, String> brokerSettings()
    {
        final Map<String, String> settings = new HashMap<>();
        if (this == SHORT)
        {
            settings.put("group.consumer.min.heartbeat.interval.ms", "100");
            settings.put("group.consumer.heartbeat.interval.ms", String.valueOf(heartbeatMs));
            settings.put("group.consumer.min.session.timeout.ms", "2000");
            settings.put("group.consumer.session.timeout.ms", String.valueOf(sessionMs));
            settings.put("group.consumer.assignment.interval.ms", String.valueOf(assignmentMs));
            settings.put("group.min.session.timeout.ms", "2000");
        }
        return settings;
    }
}
