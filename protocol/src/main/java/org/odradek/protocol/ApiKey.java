// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import java.util.Locale;

/** The APIs of the Kafka protocol that this library uses, with the versions of each that it encodes and decodes. */
public enum ApiKey
{
    /** From version 3 on batches have format version 2. */
    PRODUCE(0, 3, 13, 9, 6),
    FETCH(1, 4, 18, 12, 8),
    LIST_OFFSETS(2, 1, 11, 6, 3),
    METADATA(3, 4, 13, 9, 6),
    OFFSET_COMMIT(8, 2, 10, 8, 4),
    OFFSET_FETCH(9, 1, 10, 6, 4),
    FIND_COORDINATOR(10, 0, 6, 3, 2),
    /** From version 5 on members can be static. */
    JOIN_GROUP(11, 5, 9, 6, 3),
    HEARTBEAT(12, 3, 4, 4, 2),
    /** Versions before 3 name one member, and no static one. */
    LEAVE_GROUP(13, 1, 5, 4, 2),
    SYNC_GROUP(14, 3, 5, 4, 2),
    DESCRIBE_GROUPS(15, 5, 6, 5, 2),
    SASL_HANDSHAKE(17, 0, 1, Short.MAX_VALUE, Short.MAX_VALUE),
    API_VERSIONS(18, 0, 5, 3, 2),
    INIT_PRODUCER_ID(22, 0, 5, 2, 1),
    /** Before version 3 the broker demands rights on the whole cluster. */
    OFFSET_FOR_LEADER_EPOCH(23, 3, 4, 4, 3),
    SASL_AUTHENTICATE(36, 0, 2, 2, Short.MAX_VALUE),
    /** In version 0 the broker makes the member id. */
    CONSUMER_GROUP_HEARTBEAT(68, 1, 1, 0, 0);

    private final short key;
    private final short minVersion;
    private final short maxVersion;
    private final short firstFlexibleVersion;
    private final short firstVersionThrottledByClient;

    ApiKey(
        final int key,
        final int minVersion,
        final int maxVersion,
        final int firstFlexibleVersion,
        final int firstVersionThrottledByClient)
    {
        this.key = (short) key;
        this.minVersion = (short) minVersion;
        this.maxVersion = (short) maxVersion;
        this.firstFlexibleVersion = (short) firstFlexibleVersion;
        this.firstVersionThrottledByClient = (short) firstVersionThrottledByClient;
    }

    /** The name of the API in Kafka's documentation, such as OffsetCommit. */
    public String title()
    {
        final StringBuilder title = new StringBuilder();
        for (final String word : name().split("_"))
        {
            title.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return title.toString();
    }

    public short key()
    {
        return key;
    }

    public short minVersion()
    {
        return minVersion;
    }

    public short maxVersion()
    {
        return maxVersion;
    }

    /** Flexible versions use compact strings and arrays and end every struct with tagged fields. */
    public boolean isFlexible(final int version)
    {
        return version >= firstFlexibleVersion;
    }

    /**
     * True if the client must send nothing on the connection during a response's throttle time (KIP-219). In earlier
     * versions the broker has already waited before it responds.
     */
    public boolean isThrottledByClient(final int version)
    {
        return version >= firstVersionThrottledByClient;
    }

    /** ApiVersions responses always have header 0: the client does not yet know which versions the broker supports. */
    public int responseHeaderVersion(final int version)
    {
        return this != API_VERSIONS && isFlexible(version) ? 1 : 0;
    }

    /** @throws IllegalArgumentException for a version that this library does not support. */
    public void checkVersion(final int version)
    {
        if (version < minVersion || version > maxVersion)
        {
            throw WireError.VERSION.argument(this, version, minVersion, maxVersion);
        }
    }
}
