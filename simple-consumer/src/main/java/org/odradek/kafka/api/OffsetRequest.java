// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/**
 * The times that are none; the request itself is {@link org.odradek.kafka.javaapi.OffsetRequest}.
 */
public final class OffsetRequest
{
    private OffsetRequest()
    {
    }

    public static short CurrentVersion()
    {
        return 0;
    }

    public static String DefaultClientId()
    {
        return "";
    }

    /**
     * @return stands for the offset of the next message to be written.
     */
    public static long LatestTime()
    {
        return -1;
    }

    /**
     * @return stands for the offset of the first message there is.
     */
    public static long EarliestTime()
    {
        return -2;
    }
}
