// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.odradek.protocol.WireFormatException;

import java.util.Locale;

/** What can be wrong with compressed bytes, with the texts of the errors. */
enum CodecFlaw
{
    END("ends too early: %d more bytes were expected"),

    GZIP_LENGTH("is too short for a header"),
    GZIP_MAGIC("has no magic number 1F 8B"),
    GZIP_METHOD("names a method other than deflate"),
    GZIP_FIELD("ends within a field of its header"),
    GZIP_HEADER_CHECKSUM("has a header whose checksum does not match it"),
    GZIP_DATA_END("ends within the deflate data that begins there"),
    GZIP_DATA("has no valid deflate data (%s) in what begins there"),
    GZIP_TRAILER("ends within its trailer"),
    GZIP_CHECKSUM("has content with CRC-32 %d where its trailer has another"),
    GZIP_CONTENT_LENGTH("has content of %d bytes where its trailer has another length"),

    LZ4_MAGIC("has no magic number 04 22 4D 18"),
    LZ4_FLAGS("has flags 0x%x where version 1 without reserved bits was expected"),
    LZ4_DEPENDENT_BLOCKS("has blocks that depend on each other, which neither the stock client nor this one reads"),
    LZ4_DESCRIPTOR("has block descriptor 0x%x where 0x40 to 0x70 was expected"),
    LZ4_HEADER_CHECKSUM("has a header whose checksum does not match it"),
    LZ4_BLOCK_LENGTH("has a block of %d bytes where blocks have at most %d and %d bytes are left"),
    LZ4_BLOCK("has no valid sequences in the block of %d bytes that begins there"),
    LZ4_BLOCK_CHECKSUM("has a block whose checksum does not match it"),

    SNAPPY_HEADER("has the beginning of a stream header without its rest"),
    SNAPPY_VERSION("has framing version %d where at least %d was expected"),
    SNAPPY_BLOCK_LENGTH("has a block of length %d where %d bytes are left"),
    SNAPPY_CLAIM("has a block of %d bytes that claims to hold %d"),
    SNAPPY_CLAIM_END("has a block of %d bytes in which the length of its content has no end"),
    SNAPPY_BLOCK("has no valid elements (%s) in the block that begins there"),

    ZSTD_DATA("is not valid (%s) in what begins there"),

    CODEC("codec %d where 1 to 4 (gzip, snappy, lz4, zstd) was expected"),
    ZSTD_WITH_OLD_MAGIC("codec 4 (zstd) with magic %d where at least 2 was expected"),
    OUTPUT_LENGTH("batch decompresses to more than the %d bytes that it may have; " +
        "raise decompressionBufferMaxLength above that"),
    OUTPUT_CLAIM("batch claims to decompress to %d bytes where it may have %d; " +
        "if it tells the truth, raise decompressionBufferMaxLength to hold it"),
    OUTPUT_MEMORY("its content needs a buffer of %d bytes, for which no direct memory is left: raise " +
        "-XX:MaxDirectMemorySize (it equals -Xmx unless set)");

    static final String[] NAMES = {"none", "gzip", "snappy", "lz4", "zstd"};

    private final String format;

    CodecFlaw(final String format)
    {
        this.format = format;
    }

    WireFormatException exception(final Object... values)
    {
        return new WireFormatException(text(values));
    }

    /** The bytes may be valid. */
    OutputLimitException limit(final Object... values)
    {
        return new OutputLimitException(text(values));
    }

    /** The bytes may be valid. */
    CodecUnavailableException unavailable(final Object... values)
    {
        return new CodecUnavailableException(text(values));
    }

    /**
     * @param index  at which the flaw was found.
     * @param length of the compressed bytes.
     */
    WireFormatException exception(final int codec, final int index, final int length, final Object... values)
    {
        return new WireFormatException(
            NAMES[codec] + " data " + text(values) + ", at byte " + index + " of " + length);
    }

    private String text(final Object... values)
    {
        return String.format(Locale.ROOT, format, values);
    }
}
