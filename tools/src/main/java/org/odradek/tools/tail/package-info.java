/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * {@code odradek tail}: the records of a topic, on standard output.
 */
package org.odradek.tools.tail;
