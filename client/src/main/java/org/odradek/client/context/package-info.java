// SPDX-License-Identifier: Apache-2.0

/**
 * The settings that the contexts of all clients have. It is a package of its own because it uses the settings of
 * security and the internal rooms, none of which the root package may use, and because users need it.
 */
package org.odradek.client.context;
