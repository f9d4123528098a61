// SPDX-License-Identifier: Apache-2.0

/**
 * Internal classes of the testkit for processes, ports, files and certificates. This package is not for users, and may
 * change at any time.
 */
package org.odradek.testkit.internal;
