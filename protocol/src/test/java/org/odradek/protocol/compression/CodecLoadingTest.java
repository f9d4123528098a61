// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import com.github.luben.zstd.Zstd;
import net.jpountz.lz4.LZ4Factory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.xerial.snappy.Snappy;

import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Decompresses with a class path that lacks libraries, or with libraries whose native part cannot be loaded. */
class CodecLoadingTest
{
    private static final byte[] CONTENT = Streams.content(new Random(1), 1_000, 2);
    private static final Class<?>[] LIBRARIES = {null, null, Snappy.class, LZ4Factory.class, Zstd.class};
    private static final String[] ARTIFACTS =
    {
        null, null, "snappy data needs org.xerial.snappy:snappy-java", "lz4 data needs at.yawk.lz4:lz4-java",
        "zstd data needs com.github.luben:zstd-jni"
    };

    @Test
    void shouldLoadOnlyTheLibrariesOfTheCodecsThatItReads() throws Exception
    {
        for (int missing = Streams.SNAPPY; missing <= Streams.ZSTD; missing++)
        {
            try (URLClassLoader loader = loaderWithout(LIBRARIES[missing]))
            {
                final Object decompressor = decompressor(loader);
                for (int codec = Streams.GZIP; codec <= Streams.ZSTD; codec++)
                {
                    if (codec != missing)
                    {
                        assertEquals(CONTENT.length, decompress(decompressor, codec));
                    }
                }
                assertUnavailable(ARTIFACTS[missing] + ", which is not on the class path", decompressor, missing);
                assertUnavailable(ARTIFACTS[missing] + ", which is not on the class path", decompressor, missing);
                assertEquals(CONTENT.length, decompress(decompressor, Streams.GZIP));
            }
        }
    }

    @Test
    void shouldNameTheArtifactWhoseNativePartCannotBeLoaded() throws Exception
    {
        assertNativePartMissing("org.xerial.snappy.use.systemlib", "true", Streams.SNAPPY);
        assertNativePartMissing("ZstdNativePath", "/nowhere/libzstd.so", Streams.ZSTD);
    }

    private static void assertNativePartMissing(final String property, final String value, final int codec)
        throws Exception
    {
        // Loads the library for the stock client, which the property must not stop.
        Streams.byStockClient(codec, Streams.MAGIC, CONTENT);
        System.setProperty(property, value);
        try (URLClassLoader loader = loaderWithout(null))
        {
            final Object decompressor = decompressor(loader);
            final String start = ARTIFACTS[codec] + ", whose native part cannot be loaded here: ";
            assertUnavailable(start, decompressor, codec);
            assertUnavailable(start, decompressor, codec);
            assertEquals(CONTENT.length, decompress(decompressor, Streams.GZIP));
        }
        finally
        {
            System.clearProperty(property);
        }
    }

    private static void assertUnavailable(final String start, final Object decompressor, final int codec)
        throws ReflectiveOperationException
    {
        final Throwable failure = assertThrows(
            InvocationTargetException.class, () -> decompress(decompressor, codec)).getCause();
        assertEquals(CodecUnavailableException.class.getName(), failure.getClass().getName());
        assertTrue(failure.getMessage().startsWith(start), failure.getMessage());
        assertEquals(false, failure.getClass().getMethod("isMemoryMissing").invoke(failure));
    }

    private static URLClassLoader loaderWithout(final Class<?> missing)
    {
        final URL[] urls = Arrays.stream(
            new Class<?>[]{Decompressor.class, UnsafeBuffer.class, Snappy.class, LZ4Factory.class, Zstd.class})
            .filter((library) -> library != missing)
            .map((library) -> library.getProtectionDomain().getCodeSource().getLocation())
            .toArray(URL[]::new);
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static Object decompressor(final ClassLoader loader) throws ReflectiveOperationException
    {
        return loader.loadClass(Decompressor.class.getName()).getConstructor(int.class, int.class)
            .newInstance(CONTENT.length, CONTENT.length);
    }

    private static Object decompress(final Object decompressor, final int codec) throws ReflectiveOperationException
    {
        final byte[] stream = Streams.byStockClient(codec, Streams.MAGIC, CONTENT);
        return decompressor.getClass()
            .getMethod("decompress", int.class, int.class, ByteBuffer.class, int.class, int.class)
            .invoke(decompressor, codec, Streams.MAGIC, ByteBuffer.allocateDirect(stream.length).put(0, stream), 0,
                stream.length);
    }
}
