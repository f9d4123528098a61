// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.odradek.client.Poller;
import org.odradek.harness.ActingPredicates;
import org.odradek.protocol.ApiKey;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A method that is named like a question answers it, and does nothing else. */
class PredicatesTest
{
    @Test
    void shouldNotAct()
    {
        assertEquals(List.of(), ActingPredicates.in(TopicConsumer.class, Poller.class, ApiKey.class));
    }
}
