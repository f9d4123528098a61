// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/** Distinguishes the clients that write counters files. */
public enum ClientKind
{
    CONSUMER(1),
    PUBLISHER(2);

    private final int code;

    ClientKind(final int code)
    {
        this.code = code;
    }

    /** Returns the number that stands for this kind in a counters file. */
    public int code()
    {
        return code;
    }

    /** Returns the kind in lower case, for use in a sentence. */
    @Override
    public String toString()
    {
        return this == CONSUMER ? "consumer" : "publisher";
    }

    /** Returns the kind with this code, or null if there is none. */
    static ClientKind of(final int code)
    {
        return code == CONSUMER.code ? CONSUMER : code == PUBLISHER.code ? PUBLISHER : null;
    }
}
