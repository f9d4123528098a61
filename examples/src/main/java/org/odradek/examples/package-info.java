// SPDX-License-Identifier: Apache-2.0

/**
 * Small programs that show one thing each.
 */
package org.odradek.examples;
