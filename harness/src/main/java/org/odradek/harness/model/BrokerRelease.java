// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import java.util.ArrayList;
import java.util.List;

/** A release of Apache Kafka between 0.11 and 4.4; 0.11 counts as major release 0. */
public record BrokerRelease(int major, int minor)
{
    /** The release whose jars the build uses. */
    public static final BrokerRelease NEWEST = new BrokerRelease(4, 4);

    /** All releases, ascending. */
    public static final List<BrokerRelease> ALL = all();

    private static List<BrokerRelease> all()
    {
        final List<BrokerRelease> all = new ArrayList<>();
        all.add(new BrokerRelease(0, 11));
        final int[] lastMinors = {1, 8, 9, 4};
        for (int major = 1; major <= lastMinors.length; major++)
        {
            for (int minor = 0; minor <= lastMinors[major - 1]; minor++)
            {
                all.add(new BrokerRelease(major, minor));
            }
        }
        return List.copyOf(all);
    }

    public boolean isBefore(final int otherMajor, final int otherMinor)
    {
        return major < otherMajor || major == otherMajor && minor < otherMinor;
    }

    @Override
    public String toString()
    {
        return major + "." + minor;
    }
}
