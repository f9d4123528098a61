/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * The commands that read the counters file of a consumer of another process: {@code stat}, {@code lag}, {@code errors}.
 */
package org.odradek.tools.status;
