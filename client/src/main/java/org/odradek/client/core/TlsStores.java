// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A bridge to what users do not see: how the stores of TLS settings are read. The class of the settings, which is not
 * known here, passes the reader of all settings when it is initialised.
 */
public final class TlsStores
{
    /**
     * Reads the stores of settings.
     *
     * @param load  throws IllegalArgumentException with one sentence that names the file and the problem.
     * @param stamp returns a value that changes with the modification times and sizes of the files.
     */
    public record Reader(Function<Object, TlsMaterial> load, ToLongFunction<Object> stamp)
    {
    }

    /** Volatile, because consumers are made on several threads. */
    private static volatile Reader reader;

    private TlsStores()
    {
    }

    public static void reader(final Reader ofSettings)
    {
        reader = ofSettings;
    }

    /** Whoever has settings has a reader. */
    public static Reader reader()
    {
        return reader;
    }
}
