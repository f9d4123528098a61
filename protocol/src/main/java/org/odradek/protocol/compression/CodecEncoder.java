// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/** Compresses batches with one codec. */
interface CodecEncoder
{
    /** Stands for the level that Kafka's producer uses by default. */
    int DEFAULT_LEVEL = Integer.MIN_VALUE;
    /** Result of {@link #compress}: the compressed bytes would not be shorter. */
    int NOT_SHORTER = -1;

    /**
     * Compresses a range of direct memory. It may move the positions and limits of both buffers.
     *
     * @param length of the source; the output has room for the longest result.
     * @param view   of the output, for single fields.
     * @return the number of bytes in the output, or {@link #NOT_SHORTER}.
     */
    int compress(ByteBuffer source, int index, int length, ByteBuffer output, UnsafeBuffer view);

    /** Frees the memory outside of the heap. */
    void close();
}
