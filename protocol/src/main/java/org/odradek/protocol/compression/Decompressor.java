// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;

/**
 * Decompresses batches, one at a time, into one piece of direct memory. A consumer has one, made at start; nothing is
 * allocated by it except when a codec is used for the first time, when the output grows, and for errors. What it is
 * given may be anything: it ends in a length or an exception, and nothing outside source and output is touched.
 */
public final class Decompressor implements AutoCloseable
{
    /** The setting that errors name: the most bytes that one batch may decompress to. */
    public static final String MAX_LENGTH_SETTING = "decompressionBufferMaxLength";

    private static final int GZIP = 1;
    private static final int SNAPPY = 2;
    private static final int LZ4 = 3;
    private static final int ZSTD = 4;
    private static final int MIN_MAGIC_OF_ZSTD = 2;

    private static final String[] NAMES = {"none", "gzip", "snappy", "lz4", "zstd"};
    private static final String[] ARTIFACTS =
    {
        "", "", "org.xerial.snappy:snappy-java", "at.yawk.lz4:lz4-java", "com.github.luben:zstd-jni"
    };

    private final Codec[] codecs = new Codec[NAMES.length];
    private final CompressedInput input = new CompressedInput();
    private final OutputBuffer output;

    /**
     * @param initialLength of the output in bytes.
     * @param maxLength     in bytes that the output may grow to; no batch may decompress to more.
     */
    public Decompressor(final int initialLength, final int maxLength)
    {
        this(allocate(initialLength, maxLength), maxLength);
    }

    Decompressor(final ByteBuffer output, final int maxLength)
    {
        this.output = new OutputBuffer(output, maxLength);
    }

    /**
     * Decompress a whole batch.
     *
     * @param codec  the three low bits of the attributes: 1 gzip, 2 snappy, 3 lz4, 4 zstd.
     * @param magic  of the batch or message, 0 to 2.
     * @param source direct memory; its position and limit are moved while this runs, and put back.
     * @param index  of the first compressed byte.
     * @param length of the compressed bytes.
     * @return how many bytes of the {@link #output()} they came to, from index 0.
     * @throws WireFormatException       if the bytes are not what the codec writes, or come to more than the cap.
     * @throws CodecUnavailableException if the codec's library cannot be used.
     */
    public int decompress(final int codec, final int magic, final ByteBuffer source, final int index, final int length)
    {
        final int sourcePosition = source.position();
        final int sourceLimit = source.limit();
        try
        {
            source.limit(index + length).position(index);
            final Codec decoder = codec(codec, magic);
            input.wrap(NAMES[codec], source, index, length);
            return decoder.decompress(input, output, magic);
        }
        finally
        {
            source.limit(sourceLimit).position(sourcePosition);
            output.byteBuffer().clear();
        }
    }

    /**
     * The direct memory that holds the last batch. Another one whenever {@link #growthCount()} has risen, be it by a
     * call that failed: the old one is freed then, and no view of it may be used again.
     */
    public ByteBuffer output()
    {
        return output.byteBuffer();
    }

    /** How often the output has been replaced by a larger one. */
    public long growthCount()
    {
        return output.growthCount();
    }

    /** Give the memory back at once. Neither this nor any view of the output may be used again. */
    @Override
    public void close()
    {
        for (final Codec codec : codecs)
        {
            if (null != codec)
            {
                codec.close();
            }
        }
        output.free();
    }

    private Codec codec(final int codec, final int magic)
    {
        if (codec < GZIP || codec > ZSTD)
        {
            throw new WireFormatException("codec " + codec + " where 1 to 4 (gzip, snappy, lz4, zstd) was expected");
        }
        if (ZSTD == codec && magic < MIN_MAGIC_OF_ZSTD)
        {
            throw new WireFormatException("codec 4 (zstd) with magic " + magic + " where at least " +
                MIN_MAGIC_OF_ZSTD + " was expected");
        }
        if (null == codecs[codec])
        {
            codecs[codec] = load(codec);
        }
        return codecs[codec];
    }

    private static Codec load(final int codec)
    {
        try
        {
            return switch (codec)
            {
                case GZIP -> new GzipCodec();
                case SNAPPY -> new SnappyCodec();
                case LZ4 -> new Lz4Codec();
                default -> new ZstdCodec();
            };
        }
        catch (final VirtualMachineError ex)
        {
            throw ex;
        }
        catch (final Error ex)
        {
            // The libraries throw LinkageError, AssertionError and an Error of their own.
            throw new CodecUnavailableException(unavailable(codec, ex), ex);
        }
    }

    private static String unavailable(final int codec, final Error error)
    {
        final String start = NAMES[codec] + " data needs " + ARTIFACTS[codec] + ", ";
        if (error instanceof NoClassDefFoundError && error.getCause() instanceof ClassNotFoundException)
        {
            return start + "which is not on the class path";
        }
        Throwable root = error;
        while (null != root.getCause())
        {
            root = root.getCause();
        }
        return start + "whose native part cannot be loaded here: " + root;
    }

    private static ByteBuffer allocate(final int initialLength, final int maxLength)
    {
        if (initialLength < 1 || initialLength > maxLength)
        {
            throw new IllegalArgumentException("initial length " + initialLength + " where 1 to " + maxLength +
                ", the greatest length, was expected");
        }
        return ByteBuffer.allocateDirect(initialLength);
    }
}
