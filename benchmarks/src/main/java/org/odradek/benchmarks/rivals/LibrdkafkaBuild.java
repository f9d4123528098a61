// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Makes the program that reads with librdkafka: our source, compiled by the machine's C compiler against the library of
 * {@link LibrdkafkaWheel}, or else against the one that is installed. What was made once is used again, until the
 * source or the pinned version changes.
 */
public final class LibrdkafkaBuild
{
    private static final String PROGRAM = "librdkafka_client";
    private static final List<String> SOURCES =
        List.of("main.c", "client.c", "catchup.c", "live.c", "client.h", "rdkafka_abi.h");
    private static final String BESIDE_PROGRAM = "-Wl,-rpath,$ORIGIN";

    private static NativeProgram program;

    private final Path root;
    private final String python;
    private final String pkgConfig;
    private final String compiler;

    /**
     * @param root folder in which programs are made and kept; the others are commands of the machine.
     */
    LibrdkafkaBuild(final Path root, final String python, final String pkgConfig, final String compiler)
    {
        this.root = root;
        this.python = python;
        this.pkgConfig = pkgConfig;
        this.compiler = compiler;
    }

    /**
     * @return the program, kept in the build folder of this module; never null. Looked for once in a run.
     */
    public static synchronized NativeProgram program()
    {
        if (program == null)
        {
            program = make();
        }
        return program;
    }

    private static NativeProgram make()
    {
        return new LibrdkafkaBuild(buildFolder().resolve("native"), "python3", "pkg-config", "cc").find();
    }

    NativeProgram find()
    {
        try
        {
            final Path fetched = root.resolve(LibrdkafkaWheel.NAME + "-" + sourceHash());
            return NativeProgram.at(isMade(fetched) ? fetched.resolve(PROGRAM) : make(fetched));
        }
        catch (final NativeBuildException ex)
        {
            return NativeProgram.missing(ex.getMessage());
        }
        catch (final IOException ex)
        {
            return NativeProgram.missing("its files could not be written: " + ex.getClass().getSimpleName());
        }
    }

    private static boolean isMade(final Path folder)
    {
        return Files.isExecutable(folder.resolve(PROGRAM));
    }

    /** Made aside and moved in one step, so that of two runs at once neither sees the other's half. */
    private Path make(final Path fetched) throws IOException
    {
        Files.createDirectories(root);
        final Path folder = Files.createTempDirectory(root, "making-");
        try
        {
            for (final String source : SOURCES)
            {
                try (InputStream bytes = LibrdkafkaBuild.class.getResourceAsStream(source))
                {
                    Files.copy(bytes, folder.resolve(source));
                }
            }
            final List<String> linkArguments = linkArguments(folder);
            compile(folder, linkArguments);
            // One made against what is installed must not stand in the place of the pinned version.
            final boolean isFetched = linkArguments.contains(BESIDE_PROGRAM);
            return moved(folder, isFetched ? fetched : root.resolve("installed-" + sourceHash())).resolve(PROGRAM);
        }
        finally
        {
            delete(folder);
        }
    }

    private static Path moved(final Path folder, final Path to) throws IOException
    {
        try
        {
            return Files.move(folder, to, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final FileSystemException ex)
        {
            if (isMade(to))
            {
                return to; // by another run, a moment ago
            }
            throw ex;
        }
    }

    private static void delete(final Path folder) throws IOException
    {
        if (Files.exists(folder))
        {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder))
            {
                for (final Path file : files)
                {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private List<String> linkArguments(final Path folder) throws IOException
    {
        try
        {
            final String library = LibrdkafkaWheel.fetchLibrary(python, folder).getFileName().toString();
            return List.of("./" + library, BESIDE_PROGRAM);
        }
        catch (final NativeBuildException whyNoWheel)
        {
            return installed(folder, whyNoWheel);
        }
    }

    private List<String> installed(final Path folder, final NativeBuildException whyNoWheel) throws IOException
    {
        try
        {
            return List.of(BuildStep.run(folder, "pkg-config", List.of(pkgConfig, "--libs", "rdkafka")).split(" +"));
        }
        catch (final NativeBuildException whyNotInstalled)
        {
            throw new NativeBuildException("librdkafka could neither be fetched (" + whyNoWheel.getMessage() +
                ") nor found on this machine (" + whyNotInstalled.getMessage() + ")");
        }
    }

    private void compile(final Path folder, final List<String> linkArguments) throws IOException
    {
        final List<String> command = new ArrayList<>(List.of(compiler, "-O2", "-std=c11", "-pthread", "-o", PROGRAM));
        SOURCES.stream().filter((source) -> source.endsWith(".c")).forEach(command::add);
        command.addAll(linkArguments);
        BuildStep.run(folder, "compiler", command);
    }

    private static String sourceHash() throws IOException
    {
        final CRC32 crc32 = new CRC32();
        for (final String source : SOURCES)
        {
            try (InputStream bytes = LibrdkafkaBuild.class.getResourceAsStream(source))
            {
                crc32.update(bytes.readAllBytes());
            }
        }
        return Long.toHexString(crc32.getValue());
    }

    /** Classes and jar lie in the module's build folder. Else it is made among temporary files. */
    private static Path buildFolder()
    {
        try
        {
            final Path place =
                Path.of(LibrdkafkaBuild.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return place.getParent().endsWith("target") ?
                place.getParent() :
                Path.of(System.getProperty("java.io.tmpdir"), "odradek-" + System.getProperty("user.name"));
        }
        catch (final URISyntaxException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
