// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * What a source reads of a record. Each source emits the same object again and again.
 */
public final class Sample
{
    static final TypeInformation<Sample> TYPE = TypeInformation.of(Sample.class);

    public long offset;
    public int length;
    /** The first of the three longs of the value. */
    public long first;
    /** The sum of the second and the third. */
    public long others;
}
