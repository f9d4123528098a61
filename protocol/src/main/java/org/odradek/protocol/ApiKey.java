// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

/**
 * The APIs we speak, with the versions of each that we encode and decode.
 */
public enum ApiKey
{
    FETCH(1, 4, 18, 12),
    LIST_OFFSETS(2, 1, 11, 6),
    METADATA(3, 4, 13, 9),
    OFFSET_COMMIT(8, 2, 10, 8),
    OFFSET_FETCH(9, 1, 10, 6),
    FIND_COORDINATOR(10, 0, 6, 3),
    API_VERSIONS(18, 0, 5, 3),
    /** Before version 3 a consumer may ask only with rights on the whole cluster. */
    OFFSET_FOR_LEADER_EPOCH(23, 3, 4, 4);

    private final short key;
    private final short minVersion;
    private final short maxVersion;
    private final short firstFlexibleVersion;

    ApiKey(final int key, final int minVersion, final int maxVersion, final int firstFlexibleVersion)
    {
        this.key = (short) key;
        this.minVersion = (short) minVersion;
        this.maxVersion = (short) maxVersion;
        this.firstFlexibleVersion = (short) firstFlexibleVersion;
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

    public int requestHeaderVersion(final int version)
    {
        return isFlexible(version) ? 2 : 1;
    }

    /** The answer to ApiVersions has header 0 whatever its body: who asks does not yet know what the broker speaks. */
    public int responseHeaderVersion(final int version)
    {
        return this != API_VERSIONS && isFlexible(version) ? 1 : 0;
    }

    /**
     * @throws IllegalArgumentException for a version that we do not speak.
     */
    public void checkVersion(final int version)
    {
        if (version < minVersion || version > maxVersion)
        {
            throw new IllegalArgumentException(
                name() + " version " + version + " is outside of " + minVersion + " to " + maxVersion);
        }
    }
}
