// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/** Special values of a time in {@link org.odradek.kafka.javaapi.OffsetRequest}. */
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

    /** Returns the time that requests the high watermark. */
    public static long LatestTime()
    {
        return -1;
    }

    /** Returns the time that requests the log start offset. */
    public static long EarliestTime()
    {
        return -2;
    }
}
