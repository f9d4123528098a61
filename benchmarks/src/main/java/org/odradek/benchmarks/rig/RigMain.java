// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.testkit.internal.ParentLines;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;

/**
 * The JVM of a client, a producer or another task: obeys each line that its parent sends and answers it with one line
 * of JSON. It ends with its parent, or when the task fails.
 */
public final class RigMain
{
    private RigMain()
    {
    }

    /** What runs in a process of the rig. It has a constructor of {@link Settings}. */
    public interface Task
    {
        /** Returns the answer, which Jackson can write as an object. The argument is the rest of the line. */
        Object obey(String word, String argument) throws Exception;

        /** Does what there is to do until the parent sends a line. */
        default void idle() throws Exception
        {
        }
    }

    /** @param args the class of the task, then its settings as {@code name=value}. */
    public static void main(final String[] args) throws JsonProcessingException
    {
        final ObjectMapper mapper = new ObjectMapper();
        try
        {
            final Task task =
                Client.create(Task.class, args[0], Settings.parse(Arrays.copyOfRange(args, 1, args.length)));
            System.out.println(mapper.writeValueAsString(state("started")));
            while (true)
            {
                task.idle();
                final String[] words = ParentLines.take().split(" ", 2);
                System.out.println(mapper.writeValueAsString(
                    words[0].equals(Child.COMPILED) ? Map.of("compilerMs", compilerMs()) :
                    task.obey(words[0], words.length == 1 ? "" : words[1])));
            }
        }
        catch (final Throwable ex)
        {
            ex.printStackTrace();
            System.out.println(mapper.writeValueAsString(Map.of("error", ex.toString())));
            System.exit(1);
        }
    }

    /** @return milliseconds that the compilers of this JVM have worked so far. */
    public static long compilerMs()
    {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    /** @return an answer that says in one word what the task does now. */
    public static Map<String, String> state(final String word)
    {
        return Map.of("state", word);
    }
}
