// SPDX-License-Identifier: Apache-2.0

/**
 * Has the modules of netty resolved that epoll and BoringSSL need.
 */
module org.odradek.natives
{
    requires io.netty.internal.tcnative.openssl.linux.aarch_64;
    requires io.netty.internal.tcnative.openssl.linux.x86_64;
    requires io.netty.tcnative.classes.openssl;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.epoll.linux.aarch_64;
    requires io.netty.transport.epoll.linux.x86_64;
}
