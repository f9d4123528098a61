// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * How fast the producer sends, and how long each client is warmed up and measured.
 *
 * @param rate            records a second.
 * @param warmUpSeconds   discarded.
 * @param measuredSeconds counted.
 * @param bootstrap       of a cluster to use, or null for a broker of the demo's own.
 */
record DemoPlan(int rate, int warmUpSeconds, int measuredSeconds, String bootstrap)
{
    private static final int WARM_UP_SECONDS = 20;

    static DemoPlan of(final int rate, final int seconds, final String bootstrap)
    {
        return new DemoPlan(rate, WARM_UP_SECONDS, seconds, bootstrap);
    }

    ObjectNode toJson()
    {
        return JsonNodeFactory.instance.objectNode()
            .put("rate", rate)
            .put("valueLength", FetchSettings.VALUE_LENGTH)
            .put("producerLingerMs", PacedProducer.LINGER_MS)
            .put("warmUpSeconds", warmUpSeconds)
            .put("measuredSeconds", measuredSeconds)
            .put("ownBroker", bootstrap == null)
            .put("clients", FetchSettings.sentence());
    }
}
