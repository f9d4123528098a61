// SPDX-License-Identifier: Apache-2.0

/**
 * Every odradek command.
 */
package org.odradek.tools;
