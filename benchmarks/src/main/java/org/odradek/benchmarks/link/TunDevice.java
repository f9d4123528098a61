// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A network device of Linux whose packets are this process's to read and to write. It is there until the process ends.
 *
 * @see <a href="https://docs.kernel.org/networking/tuntap.html">Universal TUN/TAP device driver</a>
 */
final class TunDevice
{
    private static final String PATH = "/dev/net/tun";
    private static final int O_RDWR = 2;
    private static final long TUNSETIFF = 0x400454ca;
    private static final short IFF_TUN_AND_NO_PI = 0x1001;
    private static final int REQUEST_LENGTH = 40;
    private static final int FLAGS_INDEX = 16;

    static
    {
        Native.register(TunDevice.class, Platform.C_LIBRARY_NAME);
    }

    private final int descriptor;
    private final String name;

    /** Makes the device, down and without an address. */
    TunDevice(final String name)
    {
        this.name = name;
        final byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        final ByteBuffer request = ByteBuffer.allocate(REQUEST_LENGTH).order(ByteOrder.nativeOrder());
        request.put(bytes).putShort(FLAGS_INDEX, IFF_TUN_AND_NO_PI);
        descriptor = open(PATH, O_RDWR);
        ioctl(descriptor, TUNSETIFF, request.array());
    }

    String name()
    {
        return name;
    }

    /** Waits for a packet of the kernel, and returns its length. */
    int read(final long address, final int capacity)
    {
        return (int) read(descriptor, address, capacity);
    }

    /** Passes a packet to the kernel. */
    void write(final long address, final int length)
    {
        write(descriptor, address, length);
    }

    // The sizes and addresses of C are longs on every 64-bit Linux.

    private static native int open(String path, int flags) throws LastErrorException;

    private static native int ioctl(int descriptor, long request, byte[] argument) throws LastErrorException;

    private static native long read(int descriptor, long address, long length) throws LastErrorException;

    private static native long write(int descriptor, long address, long length) throws LastErrorException;
}
