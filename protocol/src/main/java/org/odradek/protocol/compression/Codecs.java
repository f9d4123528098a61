// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import java.util.function.Supplier;

/** The names of the codecs, and the loading of their libraries when a codec is used for the first time. */
final class Codecs
{
    static final int GZIP = 1;
    static final int SNAPPY = 2;
    static final int LZ4 = 3;
    static final int ZSTD = 4;

    private static final String[] ARTIFACTS =
    {
        "", "", "org.xerial.snappy:snappy-java", "at.yawk.lz4:lz4-java", "com.github.luben:zstd-jni"
    };

    private Codecs()
    {
    }

    /** @throws CodecUnavailableException if the library of the codec cannot be used. */
    static Codec load(final int codec)
    {
        return load(codec, () -> switch (codec)
        {
            case GZIP -> new GzipCodec();
            case SNAPPY -> new SnappyCodec();
            case LZ4 -> new Lz4Codec();
            default -> new ZstdCodec();
        });
    }

    /** @throws CodecUnavailableException if the library of the codec cannot be used. */
    static CodecEncoder encoder(final int codec, final int level)
    {
        return load(codec, () -> switch (codec)
        {
            case GZIP -> new GzipEncoder(level);
            case SNAPPY -> new SnappyEncoder();
            case LZ4 -> new Lz4Encoder(level);
            default -> new ZstdEncoder(level);
        });
    }

    private static <T> T load(final int codec, final Supplier<T> constructor)
    {
        try
        {
            return constructor.get();
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
        final String start = CodecFlaw.NAMES[codec] + " data needs " + ARTIFACTS[codec] + ", ";
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

    static IllegalArgumentException tooLong(final int length, final int maxLength)
    {
        return new IllegalArgumentException("records of " + length + " bytes where at most " + maxLength +
            " were expected");
    }

    static IllegalArgumentException wrongLength(final int initialLength, final int maxLength)
    {
        return new IllegalArgumentException("initial length " + initialLength + " where 1 to " + maxLength +
            ", the greatest length, was expected");
    }
}
