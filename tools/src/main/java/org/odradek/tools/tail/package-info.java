/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * {@code odradek tail} and {@code replay}: the records of a topic or of captured frames, on standard output.
 */
package org.odradek.tools.tail;
