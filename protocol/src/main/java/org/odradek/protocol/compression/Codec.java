// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

/**
 * Decompresses batches of one codec. It is created at the first use of the codec. Any bytes may be passed to it: the
 * result is a length or a {@link org.odradek.protocol.WireFormatException}, and only input and output are accessed.
 */
interface Codec
{
    /**
     * @param input  the compressed bytes, from their first to their last.
     * @param output filled from index 0, and grown where necessary.
     * @param magic  of the batch or message that contains the compressed bytes.
     * @return the number of bytes in the output.
     */
    int decompress(CompressedInput input, OutputBuffer output, int magic);

    /** Frees the memory outside of the heap. */
    void close();
}
