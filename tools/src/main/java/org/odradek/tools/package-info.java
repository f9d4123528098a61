// SPDX-License-Identifier: Apache-2.0

/**
 * The odradek commands that a user runs.
 */
package org.odradek.tools;
