// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Gives other packages access to the methods of the TLS settings that read the stores, which users do not see. */
public final class TlsStores
{
    /**
     * @param load  reads the stores; throws an IllegalArgumentException whose message names the store and the problem.
     * @param stamp returns a value that changes with the modification times and sizes of the files.
     */
    public record Reader(Function<Object, TlsMaterial> load, ToLongFunction<Object> stamp)
    {
    }

    private static volatile Reader reader;

    private TlsStores()
    {
    }

    public static void reader(final Reader ofSettings)
    {
        reader = ofSettings;
    }

    /** Returns the reader, or null before the class of the TLS settings is initialized. */
    public static Reader reader()
    {
        return reader;
    }
}
