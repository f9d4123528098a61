// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.arm.LineProcess;
import org.odradek.testkit.ParentLines;

import java.io.IOException;
import java.util.Map;

/**
 * A client's JVM: does what each line says and answers it. It ends with its parent.
 */
public final class ClientMain
{
    private final ObjectMapper mapper = new ObjectMapper();
    private final ClientSettings settings;
    private final Profiler profiler;
    private PollingLoop loop;
    private Reading from;

    private ClientMain(final ClientSettings settings, final Profiler profiler)
    {
        this.settings = settings;
        this.profiler = profiler;
    }

    /**
     * @param args {@link ClientSettings} as {@code name=value}.
     * @throws JsonProcessingException never: what is written here can be JSON.
     */
    public static void main(final String[] args) throws JsonProcessingException
    {
        try
        {
            final ClientMain main = new ClientMain(ClientSettings.parse(args), Profiler.of(new Arguments(args)));
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

    private void obey(final String word) throws InterruptedException, IOException
    {
        switch (word)
        {
            case ClientProcess.RUN:
                start(settings);
                break;
            case ClientProcess.PRACTISE:
                start(settings.brief());
                break;
            case ClientProcess.MEASURE:
                from = loop.begin();
                profiler.start();
                say("measuring");
                break;
            case ClientProcess.STOP:
                final Usage usage = loop.end(from);
                profiler.stop();
                loop.stop();
                // Written so that the values read count as used.
                System.err.println("sum of last longs " + loop.sum());
                System.out.println(mapper.writeValueAsString(usage));
                break;
            default:
                throw new IllegalArgumentException("A client cannot do " + word + ".");
        }
    }

    private void start(final ClientSettings chosen)
    {
        loop = new PollingLoop(chosen, "polling");
        loop.start();
        say("running");
    }

    private static void say(final String state)
    {
        System.out.println("{\"state\":\"" + state + "\"}");
    }
}
