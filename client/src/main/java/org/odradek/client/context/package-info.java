// SPDX-License-Identifier: Apache-2.0

/**
 * The settings that the contexts of all clients have in common. They are in a package of their own, because they use
 * the security settings and internal packages, which {@code org.odradek.client} must not use.
 */
package org.odradek.client.context;
