// SPDX-License-Identifier: Apache-2.0

/**
 * The commands that read the counters file of a consumer of another process: {@code stat}, {@code lag}, {@code errors}.
 */
package org.odradek.tools.status;
