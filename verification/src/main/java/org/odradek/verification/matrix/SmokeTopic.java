// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

/**
 * A topic of one partition that {@link SmokeWriter} fills with records of known bytes. It uses nothing but the JDK,
 * because it is loaded together with clients of any version.
 *
 * @param codec the compression.type of its producer.
 * @param magic the format in which the broker stores it.
 */
record SmokeTopic(String codec, int magic)
{
    static final int COUNT = 1_000;
    /** Records written after the readers at the end of the log are ready. */
    static final int MORE = 100;
    static final String TRANSACTIONS = "transactions";
    static final String ACKS_ALL = "all";
    static final String ACKS_LEADER = "leader";
    /** Records in each of two committed transactions, and in the aborted one between them. */
    static final int TRANSACTION_LENGTH = 100;
    static final long FIRST_TIMESTAMP_MS = 1_600_000_000_000L;
    static final int TIMESTAMP_STEP_MS = 10;
    static final String HEADER = "number";

    private static final int VALUE_LENGTH = 120;

    static SmokeTopic of(final String name)
    {
        final int dash = name.lastIndexOf('-');
        return new SmokeTopic(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
    }

    /** The topic into which our publisher writes with the codec; acks is one of the two above. */
    String published(final String acks)
    {
        return "published-" + codec + "-" + acks;
    }

    String name()
    {
        return codec + "-" + magic;
    }

    boolean hasTimestamps()
    {
        return magic >= 1;
    }

    boolean hasHeaders()
    {
        return magic >= 2;
    }

    static long timestamp(final int number)
    {
        return FIRST_TIMESTAMP_MS + (long) number * TIMESTAMP_STEP_MS;
    }

    static byte[] key(final int number)
    {
        return new byte[]{(byte) (number >> 8), (byte) number};
    }

    static byte[] value(final int number)
    {
        final byte[] value = new byte[VALUE_LENGTH];
        for (int i = 0; i < VALUE_LENGTH; i++)
        {
            value[i] = (byte) (i < VALUE_LENGTH / 2 ? number + i / 8 : number * i * 31 >> 3);
        }
        return value;
    }
}
