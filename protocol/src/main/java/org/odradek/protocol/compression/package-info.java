// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the four codecs, from direct memory to direct memory, without allocation once warm. Each is a class of its own,
 * loaded at its first use, so that a program needs only the libraries of the codecs that it meets. May use the root
 * package only.
 */
package org.odradek.protocol.compression;
