// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

/**
 * One codec: made at its first use, then used for every batch of that codec. What it is given may be anything: it ends
 * in a length or a {@link org.odradek.protocol.WireFormatException}, and touches nothing but the input and the output.
 */
interface Codec
{
    /**
     * @param input  the compressed bytes, from their first to their last.
     * @param output to fill from index 0, grown where it must be.
     * @param magic  of the format that the compressed bytes stand in.
     * @return how many bytes of the output are filled.
     */
    int decompress(CompressedInput input, OutputBuffer output, int magic);

    /** Give back what is held outside the heap. */
    void close();
}
