// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.Poller;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.Record;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs a consumer whose class path has nothing but our jars and Agrona: what a program has that leaves out all codecs.
 */
final class CodecsLeftOutTest
{
    private static final int RECORDS = 30_000;
    private static final int CAPTURE_LIMIT = 64 << 20;

    @TempDir
    private Path folder;

    @Test
    void shouldReadWhatNeedsNoLibrary() throws Exception
    {
        final Path file = capture(CompressionType.GZIP);

        final List<String> expected = new ReadWithFewJars().apply(file);

        assertEquals(1, expected.size(), expected::toString);
        assertTrue(Long.parseLong(expected.get(0)) >= RECORDS, expected::toString);
        assertEquals(expected, readWithoutCodecs(file));
    }

    @Test
    void shouldNameTheArtifactThatABatchNeeds() throws Exception
    {
        assertNamed("stopped: snappy data needs org.xerial.snappy:snappy-java, ", CompressionType.SNAPPY);
        assertNamed("stopped: lz4 data needs at.yawk.lz4:lz4-java, ", CompressionType.LZ4);
        assertNamed("stopped: zstd data needs com.github.luben:zstd-jni, ", CompressionType.ZSTD);
    }

    private void assertNamed(final String expected, final int codec) throws Exception
    {
        final List<String> result = readWithoutCodecs(capture(codec));

        assertTrue(Long.parseLong(result.get(0)) > 0, "records before the first compressed batch: " + result);
        assertTrue(result.size() > 1, result::toString);
        // Such a batch is not corrupt, so it is not skipped although corrupt ones are.
        assertTrue(result.get(1).contains(expected + "which is not on the class path"), result::toString);
        assertEquals("CODEC_UNAVAILABLE", result.get(2));
    }

    /** Captures built-in frames: records without a codec, and then by this one. */
    private Path capture(final int codec)
    {
        final Path file = folder.resolve(CompressionType.name(codec));
        new WarmUp().compressionTypes(codec)
            .settings(() -> new ConsumerContext().frameHandler(new FrameCapture(file, CAPTURE_LIMIT)))
            .run((record) -> {}, RECORDS);
        return file;
    }

    @SuppressWarnings("unchecked")
    private static List<String> readWithoutCodecs(final Path file) throws Exception
    {
        final URL[] urls = Stream.of(
            ReadWithFewJars.class, FrameReplay.class, TopicConsumer.class, Poller.class, Record.class,
            UnsafeBuffer.class)
            .map((type) -> type.getProtectionDomain().getCodeSource().getLocation()).toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader()))
        {
            return ((Function<Path, List<String>>)loader.loadClass(ReadWithFewJars.class.getName())
                .getConstructor().newInstance()).apply(file);
        }
    }
}
