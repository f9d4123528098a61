/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * {@code odradek doctor}: what matters for a quiet core, as files below /proc and /sys tell it.
 */
package org.odradek.tools.doctor;
