// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the four codecs. They compress and decompress from direct memory to direct memory and do not allocate once
 * they are warm. Each codec is loaded at its first use, so that a program needs the libraries of only those codecs that
 * its topics use. This package may use the root package only.
 */
package org.odradek.protocol.compression;
