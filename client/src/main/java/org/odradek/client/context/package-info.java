// SPDX-License-Identifier: Apache-2.0

/** Contains the settings that the contexts of all clients have in common. */
package org.odradek.client.context;
