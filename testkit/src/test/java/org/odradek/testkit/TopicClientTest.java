// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class TopicClientTest
{
    /** It would create an admin client that is never closed. */
    @Test
    void shouldNotBeUsedOnceClosed()
    {
        final TopicClient client = new TopicClient(TcpProxy.HOST + ":1");
        client.close();

        final Exception failure = assertThrows(IllegalStateException.class, client::admin);

        assertEquals("This client is closed.", failure.getMessage());
        assertThrows(IllegalStateException.class, () -> client.deleteTopic("any"));
    }
}
