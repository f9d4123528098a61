// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/**
 * Special values of a time; the request itself is {@link org.odradek.kafka.javaapi.OffsetRequest}.
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
     * @return the value that means the offset of the next message to be written.
     */
    public static long LatestTime()
    {
        return -1;
    }

    /**
     * @return the value that means the offset of the first message in the log.
     */
    public static long EarliestTime()
    {
        return -2;
    }
}
