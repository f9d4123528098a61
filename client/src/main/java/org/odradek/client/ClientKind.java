// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/** What writes a counters file. */
public enum ClientKind
{
    CONSUMER(1),
    PUBLISHER(2);

    private final int code;

    ClientKind(final int code)
    {
        this.code = code;
    }

    /** How the file names it. */
    public int code()
    {
        return code;
    }

    /** In a sentence. */
    @Override
    public String toString()
    {
        return this == CONSUMER ? "consumer" : "publisher";
    }

    /** The kind with a code, or null if there is none. */
    static ClientKind of(final int code)
    {
        return code == CONSUMER.code ? CONSUMER : code == PUBLISHER.code ? PUBLISHER : null;
    }
}
