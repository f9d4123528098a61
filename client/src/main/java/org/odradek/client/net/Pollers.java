// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.Causes;
import org.odradek.client.core.Releases;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Opens the poller for a {@link TransportType} on this system. Netty is an optional dependency, so this class catches
 * the linkage errors of {@link EpollPoller}.
 */
public final class Pollers
{
    /** The file with the memory mappings of this process, which shows its C library. */
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final String MUSL_LOADER_PREFIX = "/ld-musl-";

    private Pollers()
    {
    }

    /** @throws IllegalStateException if {@link TransportType#EPOLL} is requested and does not work here. */
    public static Poller open(final TransportType type)
    {
        return open(type, System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /** Returns {@code shared} or, if that is null, a new poller that {@code releases} will close. */
    public static Poller open(final Poller shared, final TransportType type, final Releases releases)
    {
        if (shared != null)
        {
            return shared;
        }
        final Poller opened = open(type);
        releases.push(opened::close);
        return opened;
    }

    static Poller open(final TransportType type, final String osName, final String osArch)
    {
        if (TransportType.NIO == type)
        {
            return new NioPoller("nio");
        }
        if (!"Linux".equals(osName))
        {
            return fallBack(type, osArch, "this system is " + osName + ", not Linux");
        }
        try
        {
            final Throwable cause = EpollPoller.unavailabilityCause();
            return null == cause ? openEpoll(type) : fallBack(type, osArch, reason(cause, MAPS));
        }
        catch (final LinkageError ex)
        {
            return fallBack(type, osArch, reason(ex, MAPS));
        }
    }

    private static Poller openEpoll(final TransportType type)
    {
        final Poller epoll = new EpollPoller("epoll");
        return TransportType.AUTO == type && VirtualThreads.exist() ? new AutoPoller(epoll) : epoll;
    }

    private static Poller fallBack(final TransportType type, final String osArch, final String reason)
    {
        if (TransportType.EPOLL == type)
        {
            throw new IllegalStateException("The transport EPOLL needs io.netty:netty-transport-native-epoll with " +
                "the classifier " + classifier(osArch) + ", and is not available because " + reason + ".");
        }
        return new NioPoller("nio: epoll not available because " + reason);
    }

    static String classifier(final String osArch)
    {
        return "aarch64".equals(osArch) ? "linux-aarch_64" :
            "amd64".equals(osArch) ? "linux-x86_64" : "linux-" + osArch;
    }

    static String reason(final Throwable cause, final Path maps)
    {
        if (cause instanceof NoClassDefFoundError)
        {
            return "netty's classes are missing (odradek-native has them) or of another version (" +
                firstLine(cause) + ")" +
                (Pollers.class.getModule().isNamed() ? "; on the module path, require module org.odradek.natives" : "");
        }
        if (hasMusl(maps))
        {
            return "the C library is musl and netty's native library needs glibc";
        }
        return "netty's native library does not load (" + firstLine(Causes.innermost(cause)) + ")";
    }

    private static boolean hasMusl(final Path maps)
    {
        try (Stream<String> lines = Files.lines(maps))
        {
            return lines.anyMatch((line) -> line.contains(MUSL_LOADER_PREFIX));
        }
        catch (final IOException | UncheckedIOException ignore)
        {
            return false;
        }
    }

    private static String firstLine(final Throwable cause)
    {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("no message");
    }
}
