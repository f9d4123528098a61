// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import io.netty.resolver.AddressResolver;
import io.netty.util.concurrent.ThreadAwareExecutor;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PollersTest
{
    private static final String ARTIFACT = "io.netty:netty-transport-native-epoll";
    private static final Class<?>[] NETTY =
    {
        Epoll.class, Socket.class, IoHandler.class, ByteBuf.class, AddressResolver.class, ThreadAwareExecutor.class
    };

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldUseEpollOnLinux()
    {
        assertEquals("epoll", descriptionAndClose(Pollers.open(TransportType.AUTO)));
        assertEquals("epoll", descriptionAndClose(Pollers.open(TransportType.EPOLL)));
    }

    @Test
    void shouldUseNioWhenRequested()
    {
        assertEquals("nio", descriptionAndClose(Pollers.open(TransportType.NIO)));
    }

    @Test
    void shouldFallBackOnOtherSystems()
    {
        assertEquals(
            "nio: epoll not available because this system is Mac OS X, not Linux",
            descriptionAndClose(Pollers.open(TransportType.AUTO, "Mac OS X", "aarch64")));
    }

    @Test
    void shouldNameArtifactWhenEpollIsRequestedAndMissing()
    {
        final IllegalStateException ex = assertThrows(
            IllegalStateException.class, () -> Pollers.open(TransportType.EPOLL, "Mac OS X", "aarch64"));

        assertEquals(
            "The transport EPOLL needs " + ARTIFACT + " with the classifier linux-aarch_64, " +
            "and is not available because this system is Mac OS X, not Linux.", ex.getMessage());
    }

    @Test
    void shouldNameClassifierOfProcessor()
    {
        assertEquals("linux-x86_64", Pollers.classifier("amd64"));
        assertEquals("linux-aarch_64", Pollers.classifier("aarch64"));
        assertEquals("linux-riscv64", Pollers.classifier("riscv64"));
    }

    @Test
    void shouldSurviveMissingNettyClasses() throws Exception
    {
        try (URLClassLoader loader = classLoader())
        {
            assertFallsBack(loader, "netty's classes are missing");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSurviveMissingNativeLibrary() throws Exception
    {
        try (URLClassLoader loader = classLoader(NETTY))
        {
            assertFallsBack(loader, "netty's native library does not load");
        }
    }

    @Test
    void shouldNameMuslAsReason(@TempDir final Path folder) throws IOException
    {
        final Throwable cause = new UnsatisfiedLinkError("ld-linux-x86-64.so.2: No such file");
        assertEquals(
            "netty's native library does not load (ld-linux-x86-64.so.2: No such file)",
            Pollers.reason(cause, folder.resolve("none")));

        final Path maps = Files.writeString(folder.resolve("maps"),
            "7f0c2a400000-7f0c2a494000 r--p 00000000 fe:00 1835031 /lib/ld-musl-x86_64.so.1\n");
        assertEquals(
            "the C library is musl and netty's native library needs glibc",
            Pollers.reason(cause, maps));
    }

    @Test
    void shouldNameInnermostCauseInOneLine()
    {
        final Throwable cause = new ExceptionInInitializerError(new UnsatisfiedLinkError("first\nsecond"));

        assertEquals(
            "netty's native library does not load (first)", Pollers.reason(cause, Path.of("no such file")));
    }

    private static String descriptionAndClose(final Poller poller)
    {
        final String description = poller.description();
        poller.close();
        return description;
    }

    /** Loads our classes, Agrona's, and only the given ones of netty. */
    private static URLClassLoader classLoader(final Class<?>... others)
    {
        final URL[] urls = new URL[2 + others.length];
        urls[0] = location(Poller.class);
        urls[1] = location(BufferUtil.class);
        for (int i = 0; i < others.length; i++)
        {
            urls[2 + i] = location(others[i]);
        }
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static URL location(final Class<?> type)
    {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static void assertFallsBack(final ClassLoader loader, final String reason) throws Exception
    {
        final Object poller = open(loader, "AUTO");
        final Class<?> pollerType = loader.loadClass(Poller.class.getName());
        final String description = (String) pollerType.getMethod("description").invoke(poller);
        pollerType.getMethod("close").invoke(poller);
        assertTrue(description.startsWith("nio: epoll not available because " + reason), description);

        final Throwable ex = assertThrows(ReflectiveOperationException.class, () -> open(loader, "EPOLL")).getCause();
        assertInstanceOf(IllegalStateException.class, ex);
        assertTrue(ex.getMessage().contains(ARTIFACT) && ex.getMessage().contains(reason), ex.getMessage());
    }

    private static Object open(final ClassLoader loader, final String type) throws ReflectiveOperationException
    {
        final Class<?> typeClass = loader.loadClass(TransportType.class.getName());
        return loader.loadClass(Pollers.class.getName())
            .getMethod("open", typeClass)
            .invoke(null, typeClass.getField(type).get(null));
    }
}
