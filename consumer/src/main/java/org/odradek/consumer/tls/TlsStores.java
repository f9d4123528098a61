// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.tls;

/**
 * A bridge to what users do not see: how the stores of TLS settings are read. The class of the settings, which is not
 * known here, passes the reader of all settings when it is initialised.
 */
public final class TlsStores
{
    /** Reads the stores of settings. */
    public interface Reader
    {
        /** @throws IllegalArgumentException with one sentence that names the file and the problem. */
        TlsMaterial load(Object settings);

        /** A value that changes with the modification times and sizes of the files. */
        long stamp(Object settings);
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
