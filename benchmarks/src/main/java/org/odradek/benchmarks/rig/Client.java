// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;

/**
 * A client under measurement. It reads the partitions of a topic and gives every value to a {@link Sink}. It has a
 * constructor of {@link Settings} and a sink; one thread makes, polls and closes it, and asks for its fetches.
 */
public interface Client extends AutoCloseable
{
    /** Delivers the records that are there, and waits for some up to the poll timeout. */
    void poll() throws IOException;

    /** Polls until the sink has so many records, or {@link System#nanoTime()} is this. */
    default void pollUntil(final Sink sink, final long records, final long deadlineNs) throws IOException
    {
        while (sink.records() < records && System.nanoTime() - deadlineNs < 0)
        {
            poll();
        }
    }

    /** @return fetch requests answered so far. */
    default long fetches()
    {
        return 0;
    }

    /** Lets every partition be read from offset 0 on. */
    default void rewind() throws IOException
    {
        throw new UnsupportedOperationException("This client reads live topics only.");
    }

    /** Lets the fetch end that waits at the end of the log, so that the next pass does not begin with that wait. */
    default void rest()
    {
    }

    @Override
    default void close() throws IOException
    {
    }

    /** Returns a client of the class that the settings name; it knows where it begins to read. */
    static Client open(final Settings settings, final Sink sink)
    {
        return create(Client.class, settings.text("client"), settings, sink);
    }

    /** Returns a new object of a class that is known by its name and has one public constructor. */
    static <T> T create(final Class<T> type, final String className, final Object... arguments)
    {
        try
        {
            return type.cast(Class.forName(className).getConstructors()[0].newInstance(arguments));
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(ex.getCause());
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalArgumentException(className + " cannot be made: " + ex.getMessage(), ex);
        }
    }
}
