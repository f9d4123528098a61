// SPDX-License-Identifier: Apache-2.0

/**
<<<<<<< HEAD
 * Internal: the four codecs, from direct memory to direct memory, without allocation once warm. Each is a class of its own,
 * loaded at its first use, so that a program needs only the libraries of the codecs that it meets. May use the root
 * package only.
=======
 * The four codecs. They decompress from direct memory to direct memory and do not allocate once they are warm. Each
 * codec is loaded at its first use, so that a program needs the libraries of only those codecs that its topics use.
 * This package may use the root package only.
>>>>>>> e6d16a9 ([protocol] Walk partitions of responses in one place; plain English in the main sources)
 */
package org.odradek.protocol.compression;
