// SPDX-License-Identifier: Apache-2.0

/**
 * The link between clients and a broker that is far away. {@code TunLink} joins two network namespaces: real TCP, whose
 * packets {@code TunTask} passes on late. It needs Linux, root and {@code /dev/net/tun}. Elsewhere {@code DelayLine}
 * takes its place, a proxy that passes bytes on late and at most so many of them in a round trip.
 */
package org.odradek.benchmarks.link;
