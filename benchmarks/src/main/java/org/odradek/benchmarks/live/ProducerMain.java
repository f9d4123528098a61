// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.arm.LineProcess;
import org.odradek.testkit.ParentLines;

import java.util.Map;

/**
 * The paced producer's JVM: does what each line says, with the words of a client, and answers it. It ends with its
 * parent.
 */
public final class ProducerMain
{
    private final ObjectMapper mapper = new ObjectMapper();
    private final ProducerSettings settings;
    private PacedProducer producer;

    private ProducerMain(final ProducerSettings settings)
    {
        this.settings = settings;
    }

    /**
     * @param args {@link ProducerSettings} as {@code name=value}.
     * @throws JsonProcessingException never: what is written here can be JSON.
     */
    public static void main(final String[] args) throws JsonProcessingException
    {
        try
        {
            final ProducerMain main = new ProducerMain(ProducerSettings.parse(args));
            System.out.println(LineProcess.STARTED);
            while (true)
            {
                main.obey(ParentLines.take());
            }
        }
        catch (final Throwable ex)
        {
            ex.printStackTrace();
            System.out.println(new ObjectMapper().writeValueAsString(Map.of("error", ex.toString())));
            System.exit(1);
        }
    }

    private void obey(final String line) throws InterruptedException, JsonProcessingException
    {
        final String[] words = line.split(" ");
        switch (words[0])
        {
            case ClientProcess.RUN:
                producer = new PacedProducer(
                    words.length == 1 ? settings : settings.atRate(Integer.parseInt(words[1])));
                producer.start();
                System.out.println("{\"state\":\"running\"}");
                break;
            case ClientProcess.MEASURE:
                producer.measure();
                System.out.println("{\"state\":\"measuring\"}");
                break;
            case ClientProcess.STOP:
                final ProducerUsage usage = producer.stop();
                producer.close();
                System.out.println(mapper.writeValueAsString(usage));
                break;
            default:
                throw new IllegalArgumentException("A producer cannot do " + line + ".");
        }
    }
}
