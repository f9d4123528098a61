// SPDX-License-Identifier: Apache-2.0

/**
 * What the brokers and the proxy need: processes, ports, files, certificates. It is not for users, and may change at
 * any time.
 */
package org.odradek.testkit.internal;
