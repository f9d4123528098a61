/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * The four codecs, from direct memory to direct memory, without allocation once warm. Each is a class of its own,
 * loaded at its first use, so that a program needs only the libraries of the codecs that it meets. May use the root
 * package only.
 */
package org.odradek.protocol.compression;
