// SPDX-License-Identifier: Apache-2.0

import org.odradek.testkit.EmbeddedBroker;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;

/**
 * A broker with three records in the topic demo, and with the topics that the arguments name, until standard input ends;
 * its logger must be alive.
 */
class Outside
{
    public static void main(final String[] args) throws Exception
    {
        LoggerFactory.getLogger(Outside.class).warn("the logger works");
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            broker.createTopic("demo", 1);
            for (final String topic : args)
            {
                broker.createTopic(topic, 1);
            }
            broker.produce("demo", 0, 3, (i) -> ("temperature " + i).getBytes(StandardCharsets.US_ASCII));
            System.out.println(broker.bootstrapServers());
            System.in.read();
        }
    }
}
